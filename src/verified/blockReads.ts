import type { MethodDefinition } from '../rpc/method.ts'
import {
  getBlockByHash,
  getBlockByNumber,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
} from '../rpc/methods/eth/blocks.ts'
import { feeHistory } from '../rpc/methods/eth/feeHistory.ts'
import { getLogs } from '../rpc/methods/eth/logs.ts'
import {
  getBlockReceipts,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
} from '../rpc/methods/eth/transactions.ts'
import type { ReadBackend } from './backend.ts'

/** Proven methods about the content of blocks. A page that only calls contracts does not load them. */
export const blockReads: readonly MethodDefinition<ReadBackend>[] = [
  feeHistory,
  getBlockByHash,
  getBlockByNumber,
  getBlockReceipts,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getLogs,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
]
