import { hash32 } from '../../../codecs/scalars.ts'
import { NO_TRACE_OPTIONS, traceOptions } from '../../../codecs/traceOptions.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../../method.ts'
import { TRACE_OPTIONS, TRANSACTION_HASH } from '../../support/parameterTexts.ts'
import { debugTracedTransaction } from '../../support/traceSubjects.ts'
import { isTraceable, type TraceBackend, trace, tracedTransaction, traceErrors, untraceable } from './tracing.ts'

export const traceTransaction: MethodDefinition<TraceBackend> = defineMethod({
  name: 'debug_traceTransaction',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'Trace of a mined transaction: opcode by opcode, or the result of a named tracer.',
  params: [param('hash', hash32, TRANSACTION_HASH), optional('options', traceOptions, TRACE_OPTIONS)],
  isHeavy: true,
  subjectOf: debugTracedTransaction,
  result: result('trace', trace),
  errors: traceErrors,
  handler: (backend: TraceBackend, [hash, given = NO_TRACE_OPTIONS], context) => {
    const location = backend.chain.transactionLocation(hash)
    const header = location && backend.chain.headerByHash(location.blockHash)
    if (location === undefined || header === undefined) {
      return untraceable(backend, 'TRANSACTION_NOT_FOUND', 'transaction not found')
    }
    if (!isTraceable(backend, header, given)) return undefined
    return tracedTransaction(backend, header, location.index, given, context)
  },
})
