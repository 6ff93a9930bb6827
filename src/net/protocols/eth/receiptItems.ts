/**
 * Receipts in messages: up to eth/68 in their consensus form, since eth/69 as a list without bloom.
 * @see EIP-2718, EIP-7642
 * @module
 */
import { rlpEncode, rlpListOfEncoded, rlpSpan } from '../../../base/primitives/rlp.ts'
import { logsBloom } from '../../../types/bloom.ts'
import { decodeItem, FieldReader } from '../../../types/fieldReader.ts'
import type { Receipt } from '../../../types/receipt.ts'
import { decodeLogs, decodeOutcome, decodeReceipt, receiptType, unpackBloom } from '../../../types/receiptCodec.ts'
import { ItemBudget, WireReader } from '../../../types/wireReader.ts'
import { ETH_MESSAGE } from './bodyCodec.ts'
import type { EthVersion } from './versions.ts'

const BLOOM_PREFIX = Uint8Array.of(0xb9, 0x01, 0x00)

/**
 * Splices the list of a block's receipts from their stored form, without decoding logs.
 * @param stored as encoded by encodeStoredReceipts
 * @returns RLP of one list
 */
export function wireReceipts({ hasBlockRange }: EthVersion, stored: Uint8Array): Uint8Array {
  const receipts: Uint8Array[] = []
  const { payload, end } = rlpSpan(stored, 0)
  for (let at = payload; at < end; ) {
    const receipt = rlpSpan(stored, at)
    receipts.push(hasBlockRange ? withoutBloom(stored, receipt.payload) : withBloom(stored, receipt.payload))
    at = receipt.end
  }
  return rlpListOfEncoded(receipts)
}

/** The stored fields are: type, outcome, cumulative gas, gas, packed bloom, logs; all encoded. */
function fieldsAt(stored: Uint8Array, from: number): Uint8Array[] {
  const fields: Uint8Array[] = []
  for (let at = from; fields.length < 6; ) {
    const { end } = rlpSpan(stored, at)
    fields.push(stored.subarray(at, end))
    at = end
  }
  return fields
}

/** [type, outcome, cumulative gas, logs] */
function withoutBloom(stored: Uint8Array, from: number): Uint8Array {
  const [type, outcome, gas, , , logs] = fieldsAt(stored, from) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    0,
    0,
    Uint8Array,
  ]
  return rlpListOfEncoded([type, outcome, gas, logs])
}

/** [outcome, cumulative gas, bloom, logs], for typed transactions in a byte string after the type */
function withBloom(stored: Uint8Array, from: number): Uint8Array {
  const fields = fieldsAt(stored, from)
  const [type, outcome, gas, , packed, logs] = fields as [Uint8Array, Uint8Array, Uint8Array, 0, Uint8Array, Uint8Array]
  const bloom = unpackBloom(packed.subarray(rlpSpan(packed, 0).payload))
  const isLegacy = type[0] === 0x80
  const list = rlpListOfEncoded([outcome, gas, BLOOM_PREFIX, bloom, logs])
  if (isLegacy) return list
  const typed = new Uint8Array(1 + list.length)
  typed[0] = type[0] as number
  typed.set(list, 1)
  return rlpEncode(typed)
}

/**
 * Decodes the receipts of one block.
 * @param encoded RLP of the block's list
 * @param budget shared by all blocks of a message
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE, INVALID_RECEIPT_ENCODING
 */
export function decodeReceiptList(
  { hasBlockRange }: EthVersion,
  encoded: Uint8Array,
  budget: ItemBudget = new ItemBudget(ETH_MESSAGE),
): Receipt[] {
  const items = new WireReader(encoded, ETH_MESSAGE)
  return items.all('receipts', (fields) => {
    if (hasBlockRange) {
      const receipt = fields.item('receipt')
      budget.take(receipt)
      return decodeWithoutBloom(receipt)
    }
    const isLegacy = fields.nextIsList
    const receipt = isLegacy ? fields.item('receipt') : fields.bytes('receipt')
    if (!isLegacy && (receipt[0] ?? 0xc0) >= 0xc0) throw fields.invalid('a receipt has no type')
    budget.take(receipt, isLegacy ? 0 : 1)
    return decodeReceipt(receipt)
  })
}

function decodeWithoutBloom(encoded: Uint8Array): Receipt {
  const fields = new FieldReader(decodeItem(ETH_MESSAGE, encoded), ETH_MESSAGE)
  const type = receiptType(ETH_MESSAGE, Number(fields.scalar('type', 1)))
  const outcome = decodeOutcome(fields)
  const cumulativeGasUsed = fields.scalar('cumulativeGasUsed', 8)
  const logs = decodeLogs(fields.nested('logs'))
  fields.end()
  return { type, ...outcome, cumulativeGasUsed, logsBloom: logsBloom(logs), logs }
}
