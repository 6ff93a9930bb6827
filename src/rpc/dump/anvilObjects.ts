/**
 * Parts of a state dump in the form of anvil, as JSON values.
 * @module
 */

import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { BlockBody } from '../../types/block.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type { Transaction } from '../../types/transaction.ts'
import { serializeBlock, serializeWithdrawal } from '../codecs/block.ts'
import { serializeWaitingTransaction } from '../codecs/transaction.ts'

/** A transaction with the data that do not follow from it. */
export interface DumpedTransaction {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  readonly from: Uint8Array
  readonly isImpersonated: boolean
}

/** @param blobGasPrice wei */
export function blockEnvironment({ header }: ChainHeader, blobGasPrice: bigint): unknown {
  return {
    number: quantity(header.number),
    beneficiary: bytesToHex(header.beneficiary),
    timestamp: quantity(header.timestamp),
    gas_limit: Number(header.gasLimit),
    basefee: Number(header.baseFeePerGas ?? 0n),
    difficulty: quantity(header.difficulty),
    prevrandao: bytesToHex(header.mixHash),
    blob_excess_gas_and_price: {
      excess_blob_gas: Number(header.excessBlobGas ?? 0n),
      blob_gasprice: Number(blobGasPrice),
    },
    slot_num: 0,
  }
}

export function blockObject(
  { header, hash, totalDifficulty }: ChainHeader,
  { withdrawals }: BlockBody,
  transactions: readonly DumpedTransaction[],
): Record<string, unknown> {
  const view = { header, hash, totalDifficulty, size: 0, ommerHashes: [], transactions: [], withdrawals: undefined }
  const { hash: _, size, uncles, transactions: __, totalDifficulty: ___, ...fields } = serializeBlock(view)
  return {
    header: fields,
    transactions: transactions.map(transactionObject),
    ommers: [],
    withdrawals: withdrawals === undefined || withdrawals.length === 0 ? null : withdrawals.map(serializeWithdrawal),
  }
}

function transactionObject(dumped: DumpedTransaction): unknown {
  const { blockHash, blockNumber, transactionIndex, blockTimestamp, from, gasPrice, ...common } =
    serializeWaitingTransaction(dumped)
  const fields = 'gasPrice' in dumped.transaction ? { ...common, gasPrice } : common
  return { transaction: fields, impersonated_sender: dumped.isImpersonated ? bytesToHex(dumped.from) : null }
}

export function minedObject(
  { hash: blockHash, header }: ChainHeader,
  { transaction, hash, from }: DumpedTransaction,
  index: number,
  receipt: StoredReceipt,
): unknown {
  const succeeded = receipt.status !== false
  return {
    info: {
      transaction_hash: bytesToHex(hash),
      transaction_index: index,
      from: bytesToHex(from),
      to: transaction.to === undefined ? null : bytesToHex(transaction.to),
      contract_address: receipt.contractAddress === undefined ? null : bytesToHex(receipt.contractAddress),
      traces: [],
      exit: succeeded ? 'Stop' : 'Revert',
      out: receipt.revertReason === undefined ? null : bytesToHex(receipt.revertReason),
      nonce: Number(transaction.nonce),
      gas_used: Number(receipt.gasUsed),
    },
    receipt: {
      type: quantity(receipt.type),
      status: succeeded ? '0x1' : '0x0',
      cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
      logs: receipt.logs.map(({ address, topics, data }) => ({
        address: bytesToHex(address),
        topics: topics.map(bytesToHex),
        data: bytesToHex(data),
      })),
      logsBloom: bytesToHex(receipt.logsBloom),
    },
    block_hash: bytesToHex(blockHash),
    block_number: Number(header.number),
  }
}
