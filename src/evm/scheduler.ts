/**
 * Gives running executions their turns, so that however many there are, other work waits for one slice at most.
 * @module
 */
import type { Clock } from '../ports/host.ts'

/** Resolves in a later macrotask: whatever waited in the event loop comes first. */
export type YieldMacrotask = () => Promise<void>

/** With `setTimeout`: everywhere, and it lets sockets in; costs about a millisecond a time. */
export const yieldTimer: YieldMacrotask = () => new Promise((resolve) => setTimeout(resolve, 0))

/**
 * With `MessageChannel`: some microseconds a time, for pages and their workers, where timers are held back by 4 ms.
 * Not for Node, which goes from message to message and lets no socket in between.
 */
export function createMessageYield(): YieldMacrotask {
  const { port1, port2 } = new MessageChannel()
  const waiting: (() => void)[] = []
  port1.onmessage = () => waiting.shift()?.()
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      port2.postMessage(undefined)
    })
}

export interface SchedulerOptions {
  readonly clock: Clock
  /** Default {@link yieldTimer}; Node's is `setImmediate`. */
  readonly yieldMacrotask?: YieldMacrotask
  /** Longest time that an execution runs without a break, milliseconds. Default 8. */
  readonly sliceMs?: number
}

const DEFAULT_SLICE_MS = 8
/** First slice of a message while others run: most calls are over in it, and many that start at once hold up nothing. */
const CROWDED_SLICE_MS = 1

export class ExecutionScheduler {
  readonly clock: Clock
  /** Longest time that an execution runs without a break, milliseconds. */
  readonly sliceMs: number
  readonly #yield: YieldMacrotask
  #running = 0
  #lastTurn: Promise<void> = Promise.resolve()

  constructor({ clock, yieldMacrotask = yieldTimer, sliceMs = DEFAULT_SLICE_MS }: SchedulerOptions) {
    this.clock = clock
    this.#yield = yieldMacrotask
    this.sliceMs = sliceMs
  }

  /** Executions between their first slice and their end. */
  get running(): number {
    return this.#running
  }

  /** An execution starts; call {@link leave} when it ends. @returns its first slice, milliseconds */
  enter(): number {
    this.#running++
    return this.#running === 1 ? this.sliceMs : CROWDED_SLICE_MS
  }

  leave(): void {
    this.#running--
  }

  /** Waits for the next turn, one macrotask a turn and first come first served. @returns its slice, milliseconds */
  async turn(): Promise<number> {
    const turn = this.#lastTurn.then(this.#yield)
    this.#lastTurn = turn
    await turn
    return this.sliceMs
  }
}
