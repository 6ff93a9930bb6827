import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
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
import { estimateGas } from './estimateGas.ts'
import { baseFee, blobBaseFee, gasPrice, maxPriorityFeePerGas } from './fees.ts'
import { accounts, chainId, coinbase, hashrate, mining, protocolVersion, syncing } from './node.ts'
import { sendRawTransaction } from './sendRawTransaction.ts'
import { getBalance, getCode, getStorageAt, getTransactionCount } from './state.ts'
import { subscribe, unsubscribe } from './subscriptions.ts'
import {
  getBlockReceipts,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
} from './transactions.ts'

/** Methods that most clients call first. */
export const commonEthMethods: readonly MethodDefinition<RpcBackend>[] = [
  accounts,
  baseFee,
  blobBaseFee,
  blockNumber,
  call,
  chainId,
  coinbase,
  estimateGas,
  gasPrice,
  getBalance,
  getBlockByHash,
  getBlockByNumber,
  getBlockReceipts,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getCode,
  getStorageAt,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionCount,
  getTransactionReceipt,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
  hashrate,
  maxPriorityFeePerGas,
  mining,
  protocolVersion,
  sendRawTransaction,
  subscribe,
  syncing,
  unsubscribe,
]
