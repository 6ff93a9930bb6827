/** The targets of the methods about steps: a mined transaction, or a call. */
import { type BlockNumberOrTagOrHash, LATEST } from '../../../../api/blockReference.ts'
import { CallSimulation } from '../../../../api/calls/callSimulation.ts'
import type { CallObject } from '../../../../api/calls/contract.ts'
import { callFailure } from '../../../../api/calls/failure.ts'
import type { AccountOverride, BlockOverrides } from '../../../../api/calls/overrides.ts'
import { callChargesFees } from '../../../../api/calls/prepareCall.ts'
import { unexpectedValue } from '../../../../api/errors.ts'
import { MAX_STEP_RUN_MS } from '../../../../base/limits/limits.ts'
import { bytesToHexUnprefixed } from '../../../../base/primitives/bytes.ts'
import { described } from '../../../../base/primitives/printable.ts'
import type { ChainHeader } from '../../../../chain/contract.ts'
import type { Tracer } from '../../../../tracing/contract.ts'
import type { StepExecution } from '../../../../tracing/steps/execution.ts'
import { StepRun } from '../../../../tracing/steps/stepRun.ts'
import { blockNumberOrTagOrHash } from '../../../codecs/blockParameter.ts'
import { genericTransaction } from '../../../codecs/callObject.ts'
import { blockOverrides, stateOverrides } from '../../../codecs/overrides.ts'
import { hash32 } from '../../../codecs/scalars.ts'
import { asObject, member, parameterCodec } from '../../../codecs/support.ts'
import type { Codec, RequestContext } from '../../../method.ts'
import { StreamedResult } from '../../../streamedResult.ts'
import { callErrors } from '../../support/callErrors.ts'
import { type CallTraceBackend, isTraceable, type TraceBackend, untraceable } from '../trace/tracing.ts'

export interface StepsBackend extends TraceBackend, CallTraceBackend {}

interface TargetCall {
  readonly call: CallObject
  readonly block: BlockNumberOrTagOrHash
  readonly stateOverrides: readonly AccountOverride[] | undefined
  readonly blockOverrides: BlockOverrides | undefined
}

/** The hash of a transaction, or a call. */
export type StepTarget = Uint8Array | TargetCall

/** Error codes of all methods with a target. */
export const targetErrors: readonly string[] = [
  'NOT_TRACEABLE',
  'GENESIS_NOT_TRACEABLE',
  'TRANSACTION_NOT_FOUND',
  'WORLD_STATE_UNAVAILABLE',
  'REPLAY_FAILED',
  ...callErrors,
]

const call: Codec<TargetCall> = parameterCodec(
  {
    title: 'Call',
    type: 'object',
    required: ['call'],
    properties: {
      call: genericTransaction.schema,
      block: blockNumberOrTagOrHash.schema,
      stateOverrides: stateOverrides.schema,
      blockOverrides: blockOverrides.schema,
    },
  },
  (value, profile) => {
    const fields = asObject(value, 'target')
    const transaction = member(fields, 'call', genericTransaction, profile)
    if (transaction === undefined) throw unexpectedValue('a call', 'none', 'target.call')
    return {
      call: transaction,
      block: member(fields, 'block', blockNumberOrTagOrHash, profile) ?? LATEST,
      stateOverrides: member(fields, 'stateOverrides', stateOverrides, profile),
      blockOverrides: member(fields, 'blockOverrides', blockOverrides, profile),
    }
  },
)

export const stepTarget: Codec<StepTarget> = parameterCodec(
  { title: 'Target', oneOf: [hash32.schema, call.schema] },
  (value, profile) => {
    if (typeof value === 'string') return hash32.parse(value, profile)
    if (typeof value === 'object' && value !== null) return call.parse(value, profile)
    throw unexpectedValue('the hash of a transaction, or an object with a call', described(value))
  },
)

export const STEP_TARGET: string =
  'Hash of a mined transaction; or an object with `call`, as in `eth_call`, and as options the `block` on whose state it ' +
  'runs, `stateOverrides` and `blockOverrides`.'

/** The answer of a method that executes a target, made when it is sent. */
export function stepAnswer<T>(codec: Codec<T>, answer: () => Promise<T>): StreamedResult {
  return new StreamedResult(async (out) => out.value(codec.serialize(await answer())))
}

/**
 * Prepares the executions of a target.
 * @returns undefined when there is nothing to execute, in the profile `besu`
 * @throws {NodeError} codes of `targetErrors`
 */
export function stepRunOf(backend: StepsBackend, target: StepTarget, context: RequestContext): StepRun | undefined {
  return target instanceof Uint8Array
    ? transactionRun(backend, target, context)
    : new StepRun(callExecution(backend, target, context))
}

function transactionRun(backend: StepsBackend, hash: Uint8Array, { signal }: RequestContext): StepRun | undefined {
  const { chain, tracing } = backend
  const location = chain.transactionLocation(hash)
  const header = location && chain.headerByHash(location.blockHash)
  if (location === undefined || header === undefined) {
    return untraceable(backend, 'TRANSACTION_NOT_FOUND', 'transaction not found')
  }
  if (!isTraceable(backend, header, { timeoutMs: undefined })) return undefined
  const { index } = location
  const limits = { signal, timeoutMs: MAX_STEP_RUN_MS }
  const execute: StepExecution = (tracer) => {
    const plan = { tracerFor: (at: number) => (at === index ? tracer : undefined), end: index + 1 }
    return tracing.block(header, plan, limits)
  }
  return new StepRun(execute, tracing.summaries.place(keyOf(backend, header, index)))
}

/** Names the transaction and the state before its block; undefined where the block alone does not determine them. */
function keyOf({ chain }: StepsBackend, header: ChainHeader, index: number): string | undefined {
  const parent = chain.parentOf(header)
  if (parent === undefined || parent.dev !== undefined) return undefined
  return `${bytesToHexUnprefixed(header.hash)} ${bytesToHexUnprefixed(parent.stateRoot.hash)} ${index}`
}

/** All executions of a request are on the same block, and share one deadline. */
function callExecution(backend: StepsBackend, target: TargetCall, context: RequestContext): StepExecution {
  const simulation = new CallSimulation(backend, target, context)
  const chargesFees = callChargesFees(target.call, simulation.block)
  return async (tracer: Tracer) => {
    const outcome = await simulation.run(target.call, { chargesFees, tracer })
    const failure = outcome.kind === 'invalid' ? callFailure(outcome) : undefined
    if (failure !== undefined) throw failure
  }
}
