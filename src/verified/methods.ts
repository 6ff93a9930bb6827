/**
 * The methods whose answers are proven.
 * @module
 */

import type { MethodDefinition } from '../rpc/method.ts'
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
} from '../rpc/methods/eth/blocks.ts'
import { call } from '../rpc/methods/eth/call.ts'
import { createAccessList } from '../rpc/methods/eth/createAccessList.ts'
import { estimateGas } from '../rpc/methods/eth/estimateGas.ts'
import { feeHistory } from '../rpc/methods/eth/feeHistory.ts'
import { getLogs } from '../rpc/methods/eth/logs.ts'
import { simulateV1 } from '../rpc/methods/eth/simulateV1.ts'
import { getBalance, getCode, getStorageAt, getTransactionCount } from '../rpc/methods/eth/state.ts'
import {
  getBlockReceipts,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
} from '../rpc/methods/eth/transactions.ts'
import type { VerifiedBackend } from './verifiedView.ts'

type Definition = MethodDefinition<VerifiedBackend>

/** Run here, on data that are proven. */
const DEFINITIONS: readonly Definition[] = [
  blockNumber,
  call,
  createAccessList,
  estimateGas,
  feeHistory,
  getBalance,
  getBlockByHash,
  getBlockByNumber,
  getBlockReceipts,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getCode,
  getLogs,
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
  simulateV1,
]

export const PROVEN_METHODS: ReadonlyMap<string, Definition> = new Map(DEFINITIONS.map((each) => [each.name, each]))

/** Methods that execute their first parameter on the state after the block that the second one names. */
export const CALL_METHODS: ReadonlySet<string> = new Set([call, createAccessList, estimateGas].map(({ name }) => name))

/** Methods whose answer is a block or an ommer. */
export const BLOCK_METHODS: ReadonlySet<string> = new Set(
  [getBlockByHash, getBlockByNumber, getUncleByBlockHashAndIndex, getUncleByBlockNumberAndIndex].map(
    ({ name }) => name,
  ),
)

export const SIMULATION: string = simulateV1.name
