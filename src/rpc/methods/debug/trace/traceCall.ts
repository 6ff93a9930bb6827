import { LATEST } from '../../../../api/blockReference.ts'
import { CallSimulation } from '../../../../api/calls/callSimulation.ts'
import { callFailure } from '../../../../api/calls/failure.ts'
import { callChargesFees } from '../../../../api/calls/prepareCall.ts'
import { selectTracer } from '../../../../tracing/tracers.ts'
import { blockNumberOrTagOrHash } from '../../../codecs/blockParameter.ts'
import { genericTransaction } from '../../../codecs/callObject.ts'
import { NO_TRACE_OPTIONS, traceCallOptions } from '../../../codecs/traceOptions.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../../method.ts'
import { StreamedResult } from '../../../streamedResult.ts'
import { callErrors } from '../../support/callErrors.ts'
import { CALL, CALL_BLOCK, TRACE_OPTIONS } from '../../support/parameterTexts.ts'
import { type CallTraceBackend, scriptErrors, trace } from './tracing.ts'

export const traceCall: MethodDefinition<CallTraceBackend> = defineMethod({
  name: 'debug_traceCall',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'Trace of a call on top of a block, without a transaction.',
  params: [
    param('call', genericTransaction, CALL),
    optional('block', blockNumberOrTagOrHash, CALL_BLOCK),
    optional(
      'options',
      traceCallOptions,
      `${TRACE_OPTIONS} \`stateOverrides\` and \`blockOverrides\` change state and block.`,
    ),
  ],
  isHeavy: true,
  result: result('trace', trace),
  errors: [...callErrors, 'RESPONSE_TOO_LARGE', ...scriptErrors],
  handler: (backend: CallTraceBackend, [transaction, block, options], context) => {
    const traceOptions = options ?? NO_TRACE_OPTIONS
    const selection = selectTracer(traceOptions, backend.options, backend.scripts)
    const { stateOverrides, blockOverrides, timeoutMs } = traceOptions
    const simulationOptions = { block: block ?? LATEST, stateOverrides, blockOverrides, timeoutMs }
    const simulation = new CallSimulation(backend, simulationOptions, context)
    const chargesFees = callChargesFees(transaction, simulation.block)
    return new StreamedResult((out) =>
      selection.run(async (factory) => {
        const outcome = await simulation.run(transaction, { chargesFees, tracer: factory(out) })
        const failure = outcome.kind === 'invalid' ? callFailure(outcome) : undefined
        if (failure !== undefined) throw failure
      }),
    )
  },
})
