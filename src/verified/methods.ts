/**
 * The methods whose answers are proven. They run here, on data that are proven.
 * @module
 */
import type { MethodDefinition } from '../rpc/method.ts'
import { blockNumber } from '../rpc/methods/eth/blockNumber.ts'
import { getBalance, getCode, getStorageAt, getTransactionCount } from '../rpc/methods/eth/state.ts'
import type { CallBackend, ReadBackend } from './backend.ts'

/** `isCall`: it executes code. */
export type ProvenMethod =
  | { readonly isCall: false; readonly definition: MethodDefinition<ReadBackend> }
  | { readonly isCall: true; readonly definition: MethodDefinition<CallBackend> }

const STATE_READS: readonly MethodDefinition<ReadBackend>[] = [
  blockNumber,
  getBalance,
  getCode,
  getStorageAt,
  getTransactionCount,
]

/** Methods that are loaded when one of them is called. */
const BLOCK_READS = [
  'eth_feeHistory',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getLogs',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
]
const FURTHER_CALLS = ['eth_createAccessList', 'eth_estimateGas', 'eth_simulateV1']

/** Methods whose answer is a block or an ommer. */
export const BLOCK_METHODS: ReadonlySet<string> = new Set([
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
])

/** @returns undefined for a method that is not proven */
export async function provenMethod(name: string): Promise<ProvenMethod | undefined> {
  if (name === 'eth_call') return { isCall: true, definition: (await import('./execution.ts')).call }
  if (FURTHER_CALLS.includes(name)) return furtherCall(name)
  const reads = BLOCK_READS.includes(name) ? (await import('./blockReads.ts')).blockReads : STATE_READS
  const definition = reads.find((each) => each.name === name)
  return definition && { isCall: false, definition }
}

async function furtherCall(name: string): Promise<ProvenMethod | undefined> {
  const { loadFurtherCalls } = await import('./furtherCalls.ts')
  const definition = (await loadFurtherCalls(name)).find((each) => each.name === name)
  return definition && { isCall: true, definition }
}
