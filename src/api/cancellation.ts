export interface Cancellation {
  /** Aborted when the client disconnects or the request exceeds its time limit. */
  readonly signal: AbortSignal | undefined
}
