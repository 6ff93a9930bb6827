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
import { call } from '../rpc/methods/eth/call.ts'
import { estimateGas } from '../rpc/methods/eth/estimateGas.ts'
import { getBalance, getCode, getStorageAt, getTransactionCount } from '../rpc/methods/eth/state.ts'
import {
  getBlockReceipts,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionReceipt,
} from '../rpc/methods/eth/transactions.ts'
import type { VerifiedBackend } from './verifiedView.ts'

export type ProvenMethod = MethodDefinition<VerifiedBackend>

const COMMON = byName([
  blockNumber,
  call,
  estimateGas,
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
])

/** Methods that are loaded when one of them is called. */
const FURTHER: ReadonlySet<string> = new Set([
  'eth_createAccessList',
  'eth_feeHistory',
  'eth_getLogs',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_simulateV1',
])

/** Methods whose answer is a block or an ommer. */
export const BLOCK_METHODS: ReadonlySet<string> = new Set([
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
])

/** @returns undefined for a method that is not proven */
export async function provenMethod(name: string): Promise<ProvenMethod | undefined> {
  const common = COMMON.get(name)
  if (common !== undefined || !FURTHER.has(name)) return common
  const { furtherMethods } = await import('./furtherMethods.ts')
  return byName(furtherMethods).get(name)
}

function byName(definitions: readonly ProvenMethod[]): ReadonlyMap<string, ProvenMethod> {
  return new Map(definitions.map((definition) => [definition.name, definition]))
}
