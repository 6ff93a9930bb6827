/**
 * Failed transactions of the newest blocks, in memory, for answers to their senders.
 * @module
 */
import { MAX_MINED_FAILURE_BYTES } from '../base/limits/limits.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import { keyToText } from '../storage/keyText.ts'
import type { DevFailure, DevFailures } from './contract.ts'

/** Size of an entry beside its output. */
const ENTRY_BYTES = 128

export class MinedFailures implements DevFailures {
  isReported: boolean
  /** By transaction hash, oldest first. */
  readonly #failures = new Map<string, DevFailure>()
  #bytes = 0

  constructor(isReported: boolean) {
    this.isReported = isReported
  }

  add({ included, results }: Pick<SealedBlock, 'included' | 'results'>): void {
    for (const [i, result] of results.entries()) {
      const hasFailed = result.outcome !== 'success'
      if (!hasFailed && this.#failures.size === 0) continue
      const key = keyToText((included[i] as (typeof included)[number]).hash)
      this.#delete(key)
      if (!hasFailed) continue
      const { outcome, output } = result
      this.#failures.set(key, { outcome, output, ...(result.halt === undefined ? {} : { halt: result.halt }) })
      this.#bytes += output.length + ENTRY_BYTES
    }
    for (const [oldest] of this.#failures) {
      if (this.#bytes <= MAX_MINED_FAILURE_BYTES) return
      this.#delete(oldest)
    }
  }

  ofTransaction(hash: Uint8Array): DevFailure | undefined {
    return this.#failures.size === 0 ? undefined : this.#failures.get(keyToText(hash))
  }

  #delete(key: string): void {
    const failure = this.#failures.get(key)
    if (failure === undefined) return
    this.#bytes -= failure.output.length + ENTRY_BYTES
    this.#failures.delete(key)
  }
}
