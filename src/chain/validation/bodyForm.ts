/**
 * Bodies from peers. Their roots are computed from the received bytes and compared with the header; only a body that
 * belongs to the header is decoded.
 * @module
 */
import type { BodyEncodings } from '../../types/blockCodec.ts'
import { type EncodedKind, encodingError } from '../../types/fieldReader.ts'
import { ItemBudget, maxItemsOf } from '../../types/wireReader.ts'

const BODY: EncodedKind = { code: 'INVALID_BLOCK_ENCODING', name: 'block body' }
/** A list of nine fields of one byte each. */
export const MIN_TRANSACTION_BYTES = 10

/** Each transaction uses 21,000 gas, of which at most one half is refunded. */
const MIN_GAS_OF_TRANSACTION = 10_500n

/**
 * Checks what can be seen without decoding.
 * @throws {NodeError} INVALID_BLOCK_ENCODING
 */
export function checkForm({ transactions }: BodyEncodings): void {
  for (const { length } of transactions) {
    if (length < MIN_TRANSACTION_BYTES) throw encodingError(BODY, `a transaction of ${length} bytes`)
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
 * @throws {NodeError} INVALID_BLOCK_ENCODING
 */
export function checkItemCount(encoded: Uint8Array): void {
  new ItemBudget(BODY, maxItemsOf(encoded.length)).take(encoded)
}
