/**
 * Answers, spliced from stored bytes: each byte is copied once.
 * @module
 */
import { bigIntToBytes, concatBytes } from '../../base/primitives/bytes.ts'
import { rlpEncode, rlpListPrefix } from '../../base/primitives/rlp.ts'

export interface Answer {
  /** Relative to the first code of the capability. */
  readonly code: number
  readonly payload: Uint8Array
  /** Number of items found. */
  readonly items: number
}

/** Collects encoded items up to a number of bytes; the first one always fits. */
export class AnswerItems {
  readonly items: Uint8Array[] = []
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @returns false when the item does not fit, and the answer has to end before it */
  add(item: Uint8Array): boolean {
    if (this.items.length > 0 && this.#bytes + item.length > this.#maxBytes) return false
    this.items.push(item)
    this.#bytes += item.length
    return true
  }

  /** RLP of [requestId, [item…]]; without an id, of the inner list. */
  encode(requestId: bigint | undefined): Uint8Array {
    const inner = rlpListPrefix(this.#bytes)
    if (requestId === undefined) return concatBytes(inner, ...this.items)
    const id = rlpEncode(bigIntToBytes(requestId))
    const outer = rlpListPrefix(id.length + inner.length + this.#bytes)
    return concatBytes(outer, id, inner, ...this.items)
  }
}
