/**
 * Receipts: consensus encoding, and the compact form of the database.
 * @see Yellow Paper 4.4.1; EIP-658, EIP-2718
 * @module
 */

import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { type ReverseRlp, reverseRlp } from '../base/primitives/reverseRlp.ts'
import { EMPTY_BLOOM } from './bloom.ts'
import { decodeItem, type EncodedKind, encodingError, FieldReader } from './fieldReader.ts'
import { type Log, MAX_LOG_TOPICS, type Receipt, type StoredReceipt } from './receipt.ts'

const RECEIPT: EncodedKind = { code: 'INVALID_RECEIPT_ENCODING', name: 'receipt' }
const STORED: EncodedKind = { code: 'INVALID_RECEIPT_ENCODING', name: 'stored receipt' }

const STATUS_SUCCESS = Uint8Array.of(1)
const BLOOM_BYTES = 256

/** The encoding in the receipts trie: an RLP list, preceded by the type for types above 0. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  return writtenReceipt(receipt).copy()
}

/** Like {@link encodeReceipt}, as a view that is valid until something else is encoded. */
export function receiptView(receipt: Receipt): Uint8Array {
  return writtenReceipt(receipt).view()
}

function writtenReceipt(receipt: Receipt): ReverseRlp {
  const out = reverseRlp.begin()
  writeLogs(receipt.logs, out)
  out.string(receipt.logsBloom)
  out.scalar(receipt.cumulativeGasUsed)
  out.string(outcomeBytes(receipt))
  out.list(0)
  if (receipt.type !== 0) out.byte(receipt.type)
  return out
}

/**
 * @param bytes consensus encoding
 * @throws {NodeError} INVALID_RECEIPT_ENCODING
 */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  const first = bytes[0]
  if (first === undefined) throw encodingError(RECEIPT, 'it is empty')
  const type = first >= 0xc0 ? 0 : receiptType(RECEIPT, first)
  if (first === 0) throw encodingError(RECEIPT, 'type 0')
  const fields = new FieldReader(decodeItem(RECEIPT, type === 0 ? bytes : bytes.subarray(1)), RECEIPT)
  const outcome = decodeOutcome(fields)
  const cumulativeGasUsed = fields.scalar('cumulativeGasUsed', 8)
  const logsBloom = fields.fixed('logsBloom', BLOOM_BYTES)
  const logs = decodeLogs(fields.nested('logs'))
  fields.end()
  return { type, ...outcome, cumulativeGasUsed, logsBloom, logs }
}

/**
 * All receipts of a block. A bloom is stored as the positions of its few non-zero bytes, which is smaller than the bits
 * themselves and cheaper than hashing the logs again.
 */
export function encodeStoredReceipts(receipts: readonly StoredReceipt[]): Uint8Array {
  const out = reverseRlp.begin()
  for (let i = receipts.length - 1; i >= 0; i--) writeStoredReceipt(receipts[i] as StoredReceipt, out)
  out.list(0)
  return out.copy()
}

/** @throws {NodeError} INVALID_RECEIPT_ENCODING */
export function decodeStoredReceipts(bytes: Uint8Array): StoredReceipt[] {
  const items = new FieldReader(decodeItem(STORED, bytes), STORED)
  const receipts: StoredReceipt[] = []
  while (items.remaining > 0) receipts.push(decodeStoredReceipt(items.nested('receipt')))
  return receipts
}

function writeStoredReceipt(receipt: StoredReceipt, out: ReverseRlp): void {
  const end = out.length
  out.strings(receipt.revertReason === undefined ? [] : [receipt.revertReason])
  out.string(receipt.contractAddress ?? EMPTY_BYTES)
  writeLogs(receipt.logs, out)
  out.string(packBloom(receipt.logsBloom))
  out.scalar(receipt.gasUsed)
  out.scalar(receipt.cumulativeGasUsed)
  out.string(outcomeBytes(receipt))
  out.number(receipt.type)
  out.list(end)
}

