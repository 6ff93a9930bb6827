import { INVALID_NONCE_SENDERS } from '../base/limits/limits.ts'
import { LruCache } from '../base/primitives/lruCache.ts'

/**
 * Lowest nonce for which a sender's network transaction was invalid: later nonces could not be executed and are refused
 * until that nonce is used.
 */
export class InvalidNonces {
  readonly #lowest = new LruCache<string, bigint>(INVALID_NONCE_SENDERS)

  /** Whether the sender had an invalid transaction below this nonce. */
  hasBelow(senderKey: string, nonce: bigint): boolean {
    const lowest = this.#lowest.get(senderKey)
    return lowest !== undefined && lowest < nonce
  }

  invalid(senderKey: string, nonce: bigint): void {
    const lowest = this.#lowest.get(senderKey)
    if (lowest === undefined || nonce < lowest) this.#lowest.set(senderKey, nonce)
  }

  valid(senderKey: string, nonce: bigint): void {
    if (this.#lowest.get(senderKey) === nonce) this.#lowest.delete(senderKey)
  }

  /** Registers the account's next nonce: lower ones are used. */
  used(senderKey: string, nextNonce: bigint): void {
    if (this.hasBelow(senderKey, nextNonce)) this.#lowest.delete(senderKey)
  }

  clear(): void {
    this.#lowest.clear()
  }
}
