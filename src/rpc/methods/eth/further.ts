import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { getAccount, getAccountInfo } from './accountInfo.ts'
import { capabilities } from './capabilities.ts'
import { config } from './config.ts'
import { createAccessList } from './createAccessList.ts'
import { feeHistory } from './feeHistory.ts'
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
import { getProof, getStorageValues } from './proofs.ts'
import {
  getRawTransactionByBlockHashAndIndex,
  getRawTransactionByBlockNumberAndIndex,
  getRawTransactionByHash,
} from './rawTransactions.ts'
import { sendRawTransactionSync } from './sendRawTransactionSync.ts'
import { simulateV1 } from './simulateV1.ts'
import { getTransactionBySenderAndNonce } from './transactionBySender.ts'
import { getWork, submitHashrate, submitWork } from './work.ts'

/** The other methods of the namespace. */
export const furtherEthMethods: readonly MethodDefinition<RpcBackend>[] = [
  capabilities,
  config,
  createAccessList,
  feeHistory,
  fillTransaction,
  getAccount,
  getAccountInfo,
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
  getStorageValues,
  getTransactionBySenderAndNonce,
  getWork,
  newBlockFilter,
  newFilter,
  newPendingTransactionFilter,
  sendRawTransactionSync,
  simulateV1,
  submitHashrate,
  submitWork,
  uninstallFilter,
]
