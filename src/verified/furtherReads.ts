import type { MethodDefinition } from '../rpc/method.ts'
import {
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
} from '../rpc/methods/eth/blocks.ts'
import { feeHistory } from '../rpc/methods/eth/feeHistory.ts'
import { getLogs } from '../rpc/methods/eth/logs.ts'
import type { ReadBackend } from './backend.ts'

/** Proven methods that few pages call and that execute nothing. */
export const furtherReads: readonly MethodDefinition<ReadBackend>[] = [
  feeHistory,
  getLogs,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
]
