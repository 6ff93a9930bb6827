/**
 * Bodies from peers. Their roots are computed from the received bytes and compared with the header; only a body that
 * belongs to the header is decoded.
 * @module
 */
import { MAX_PROTOCOL_MESSAGE_ITEMS } from '../../base/limits/limits.ts'
import type { BodyEncodings } from '../../types/blockCodec.ts'
import { encodingError } from '../../types/fieldReader.ts'
import { ItemBudget } from '../../types/wireReader.ts'
import { ETH_MESSAGE } from './eth/bodyCodec.ts'

/** A list of nine fields of one byte each. */
const MIN_TRANSACTION_BYTES = 10
/** Each transaction uses 21,000 gas, of which at most one half is refunded. */
const MIN_GAS_OF_TRANSACTION = 10_500n
/** A transaction, the densest part of a block, has more bytes than this for each of its items. */
const MIN_BYTES_PER_ITEM = 8

/**
 * Checks what can be seen without decoding.
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE
 */
export function checkForm({ transactions }: BodyEncodings): void {
  for (const { length } of transactions) {
    if (length < MIN_TRANSACTION_BYTES) throw encodingError(ETH_MESSAGE, `a transaction of ${length} bytes`)
  }
}

/**
 * Whether a block could use so little gas for these transactions: this is known before anything is hashed.
 * @returns why not
 */
export function gasFault({ transactions }: BodyEncodings, gasUsed: bigint): string | undefined {
  const { length } = transactions
  return BigInt(length) * MIN_GAS_OF_TRANSACTION > gasUsed
    ? `${length} transactions in a block that used ${gasUsed} gas`
    : undefined
}

/**
 * Bounds the memory of the objects that are decoded from a block or body.
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE
 */
export function checkItemCount(encoded: Uint8Array): void {
  const maxItems = Math.max(MAX_PROTOCOL_MESSAGE_ITEMS, Math.floor(encoded.length / MIN_BYTES_PER_ITEM))
  new ItemBudget(ETH_MESSAGE, maxItems).take(encoded)
}
