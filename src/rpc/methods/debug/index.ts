import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { accountAt } from './accountAt.ts'
import { accountRange } from './accountRange.ts'
import { getBadBlocks } from './badBlocks.ts'
import { batchSendRawTransaction } from './batchSendRawTransaction.ts'
import { codeByHash } from './codeByHash.ts'
import { replayBlock, resyncWorldState, setHead } from './control.ts'
import { dumpBlock } from './dumpBlock.ts'
import { metrics } from './metrics.ts'
import { getRawBlock, getRawHeader, getRawReceipts, getRawTransaction } from './raw.ts'
import { standardTraceBadBlockToFile, standardTraceBlockToFile } from './standardTrace.ts'
import { findStep } from './steps/findStep.ts'
import { traceSteps } from './steps/traceSteps.ts'
import { storageRangeAt } from './storageRangeAt.ts'
import { subscribe, unsubscribe } from './subscribe.ts'
import { traceBlock, traceBlockByHash, traceBlockByNumber } from './trace/traceBlock.ts'
import { traceCall } from './trace/traceCall.ts'
import { traceCallMany } from './trace/traceCallMany.ts'
import { traceTransaction } from './trace/traceTransaction.ts'

export const debugMethods: readonly MethodDefinition<RpcBackend>[] = [
  accountAt,
  accountRange,
  batchSendRawTransaction,
  codeByHash,
  dumpBlock,
  findStep,
  getBadBlocks,
  getRawBlock,
  getRawHeader,
  getRawReceipts,
  getRawTransaction,
  metrics,
  replayBlock,
  resyncWorldState,
  setHead,
  standardTraceBadBlockToFile,
  standardTraceBlockToFile,
  storageRangeAt,
  subscribe,
  traceBlock,
  traceBlockByHash,
  traceBlockByNumber,
  traceCall,
  traceCallMany,
  traceSteps,
  traceTransaction,
  unsubscribe,
]
