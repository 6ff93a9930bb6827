/**
 * RLP of blocks and bodies.
 * @see Yellow Paper 4.4.3; EIP-2718, EIP-4895
 * @module
 */
import { type ReverseRlp, reverseRlp } from '../base/primitives/reverseRlp.ts'
import {
  type DecodedItem,
  encodedLength,
  rlpEncode,
  rlpListLength,
  rlpListOfEncoded,
  rlpSpan,
} from '../base/primitives/rlp.ts'
import type { Block, BlockBody, Header } from './block.ts'
import { decodeItem, type EncodedKind, encodingError, FieldReader } from './fieldReader.ts'
import { decodeHeader, encodeHeader, encodeHeaderFields } from './headerCodec.ts'
import type { Transaction } from './transaction.ts'
import { decodeTransactionItem, encodeTransaction } from './transactionCodec.ts'
import { decodeWithdrawalFields, encodeWithdrawal } from './withdrawalCodec.ts'

const BLOCK: EncodedKind = { code: 'INVALID_BLOCK_ENCODING', name: 'block' }
const BODY: EncodedKind = { code: 'INVALID_BLOCK_ENCODING', name: 'block body' }
/** Header, transactions, ommers, withdrawals. */
const MAX_BLOCK_FIELDS = 4
/** First byte of an RLP list: a legacy transaction. */
const LIST_PREFIX = 0xc0

export function encodeBlock(block: Block): Uint8Array {
  return encodeBlockOf(block, block.transactions.map(encodeTransaction))
}

/** Like {@link encodeBlock}, from the canonical encodings of the transactions. */
export function encodeBlockOf(block: Block, encodings: readonly Uint8Array[]): Uint8Array {
  const header = encodeHeader(block.header)
  const out = writtenBody(block, encodings)
  out.raw(header)
  out.list(0)
  return out.copy()
}

/**
 * Length of {@link encodeBlock} in bytes.
 * @param transactionBytes sum of {@link transactionItemLength}
 */
export function blockLength(
  { header, ommers, withdrawals }: Omit<Block, 'transactions'>,
  transactionBytes: number,
): number {
  const withdrawalBytes = withdrawals?.reduce((sum, withdrawal) => sum + encodeWithdrawal(withdrawal).length, 0)
  const bodyBytes = rlpListLength(transactionBytes) + encodeOmmers(ommers).length
  const listed = withdrawalBytes === undefined ? 0 : rlpListLength(withdrawalBytes)
  return rlpListLength(encodeHeader(header).length + bodyBytes + listed)
}

/** Length of {@link transactionItem}. */
export function transactionItemLength(encoding: Uint8Array): number {
  return (encoding[0] as number) >= LIST_PREFIX ? encoding.length : encodedLength(encoding)
}

/**
 * The RLP of a block with another header. Its body is not encoded again.
 * @param header RLP
 */
export function replaceHeader(block: Uint8Array, header: Uint8Array): Uint8Array {
  const { payload } = rlpSpan(block, 0)
  return rlpListOfEncoded([header, block.subarray(rlpSpan(block, payload).end)])
}

/** In a body, a legacy transaction is a list and a typed one is wrapped in a byte string. */
export function transactionItem(encoding: Uint8Array): Uint8Array {
  return (encoding[0] as number) >= LIST_PREFIX ? encoding : rlpEncode(encoding)
}

/** The block's list without its header. */
export function encodeBody(body: BlockBody): Uint8Array {
  const out = writtenBody(body, body.transactions.map(encodeTransaction))
  out.list(0)
  return out.copy()
}

/** The items of a body, without the prefix of its list. */
function writtenBody({ ommers, withdrawals }: BlockBody, encodings: readonly Uint8Array[]): ReverseRlp {
  const withdrawalItems = withdrawals?.map(encodeWithdrawal)
  const ommerList = encodeOmmers(ommers)
  const out = reverseRlp.begin()
  if (withdrawalItems !== undefined) {
    for (const item of withdrawalItems.reverse()) out.raw(item)
    out.list(0)
  }
  out.raw(ommerList)
  const end = out.length
  for (let i = encodings.length - 1; i >= 0; i--) writeTransactionItem(encodings[i] as Uint8Array, out)
  out.list(end)
  return out
}

function writeTransactionItem(encoding: Uint8Array, out: ReverseRlp): void {
  if ((encoding[0] as number) >= LIST_PREFIX) out.raw(encoding)
  else out.string(encoding)
}

/** RLP of the list of ommers, whose hash is ommersHash. */
export function encodeOmmers(ommers: readonly Header[]): Uint8Array {
  return rlpEncode(ommers.map(encodeHeaderFields))
}

/**
 * @param encoded RLP, or the list decoded from it
 * @throws {NodeError} INVALID_BLOCK_ENCODING, or the code of the malformed part
 */
