import type { AbortState } from '../evm/driver.ts'

/** Ends a build whose block is no longer wanted. */
export class BuildSignal implements AbortState {
  aborted = false
  reason: unknown

  abort(reason: string): void {
    this.aborted = true
    this.reason = reason
  }
}
