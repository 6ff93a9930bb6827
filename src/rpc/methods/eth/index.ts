import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { getAccount, getAccountInfo } from './accountInfo.ts'
import {
  blockNumber,
  getBlockByHash,
  getBlockByNumber,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
} from './blocks.ts'
import { call } from './call.ts'
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
import { accounts, chainId, coinbase, hashrate, mining, protocolVersion, syncing } from './node.ts'
import {
  getRawTransactionByBlockHashAndIndex,
  getRawTransactionByBlockNumberAndIndex,
  getRawTransactionByHash,
} from './rawTransactions.ts'
import { sendRawTransaction } from './sendRawTransaction.ts'
import { sendRawTransactionSync } from './sendRawTransactionSync.ts'
import { simulateV1 } from './simulateV1.ts'
import { getBalance, getCode, getProof, getStorageAt, getStorageValues, getTransactionCount } from './state.ts'
import { subscribe, unsubscribe } from './subscriptions.ts'
import { getTransactionBySenderAndNonce } from './transactionBySender.ts'
import {
  getBlockReceipts,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
} from './transactions.ts'
import { getWork, submitHashrate, submitWork } from './work.ts'

export const ethMethods: readonly MethodDefinition<RpcBackend>[] = [
  accounts,
  baseFee,
  blobBaseFee,
  blockNumber,
  call,
  capabilities,
  chainId,
  coinbase,
  config,
  createAccessList,
  estimateGas,
  feeHistory,
  fillTransaction,
  gasPrice,
  getAccount,
  getAccountInfo,
  getBalance,
  getBlockByHash,
  getBlockByNumber,
  getBlockReceipts,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getCode,
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
  getTransactionCount,
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
  subscribe,
  syncing,
  uninstallFilter,
  unsubscribe,
]
