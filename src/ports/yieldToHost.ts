/**
 * Yielding to the event loop, so that long work does not keep sockets, timers and other requests waiting.
 * @module
 */
import type { Clock } from './host.ts'

/** Resolves in a later turn of the event loop: everything that was due runs first. */
export type YieldToHost = () => Promise<void>

export interface TimeSlicerOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly yieldToHost: YieldToHost
  /** Longest time without a yield, milliseconds. */
  readonly sliceMs: number
}

/**
 * Divides a loop into time slices. The check costs one clock read, and no promise is made while the slice lasts.
 * @example
 * if (slicer.isDue) await slicer.yield()
 */
export class TimeSlicer {
  readonly #clock: TimeSlicerOptions['clock']
  readonly #yieldToHost: YieldToHost
  readonly #sliceMs: number
  #sliceEnd: number

  /** The first slice starts here. */
  constructor({ clock, yieldToHost, sliceMs }: TimeSlicerOptions) {
    this.#clock = clock
    this.#yieldToHost = yieldToHost
    this.#sliceMs = sliceMs
    this.#sliceEnd = clock.monotonic() + sliceMs
  }

  /** The slice is over. */
  get isDue(): boolean {
    return this.#clock.monotonic() >= this.#sliceEnd
  }

  /** Yields, then starts the next slice. */
  async yield(): Promise<void> {
    await this.#yieldToHost()
    this.#sliceEnd = this.#clock.monotonic() + this.#sliceMs
  }
}
