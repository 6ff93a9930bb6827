/**
 * Receipts and logs.
 * @see docs/reference/eth-objects.md section 4; execution-apis ReceiptInfo, Log
 * @module
 */
import type { LogView, ReceiptView } from '../../api/viewTypes.ts'
import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import { effectiveGasPrice, GAS_PER_BLOB } from '../../chain/fees.ts'
import type { Codec } from '../method.ts'
import { LOG, RECEIPT } from './schemas.ts'
import { answerCodec } from './support.ts'

function receiptLogs(view: ReceiptView): unknown[] {
  const blockNumber = quantity(view.blockNumber)
  const transactionHash = bytesToHex(view.hash)
  const transactionIndex = quantity(view.index)
  const blockHash = bytesToHex(view.blockHash)
  return view.receipt.logs.map((log, at) => ({
    address: bytesToHex(log.address),
    topics: log.topics.map(bytesToHex),
    data: bytesToHex(log.data),
    blockNumber,
    transactionHash,
    transactionIndex,
    blockHash,
    logIndex: quantity(view.firstLogIndex + at),
    removed: false,
  }))
}

export function serializeReceipt(view: ReceiptView): Record<string, unknown> {
  const { receipt, transaction } = view
  const json: Record<string, unknown> = {
    blockHash: bytesToHex(view.blockHash),
    blockNumber: quantity(view.blockNumber),
    contractAddress: receipt.contractAddress === undefined ? null : bytesToHex(receipt.contractAddress),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    from: bytesToHex(view.from),
    gasUsed: quantity(receipt.gasUsed),
    effectiveGasPrice: quantity(effectiveGasPrice(transaction, view.baseFeePerGas)),
  }
  if (transaction.type === 3) {
    json['blobGasUsed'] = quantity(BigInt(transaction.blobVersionedHashes.length) * GAS_PER_BLOB)
    if (view.blobBaseFee !== undefined) json['blobGasPrice'] = quantity(view.blobBaseFee)
  }
  json['logs'] = receiptLogs(view)
  json['logsBloom'] = bytesToHex(receipt.logsBloom)
  if (receipt.postState !== undefined) json['root'] = bytesToHex(receipt.postState)
  else json['status'] = receipt.status === true ? '0x1' : '0x0'
  json['to'] = transaction.to === undefined ? null : bytesToHex(transaction.to)
  json['transactionHash'] = bytesToHex(view.hash)
  json['transactionIndex'] = quantity(view.index)
  if (receipt.revertReason !== undefined) json['revertReason'] = bytesToHex(receipt.revertReason)
  json['type'] = quantity(receipt.type)
  return json
}

export function serializeLog(view: LogView): Record<string, unknown> {
  return {
    logIndex: quantity(view.logIndex),
    removed: view.removed,
    blockNumber: quantity(view.blockNumber),
    blockHash: bytesToHex(view.blockHash),
    transactionHash: bytesToHex(view.transactionHash),
    transactionIndex: quantity(view.transactionIndex),
    address: bytesToHex(view.log.address),
    data: bytesToHex(view.log.data),
    topics: view.log.topics.map(bytesToHex),
  }
}

export const receipt: Codec<ReceiptView> = answerCodec(RECEIPT, serializeReceipt)

export const log: Codec<LogView> = answerCodec(LOG, serializeLog)
