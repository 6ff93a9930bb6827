export interface Cancellation {
  /** Aborted when the client goes away or the request's time is over. */
  readonly signal: AbortSignal | undefined
}
