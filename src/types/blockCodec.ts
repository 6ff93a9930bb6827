/**
 * Blocks and bodies, and files of concatenated blocks.
 * @see Yellow Paper 4.3; EIP-4895
 * @module
 */
import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts'
import { NodeError } from '../primitives/errors.ts'
import { type DecodedItem, type RlpItem, rlpDecode, rlpDecodeList, rlpEncode, rlpSpan } from '../rlp/rlp.ts'
import type { Block, BlockBody, Withdrawal } from './block.ts'
import { decodeHeader, encodeHeaderFields } from './headerCodec.ts'
import { invalidField, readFixed, readList, readScalar, readTuple } from './scalar.ts'
import { decodeTransactionItem, encodeTransactionItem } from './transactionCodec.ts'

const UINT64 = 8

function bodyItems(body: BlockBody): RlpItem[] {
  const items: RlpItem[] = [body.transactions.map(encodeTransactionItem), body.ommers.map(encodeHeaderFields)]
  if (body.withdrawals !== undefined) items.push(body.withdrawals.map(withdrawalFields))
  return items
}

function withdrawalFields(withdrawal: Withdrawal): RlpItem[] {
  return [
    bigIntToBytes(withdrawal.index),
    bigIntToBytes(withdrawal.validatorIndex),
    withdrawal.address,
    bigIntToBytes(withdrawal.amount),
  ]
}

/** What the withdrawals trie holds. */
export function encodeWithdrawal(withdrawal: Withdrawal): Uint8Array {
  return rlpEncode(withdrawalFields(withdrawal))
}

export function encodeBlock(block: Block): Uint8Array {
  return rlpEncode([encodeHeaderFields(block.header), ...bodyItems(block)])
}

/** The body alone, as the store holds it. */
export function encodeBody(body: BlockBody): Uint8Array {
  return rlpEncode(bodyItems(body))
}

/**
 * @throws {NodeError} INVALID_RLP, INVALID_ENCODING, UNSUPPORTED_TRANSACTION_TYPE
 */
export function decodeBlock(bytes: Uint8Array): Block {
  const [header, ...body] = readList(rlpDecode(bytes), 'block')
  if (header === undefined) throw invalidField('block', 'empty')
  return { header: decodeHeader(header), ...decodeBodyItems(body) }
}

/**
 * @throws {NodeError} INVALID_RLP, INVALID_ENCODING, UNSUPPORTED_TRANSACTION_TYPE
 */
export function decodeBody(bytes: Uint8Array): BlockBody {
  return decodeBodyItems(rlpDecodeList(bytes))
}

function decodeBodyItems(items: readonly DecodedItem[]): BlockBody {
  if (items.length < 2 || items.length > 3) throw invalidField('block body', `${items.length} lists`)
  const withdrawals = items[2]
  return {
    transactions: readList(items[0], 'transactions').map(decodeTransactionItem),
    ommers: readList(items[1], 'ommers').map(decodeHeader),
    ...(withdrawals === undefined ? {} : { withdrawals: readList(withdrawals, 'withdrawals').map(decodeWithdrawal) }),
  }
}

function decodeWithdrawal(item: DecodedItem): Withdrawal {
  const fields = readTuple(item, 4, 'withdrawal')
  return {
    index: readScalar(fields[0], UINT64, 'withdrawal index'),
    validatorIndex: readScalar(fields[1], UINT64, 'validator index'),
    address: readFixed(fields[2], 20, 'withdrawal address'),
    amount: readScalar(fields[3], UINT64, 'withdrawal amount'),
  }
}

/**
 * Splits a stream of concatenated RLP blocks; holds one block at a time.
 * @param maxBlockBytes refuse a block that claims to be longer
 * @throws {NodeError} INVALID_RLP for what is not a list, too long, or cut off
 */
export async function* splitBlocks(
  chunks: AsyncIterable<Uint8Array>,
  maxBlockBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let pending: Uint8Array = EMPTY_BYTES
  for await (const chunk of chunks) {
    pending = pending.length === 0 ? chunk : concatBytes(pending, chunk)
    let offset = 0
    while (offset < pending.length) {
      const end = blockEnd(pending, offset, maxBlockBytes)
      if (end === undefined || end > pending.length) break
      yield pending.subarray(offset, end)
      offset = end
    }
    pending = pending.subarray(offset)
  }
  if (pending.length > 0) throw new NodeError({ code: 'INVALID_RLP' }, 'the last block is cut off')
}

/** Where the block at `offset` ends; undefined when even its length is not there yet. */
function blockEnd(bytes: Uint8Array, offset: number, maxBlockBytes: number): number | undefined {
  const lengthBytes = Math.max(0, (bytes[offset] as number) - 0xf7)
  if (offset + lengthBytes >= bytes.length) return undefined
  const span = rlpSpan(bytes, offset)
  if (!span.isList) throw new NodeError({ code: 'INVALID_RLP' }, 'a block is not a list')
  if (span.end - offset > maxBlockBytes) {
    throw new NodeError({ code: 'INVALID_RLP' }, `a block of ${span.end - offset} bytes is too long`)
  }
  return span.end
}
