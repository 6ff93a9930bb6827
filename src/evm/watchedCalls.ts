import { MAX_WATCHED_CALLS, MAX_WATCHED_INPUT_BYTES } from '../base/limits/limits.ts'

/**
 * Inputs of the calls to one address without code (`StartOptions.watchedAddress`), in order, including those of frames
 * that failed.
 */
export class WatchedCalls {
  /** At most MAX_WATCHED_CALLS, each cut after MAX_WATCHED_INPUT_BYTES. */
  readonly inputs: Uint8Array[] = []
  /** Number of calls, including those that are not in `inputs`. */
  count = 0

  /** @param input is copied */
  add(input: Uint8Array): void {
    this.count++
    if (this.inputs.length < MAX_WATCHED_CALLS) this.inputs.push(input.slice(0, MAX_WATCHED_INPUT_BYTES))
  }
}