export function decodeBlock(encoded: DecodedItem): Block {
  const fields = new FieldReader(encoded instanceof Uint8Array ? decodeItem(BLOCK, encoded) : encoded, BLOCK)
  const header = decodeHeader(fields.list('header'))
  return { header, ...decodeBodyFields(fields) }
}

/**
 * @param encoded RLP, or the list decoded from it
 * @throws {NodeError} INVALID_BLOCK_ENCODING, or the code of the malformed part
 */
export function decodeBody(encoded: DecodedItem): BlockBody {
  return decodeBodyFields(new FieldReader(encoded instanceof Uint8Array ? decodeItem(BODY, encoded) : encoded, BODY))
}

function decodeBodyFields(fields: FieldReader): BlockBody {
  const transactions: Transaction[] = fields.list('transactions').map(decodeTransactionItem)
  const ommers = fields.nested('ommers')
  const headers: Header[] = []
  while (ommers.remaining > 0) headers.push(decodeHeader(ommers.list('ommer')))
  if (fields.remaining === 0) return { transactions, ommers: headers }
  const items = fields.nested('withdrawals')
  const withdrawals = []
  while (items.remaining > 0) withdrawals.push(decodeWithdrawalFields(items.nested('withdrawal')))
  fields.end()
  return { transactions, ommers: headers, withdrawals }
}

/** The encodings in the RLP of a body, all as views. */
export interface BodyEncodings {
  /** Canonical EIP-2718 encodings: they are hashed, and are the values of the transactions trie */
  readonly transactions: readonly Uint8Array[]
  /** RLP of the list of ommers */
  readonly ommers: Uint8Array
  /** RLP, one per withdrawal */
  readonly withdrawals: readonly Uint8Array[] | undefined
}

/** The encodings in the RLP of a block, all as views. */
export interface BlockEncodings extends BodyEncodings {
  /** RLP of the header */
  readonly header: Uint8Array
}

/**
 * Splits a block into the encodings of its parts, so that hashing needs no encoding. The parts themselves are not
 * checked.
 * @param bytes RLP of a block
 * @param maxItems of the transactions, and of the withdrawals
 * @throws {NodeError} INVALID_BLOCK_ENCODING, INVALID_RLP
 */
export function splitBlock(bytes: Uint8Array, maxItems: number = Number.POSITIVE_INFINITY): BlockEncodings {
  const [header, ...parts] = itemsOf(bytes, onlyList(bytes), bytes.length, MAX_BLOCK_FIELDS)
  if (header === undefined) throw encodingError(BLOCK, 'it is incomplete')
  return { header, ...splitParts(parts, maxItems) }
}

/** Like {@link splitBlock}, for the block's list without its header. */
export function splitBody(bytes: Uint8Array, maxItems: number): BodyEncodings {
  return splitParts(itemsOf(bytes, onlyList(bytes), bytes.length, MAX_BLOCK_FIELDS - 1), maxItems)
}

/** @returns offset of the first item */
function onlyList(bytes: Uint8Array): number {
  const { isList, payload, end } = rlpSpan(bytes, 0)
  if (!isList || end !== bytes.length) throw encodingError(BLOCK, 'it is not one list')
  return payload
}

function splitParts([transactions, ommers, withdrawals]: readonly Uint8Array[], maxItems: number): BodyEncodings {
  if (transactions === undefined || ommers === undefined) throw encodingError(BLOCK, 'it is incomplete')
  return {
    transactions: childrenOf(transactions, maxItems).map(withoutWrapper),
    ommers,
    withdrawals: withdrawals === undefined ? undefined : childrenOf(withdrawals, maxItems),
  }
}

function childrenOf(item: Uint8Array, maxItems: number): Uint8Array[] {
  const { isList, payload, end } = rlpSpan(item, 0)
  if (!isList) throw encodingError(BLOCK, 'a part is not a list')
  return itemsOf(item, payload, end, maxItems)
}

function itemsOf(bytes: Uint8Array, start: number, end: number, maxItems: number): Uint8Array[] {
  const items: Uint8Array[] = []
  for (let at = start; at < end; ) {
    const next = rlpSpan(bytes, at).end
    if (next > end) throw encodingError(BLOCK, 'an item exceeds its list')
    if (items.length === maxItems) throw encodingError(BLOCK, `a list has more than ${maxItems} items`)
    items.push(bytes.subarray(at, next))
    at = next
  }
  return items
}

/** In a body, a legacy transaction is a list and a typed one is wrapped in a byte string. */
function withoutWrapper(item: Uint8Array): Uint8Array {
  const { isList, payload } = rlpSpan(item, 0)
  return isList ? item : item.subarray(payload)
}
