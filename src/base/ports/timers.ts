/** A scheduled callback. */
export interface Timer {
  /** Cancels the callback. No effect once it has run. */
  cancel(): void
}

/** Maximum delay of a timer, in ms. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/** Delayed calls on the host's event loop. */
export interface Timers {
  /**
   * Runs a callback once. A pending timer does not keep the process running: servers and connections do.
   * @param delayMs minimum delay of the call, 0 to `MAX_TIMER_MS`; 0: a later turn of the event loop
   * @param callback must not throw
   */
  schedule(delayMs: number, callback: () => void): Timer
}
