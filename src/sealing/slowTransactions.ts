import { MAX_SLOW_TRANSACTIONS } from '../base/limits/limits.ts'
import { keyToText } from '../storage/keyText.ts'

/** The transactions of the pool that did not end within the time for a block; the oldest are forgotten. */
export class SlowTransactions {
  readonly #hashes = new Set<string>()

  add(hash: Uint8Array): void {
    this.#hashes.add(keyToText(hash))
    if (this.#hashes.size <= MAX_SLOW_TRANSACTIONS) return
    for (const oldest of this.#hashes) {
      this.#hashes.delete(oldest)
      return
    }
  }

  has(hash: Uint8Array): boolean {
    return this.#hashes.size > 0 && this.#hashes.has(keyToText(hash))
  }
}
