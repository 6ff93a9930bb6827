import type { MethodDefinition } from '../rpc/method.ts'
import {
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
} from '../rpc/methods/eth/blocks.ts'
import { createAccessList } from '../rpc/methods/eth/createAccessList.ts'
import { feeHistory } from '../rpc/methods/eth/feeHistory.ts'
import { getLogs } from '../rpc/methods/eth/logs.ts'
import { simulateV1 } from '../rpc/methods/eth/simulateV1.ts'
import type { VerifiedBackend } from './verifiedView.ts'

/** Proven methods that few pages call. */
export const furtherMethods: readonly MethodDefinition<VerifiedBackend>[] = [
  createAccessList,
  feeHistory,
  getLogs,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
  simulateV1,
]
