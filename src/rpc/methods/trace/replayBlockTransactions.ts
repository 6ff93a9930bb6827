import { findHeader } from '../../../api/lookup.ts'
import { TransactionTracer } from '../../../tracing/besu/transactionTracer.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { BLOCK, TRACE_TYPES } from '../support/parameterTexts.ts'
import { replayedNumber } from '../support/traceSubjects.ts'
import { transactionTracesOrNull } from './results.ts'
import { limitsOf, replayErrors, type TraceBackend, traceableBlock } from './traceBackend.ts'
import { traceTypes } from './traceTypes.ts'

export const traceReplayBlockTransactions: MethodDefinition<TraceBackend> = defineMethod({
  name: 'trace_replayBlockTransactions',
  group: 'TRACE',
  summary: 'Executes all transactions of a block again: their outputs and the requested traces.',
  params: [param('block', blockNumberOrTag, BLOCK), param('traceTypes', traceTypes, TRACE_TYPES)],
  result: result('traces', transactionTracesOrNull),
  errors: replayErrors,
  isHeavy: true,
  subjectOf: replayedNumber,
  handler: (backend: TraceBackend, [reference, types], context) => {
    const header = findHeader(backend.chain, reference)
    if (header === undefined) return null
    const block = traceableBlock(backend, header)
    if (block === undefined) return []
    return new StreamedResult(async (out) => {
      out.ascii('[')
      const plan = {
        tracerFor: (index: number): TransactionTracer => {
          if (index > 0) out.ascii(',')
          return new TransactionTracer(out, types, block.transactionHashes[index], backend.options.markerTarget)
        },
        traced: () => (out.isFull ? out.drained() : undefined),
      }
      await backend.tracing.block(block.header, plan, limitsOf(context))
      out.ascii(']')
    })
  },
})
