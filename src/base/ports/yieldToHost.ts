/**
 * Yields to the event loop, so that long work does not block sockets, timers and other requests.
 * @module
 */
import type { Clock } from './host.ts'

/** Resolves in a later turn of the event loop, after everything that was due. */
export type YieldToHost = () => Promise<void>

export interface TimeSlicerOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly yieldToHost: YieldToHost
  /** Longest time without a yield, milliseconds. */
  readonly sliceMs: number
}

/**
 * Divides a loop into time slices. The check costs one clock read; no promise is created during a slice.
 * @example if (slicer.isDue) await slicer.yield()
 */
export class TimeSlicer {
  readonly #clock: TimeSlicerOptions['clock']
  readonly #yieldToHost: YieldToHost
  readonly #sliceMs: number
  #sliceEnd: number

  /** Starts the first slice. */
  constructor({ clock, yieldToHost, sliceMs }: TimeSlicerOptions) {
    this.#clock = clock
    this.#yieldToHost = yieldToHost
    this.#sliceMs = sliceMs
    this.#sliceEnd = clock.monotonic() + sliceMs
  }

  /** Whether the slice has ended. */
  get isDue(): boolean {
    return this.#clock.monotonic() >= this.#sliceEnd
  }

  /** Yields, then starts the next slice. */
  async yield(): Promise<void> {
    await this.#yieldToHost()
    this.#sliceEnd = this.#clock.monotonic() + this.#sliceMs
  }
}