function decodeStoredReceipt(fields: FieldReader): StoredReceipt {
  const type = receiptType(STORED, Number(fields.scalar('type', 1)))
  const outcome = decodeOutcome(fields)
  const cumulativeGasUsed = fields.scalar('cumulativeGasUsed', 8)
  const gasUsed = fields.scalar('gasUsed', 8)
  const logsBloom = unpackBloom(fields.bytes('logsBloom'))
  const logs = decodeLogs(fields.nested('logs'))
  const contractAddress = fields.optionalFixed('contractAddress', 20)
  const reasons = fields.nested('revertReason')
  return {
    type,
    ...outcome,
    cumulativeGasUsed,
    gasUsed,
    logsBloom,
    logs,
    ...(contractAddress === undefined ? {} : { contractAddress }),
    ...(reasons.count === 0 ? {} : { revertReason: reasons.bytes('revertReason') }),
  }
}

/** EIP-658: the status as a scalar; before Byzantium the state root. */
function outcomeBytes({ status, postState }: Receipt): Uint8Array {
  if (status === undefined) return postState ?? EMPTY_BYTES
  return status ? STATUS_SUCCESS : EMPTY_BYTES
}

/** @throws {NodeError} with the code of the reader's kind */
export function decodeOutcome(fields: FieldReader): Pick<Receipt, 'status'> | Pick<Receipt, 'postState'> {
  const bytes = fields.bytes('status or postState')
  if (bytes.length === 32) return { postState: bytes }
  if (bytes.length === 0) return { status: false }
  if (bytes.length === 1 && bytes[0] === 1) return { status: true }
  throw fields.invalid(`status or postState of ${bytes.length} bytes`)
}

function writeLogs(logs: readonly Log[], out: ReverseRlp): void {
  const end = out.length
  for (let i = logs.length - 1; i >= 0; i--) {
    const { address, topics, data } = logs[i] as Log
    const logEnd = out.length
    out.string(data)
    out.strings(topics)
    out.string(address)
    out.list(logEnd)
  }
  out.list(end)
}

/** @throws {NodeError} with the code of the reader's kind */
export function decodeLogs(items: FieldReader): Log[] {
  const logs: Log[] = []
  while (items.remaining > 0) {
    const fields = items.nested('log')
    const address = fields.fixed('log address', 20)
    const topics = decodeTopics(fields.nested('log topics'))
    const data = fields.bytes('log data')
    fields.end()
    logs.push({ address, topics, data })
  }
  return logs
}

function decodeTopics(items: FieldReader): Uint8Array[] {
  const topics: Uint8Array[] = []
  while (items.remaining > 0) topics.push(items.fixed('log topic', 32))
  if (topics.length > MAX_LOG_TOPICS) throw items.invalid(`${topics.length} log topics`)
  return topics
}

/** @throws {NodeError} with the code of the kind */
export function receiptType(kind: EncodedKind, type: number): Receipt['type'] {
  if (type === 0 || type === 1 || type === 2 || type === 3 || type === 4) return type
  throw encodingError(kind, `type ${type}`)
}

/** Pairs of position and value of the non-zero bytes; the bloom itself when that is not longer. */
function packBloom(bloom: Uint8Array): Uint8Array {
  if (bloom === EMPTY_BLOOM) return EMPTY_BYTES
  let count = 0
  for (let i = 0; i < BLOOM_BYTES; i++) if (bloom[i] !== 0) count++
  if (count * 2 >= BLOOM_BYTES) return bloom
  const packed = new Uint8Array(count * 2)
  for (let i = 0, at = 0; i < BLOOM_BYTES; i++) {
    if (bloom[i] === 0) continue
    packed[at++] = i
    packed[at++] = bloom[i] as number
  }
  return packed
}

/** @throws {NodeError} INVALID_RECEIPT_ENCODING */
export function unpackBloom(packed: Uint8Array): Uint8Array {
  if (packed.length === 0) return EMPTY_BLOOM
  if (packed.length === BLOOM_BYTES) return packed
  if (packed.length & 1 || packed.length > BLOOM_BYTES) throw encodingError(STORED, 'its bloom is damaged')
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (let at = 0; at < packed.length; at += 2) bloom[packed[at] as number] = packed[at + 1] as number
  return bloom
}
