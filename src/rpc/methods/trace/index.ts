import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { traceBlock } from './block.ts'
import { traceCall, traceCallMany, traceRawTransaction } from './call.ts'
import { traceFilter } from './filter.ts'
import { traceReplayBlockTransactions } from './replayBlockTransactions.ts'
import { traceGet, traceReplayTransaction, traceTransaction } from './transaction.ts'

export const traceMethods: readonly MethodDefinition<RpcBackend>[] = [
  traceBlock,
  traceCall,
  traceCallMany,
  traceFilter,
  traceGet,
  traceRawTransaction,
  traceReplayBlockTransactions,
  traceReplayTransaction,
  traceTransaction,
]
