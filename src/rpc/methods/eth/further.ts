import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { getAccount, getAccountInfo } from './accountInfo.ts'
import {
  getBlockByHash,
  getBlockByNumber,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
} from './blocks.ts'
import { capabilities } from './capabilities.ts'
import { config } from './config.ts'
import { createAccessList } from './createAccessList.ts'
import { estimateGas } from './estimateGas.ts'
import { feeHistory } from './feeHistory.ts'
import { baseFee, blobBaseFee, gasPrice, maxPriorityFeePerGas } from './fees.ts'
import { fillTransaction } from './fillTransaction.ts'
import {
  getFilterChanges,
  getFilterLogs,
  newBlockFilter,
  newFilter,
  newPendingTransactionFilter,
  uninstallFilter,
} from './filters.ts'
import { getHeaderByHash, getHeaderByNumber } from './headers.ts'
import { getLogs } from './logs.ts'
import { getMinerDataByBlockHash, getMinerDataByBlockNumber } from './minerData.ts'
import { coinbase, hashrate, mining, protocolVersion, syncing } from './node.ts'
import { getProof, getStorageValues } from './proofs.ts'
import {
  getRawTransactionByBlockHashAndIndex,
  getRawTransactionByBlockNumberAndIndex,
  getRawTransactionByHash,
} from './rawTransactions.ts'
import { sendRawTransaction } from './sendRawTransaction.ts'
import { sendRawTransactionSync } from './sendRawTransactionSync.ts'
import { simulateV1 } from './simulateV1.ts'
import { getStorageAt } from './state.ts'
import { getTransactionBySenderAndNonce } from './transactionBySender.ts'
import {
  getBlockReceipts,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
} from './transactions.ts'
import { getWork, submitHashrate, submitWork } from './work.ts'

/** The other methods of the namespace. */
export const furtherEthMethods: readonly MethodDefinition<RpcBackend>[] = [
  baseFee,
  blobBaseFee,
  capabilities,
  coinbase,
  config,
  createAccessList,
  estimateGas,
  feeHistory,
  fillTransaction,
  gasPrice,
  getAccount,
  getAccountInfo,
  getBlockByHash,
  getBlockByNumber,
  getBlockReceipts,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getFilterChanges,
  getFilterLogs,
  getHeaderByHash,
  getHeaderByNumber,
  getLogs,
  getMinerDataByBlockHash,
  getMinerDataByBlockNumber,
  getProof,
  getRawTransactionByBlockHashAndIndex,
  getRawTransactionByBlockNumberAndIndex,
  getRawTransactionByHash,
  getStorageAt,
  getStorageValues,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionBySenderAndNonce,
  getTransactionReceipt,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
  getWork,
  hashrate,
  maxPriorityFeePerGas,
  mining,
  newBlockFilter,
  newFilter,
  newPendingTransactionFilter,
  protocolVersion,
  sendRawTransaction,
  sendRawTransactionSync,
  simulateV1,
  submitHashrate,
  submitWork,
  syncing,
  uninstallFilter,
]
