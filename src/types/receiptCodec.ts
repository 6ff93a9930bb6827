/**
 * Receipts: the consensus encoding, and the compact form in the store.
 * @see Yellow Paper 4.3.1; EIP-658, EIP-2718
 * @module
 */
import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts'
import { type DecodedItem, type RlpItem, rlpDecodeList, rlpEncode } from '../rlp/rlp.ts'
import { logsBloom } from './bloom.ts'
import type { Log, Receipt, StoredReceipt } from './receipt.ts'
import { readBytes, readFixed, readList, readScalar, readTuple } from './scalar.ts'

const SUCCESS = Uint8Array.of(1)
const UINT64 = 8

function encodeLogs(logs: readonly Log[]): RlpItem {
  return logs.map((log) => [log.address, [...log.topics], log.data])
}

function outcome(receipt: Receipt): Uint8Array {
  if (receipt.postState !== undefined) return receipt.postState
  return receipt.status === true ? SUCCESS : EMPTY_BYTES
}

/** What the receipts trie holds: RLP for type 0, else type ‖ RLP. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const payload = rlpEncode([
    outcome(receipt),
    bigIntToBytes(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    encodeLogs(receipt.logs),
  ])
  return receipt.type === 0 ? payload : concatBytes(Uint8Array.of(receipt.type), payload)
}

/** All receipts of a block for the store; blooms are left out and computed again when read. */
export function encodeStoredReceipts(receipts: readonly StoredReceipt[]): Uint8Array {
  return rlpEncode(
    receipts.map((receipt) => [
      receipt.type === 0 ? EMPTY_BYTES : Uint8Array.of(receipt.type),
      outcome(receipt),
      bigIntToBytes(receipt.cumulativeGasUsed),
      bigIntToBytes(receipt.gasUsed),
      receipt.contractAddress ?? EMPTY_BYTES,
      receipt.revertReason === undefined ? [] : [receipt.revertReason],
      encodeLogs(receipt.logs),
    ]),
  )
}

/**
 * @throws {NodeError} INVALID_RLP, INVALID_ENCODING
 */
export function decodeStoredReceipts(bytes: Uint8Array): StoredReceipt[] {
  return rlpDecodeList(bytes).map(decodeStoredReceipt)
}

function decodeStoredReceipt(item: DecodedItem): StoredReceipt {
  const fields = readTuple(item, 7, 'receipt')
  const result = readBytes(fields[1], 'outcome')
  const contractAddress = readBytes(fields[4], 'contractAddress')
  const [revertReason] = readList(fields[5], 'revertReason')
  const logs = readList(fields[6], 'logs').map(decodeLog)
  return {
    type: Number(readScalar(fields[0], 1, 'type')) as StoredReceipt['type'],
    ...(result.length === 32 ? { postState: result } : { status: result.length === 1 }),
    cumulativeGasUsed: readScalar(fields[2], UINT64, 'cumulativeGasUsed'),
    gasUsed: readScalar(fields[3], UINT64, 'gasUsed'),
    ...(contractAddress.length === 20 ? { contractAddress } : {}),
    ...(revertReason === undefined ? {} : { revertReason: readBytes(revertReason, 'revertReason') }),
    logsBloom: logsBloom(logs),
    logs,
  }
}

function decodeLog(item: DecodedItem): Log {
  const [address, topics, data] = readTuple(item, 3, 'log')
  return {
    address: readFixed(address, 20, 'log address'),
    topics: readList(topics, 'topics').map((topic) => readFixed(topic, 32, 'topic')),
    data: readBytes(data, 'log data'),
  }
}
