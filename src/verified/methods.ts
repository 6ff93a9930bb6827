/**
 * The methods whose answers are proven. They run here, on data that are proven.
 * @module
 */
import type { MethodDefinition } from '../rpc/method.ts'
import { blockNumber } from '../rpc/methods/eth/blockNumber.ts'
import {
  getBlockByHash,
  getBlockByNumber,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
} from '../rpc/methods/eth/blocks.ts'
import { getBalance, getCode, getStorageAt, getTransactionCount } from '../rpc/methods/eth/state.ts'
import {
  getBlockReceipts,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
} from '../rpc/methods/eth/transactions.ts'
import type { CallBackend, ReadBackend } from './backend.ts'

/** `isCall`: it executes code. */
export type ProvenMethod =
  | { readonly isCall: false; readonly definition: MethodDefinition<ReadBackend> }
  | { readonly isCall: true; readonly definition: MethodDefinition<CallBackend> }

const READS: readonly MethodDefinition<ReadBackend>[] = [
  blockNumber,
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
]

/** Methods that are loaded when one of them is called. */
const FURTHER_READS = [
  'eth_feeHistory',
  'eth_getLogs',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
]
const CALLS = ['eth_call', 'eth_estimateGas']
const FURTHER_CALLS = ['eth_createAccessList', 'eth_simulateV1']

/** Methods whose answer is a block or an ommer. */
export const BLOCK_METHODS: ReadonlySet<string> = new Set([
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
])

/** @returns undefined for a method that is not proven */
export async function provenMethod(name: string): Promise<ProvenMethod | undefined> {
  if (CALLS.includes(name)) return callOf(name, (await import('./execution.ts')).callMethods)
  if (FURTHER_CALLS.includes(name)) return callOf(name, await (await import('./furtherCalls.ts')).loadFurtherCalls())
  const reads = FURTHER_READS.includes(name) ? (await import('./furtherReads.ts')).furtherReads : READS
  const definition = reads.find((each) => each.name === name)
  return definition && { isCall: false, definition }
}

function callOf(name: string, calls: readonly MethodDefinition<CallBackend>[]): ProvenMethod | undefined {
  const definition = calls.find((each) => each.name === name)
  return definition && { isCall: true, definition }
}
