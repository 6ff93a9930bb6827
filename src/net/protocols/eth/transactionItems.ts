/**
 * Transactions in messages: legacy ones are lists, typed ones byte strings, with their blobs if they have any.
 * @see EIP-2718, EIP-2976, EIP-4844
 * @module
 */
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import { MIN_TRANSACTION_BYTES } from '../../../chain/validation/bodyForm.ts'
import { keyToText } from '../../../storage/keyText.ts'
import { canonicalEncoding } from '../../../types/blobSidecar.ts'
import { transactionItem } from '../../../types/blockCodec.ts'
import { ItemBudget, maxItemsOf, type WireReader } from '../../../types/wireReader.ts'
import { ETH_MESSAGE } from './bodyCodec.ts'
import type { EncodedTransaction } from './messages.ts'

const LIST_PREFIX = 0xc0

/** @param encodings EIP-2718, in the network form for blobs */
export function transactionList(encodings: readonly Uint8Array[]): Uint8Array {
  return rlpListOfEncoded(encodings.map(transactionItem))
}

/**
 * Reads transactions without decoding them: most are known by their hash.
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE, INVALID_RLP
 */
export function readTransactions(fields: WireReader, maxItems?: number): EncodedTransaction[] {
  const names = new DistinctHashes(fields)
  const budget = new ItemBudget(ETH_MESSAGE, maxItemsOf(fields.remainingBytes))
  return fields.all(
    'transactions',
    (items) => {
      const encoding = readTransaction(items)
      // The first byte of a typed transaction is its type.
      budget.take(encoding, (encoding[0] as number) >= LIST_PREFIX ? 0 : 1)
      const hash = keccak256(canonicalEncoding(encoding))
      names.add(hash)
      return { encoding, hash }
    },
    maxItems,
  )
}

function readTransaction(fields: WireReader): Uint8Array {
  const isLegacy = fields.nextIsList
  const encoding = isLegacy ? fields.item('transaction') : fields.bytes('transaction')
  const first = encoding[0]
  if (first === undefined || (!isLegacy && first >= LIST_PREFIX)) throw fields.invalid('a transaction has no type')
  if (encoding.length < MIN_TRANSACTION_BYTES) throw fields.invalid(`a transaction of ${encoding.length} bytes`)
  return encoding
}

/** The hashes of one message, which names no transaction twice. */
export class DistinctHashes {
  readonly #fields: WireReader
  readonly #keys = new Set<string>()

  constructor(fields: WireReader) {
    this.#fields = fields
  }

  /** @throws {NodeError} INVALID_PROTOCOL_MESSAGE */
  add(hash: Uint8Array): void {
    const { size } = this.#keys
    if (this.#keys.add(keyToText(hash)).size === size) throw this.#fields.invalid('it names a transaction twice')
  }
}
