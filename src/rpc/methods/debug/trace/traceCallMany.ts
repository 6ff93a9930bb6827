import { LATEST } from '../../../../api/blockReference.ts'
import type { CallObject } from '../../../../api/calls/contract.ts'
import { callBlock } from '../../../../api/calls/environment.ts'
import { callFailure } from '../../../../api/calls/failure.ts'
import type { BlockOverrides } from '../../../../api/calls/overrides.ts'
import { callChargesFees, prepareCall } from '../../../../api/calls/prepareCall.ts'
import { invalidParams, unexpectedValue } from '../../../../api/errors.ts'
import { requireHeader } from '../../../../api/lookup.ts'
import { NodeError } from '../../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../../base/primitives/jsonWriter.ts'
import type { MutableState } from '../../../../state/contract.ts'
import type { TracerFactory } from '../../../../tracing/contract.ts'
import { selectTracer } from '../../../../tracing/tracers.ts'
import { blockNumberOrTagOrHash } from '../../../codecs/blockParameter.ts'
import { genericTransaction } from '../../../codecs/callObject.ts'
import { blockOverrides } from '../../../codecs/overrides.ts'
import { answerCodec, arrayOf, asObject, member, parameterCodec } from '../../../codecs/support.ts'
import { NO_TRACE_OPTIONS, traceOptions } from '../../../codecs/traceOptions.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../../method.ts'
import { StreamedResult } from '../../../streamedResult.ts'
import { callErrors } from '../../support/callErrors.ts'
import { TRACE_OPTIONS } from '../../support/parameterTexts.ts'
import { type CallTraceBackend, scriptErrors } from './tracing.ts'

/** Calls of one simulated block. */
interface Bundle {
  readonly calls: readonly CallObject[]
  readonly overrides: BlockOverrides | undefined
}

const calls = arrayOf(genericTransaction)

const bundle: Codec<Bundle> = parameterCodec(
  {
    title: 'Bundle',
    type: 'object',
    required: ['transactions'],
    properties: { transactions: calls.schema, blockOverride: blockOverrides.schema },
  },
  (value, profile) => {
    const fields = asObject(value, 'bundle')
    const list = member(fields, 'transactions', calls, profile)
    if (list === undefined) throw unexpectedValue('a list of transactions', 'none', 'bundle.transactions')
    return { calls: list, overrides: member(fields, 'blockOverride', blockOverrides, profile) }
  },
)

/** The block on whose state the calls run. */
const simulationContext = parameterCodec(
  { title: 'SimulationContext', type: 'object', properties: { blockNumber: blockNumberOrTagOrHash.schema } },
  (value, profile) => {
    const fields = asObject(value, 'context')
    const index = fields['transactionIndex']
    if (index !== undefined && index !== null && index !== -1) {
      throw invalidParams('transactionIndex: only the state after the whole block (-1) is supported')
    }
    return member(fields, 'blockNumber', blockNumberOrTagOrHash, profile) ?? LATEST
  },
)

const tracesOfBundles = answerCodec<undefined>(
  { type: 'array', items: { type: 'array', items: { title: 'Trace', type: 'object' } } },
  () => null,
)

export const traceCallMany: MethodDefinition<CallTraceBackend> = defineMethod({
  name: 'debug_traceCallMany',
  group: 'DEBUG',
  answeredBy: 'any',
  summary:
    'Traces of calls on top of a block, in bundles with their own block overrides. Each call runs on the state that ' +
    'the preceding one leaves.',
  params: [
    param(
      'bundles',
      arrayOf(bundle),
      'Lists of calls (`transactions`), each with the `blockOverride` of the block in which they run.',
    ),
    optional(
      'context',
      simulationContext,
      '`blockNumber`: the block on whose state the calls run, default `latest`. `transactionIndex`: only -1, the state after the block.',
    ),
    optional('options', traceOptions, TRACE_OPTIONS),
  ],
  isHeavy: true,
  result: result('traces', tracesOfBundles),
  errors: [...callErrors, 'RESPONSE_TOO_LARGE', ...scriptErrors],
  handler: (backend: CallTraceBackend, [bundles, block, options], context) => {
    const traceOptions = options ?? NO_TRACE_OPTIONS
    const selection = selectTracer(traceOptions, backend.options, backend.scripts)
    const header = requireHeader(backend.chain, block ?? LATEST, backend.pending)
    const limits = backend.calls.limits(context, traceOptions.timeoutMs ?? backend.options.callTimeoutMs)
    const state = backend.states.mutable(header)
    if (state === undefined) throw new NodeError({ code: 'CALL_STATE_UNAVAILABLE' }, 'historical state unavailable')

    const run = async (
      out: JsonWriter,
      { calls: list, overrides }: Bundle,
      on: MutableState,
      factory: TracerFactory,
    ): Promise<void> => {
      const simulated = callBlock(backend, header, overrides)
      for (const [i, call] of list.entries()) {
        if (i > 0) out.ascii(',')
        const prepared = prepareCall(call, simulated, backend.options, callChargesFees(call, simulated))
        const outcome = await backend.calls.run({
          state: on,
          block: prepared.block,
          transaction: prepared.transaction,
          movedPrecompiles: undefined,
          collectAccessed: false,
          transferLogs: false,
          tracer: factory(out),
          limits,
        })
        const failure = outcome.kind === 'invalid' ? callFailure(outcome) : undefined
        if (failure !== undefined) throw failure
        if (out.isFull) await out.drained()
      }
    }

    return new StreamedResult((out) =>
      selection.run(
        async (factory) => {
          out.ascii('[')
          for (const [i, calls] of bundles.entries()) {
            out.ascii(i > 0 ? ',[' : '[')
            await run(out, calls, state, factory)
            out.ascii(']')
          }
          out.ascii(']')
        },
        { isOnce: true },
      ),
    )
  },
})
