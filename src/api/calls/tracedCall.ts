import {
  type AppliedMessage,
  applyMessage,
  type ExecutionContext,
  type TransactionMessage,
} from '../../chain/transition/applyMessage.ts'
import type { StartOptions } from '../../evm/evm.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Tracer } from '../../tracing/contract.ts'
import { StateRecorder } from '../../tracing/stateRecorder.ts'
import { beginTrace, endTrace } from '../../tracing/traceMessage.ts'
import type { SimulatedBlock } from './contract.ts'

export interface TracedCall {
  readonly message: TransactionMessage
  readonly state: MutableState
  readonly block: SimulatedBlock
  readonly context: ExecutionContext
  readonly options: StartOptions
  readonly tracer: Tracer
}

/** Applies a message, and tells a tracer of each step. */
export async function applyTraced(call: TracedCall): Promise<AppliedMessage> {
  const { message, state, block, context, options, tracer } = call
  const recorder = new StateRecorder(state)
  const place = { rules: block.rules, block: block.environment, hash: undefined }
  const traced = { ...options, ...beginTrace(tracer, recorder, message, place) }
  const applied = await applyMessage(message, recorder, context, traced)
  await endTrace(tracer, recorder, applied, context.control.residency)
  return applied
}
