import { findHeader } from '../../../api/lookup.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { BLOCK } from '../support/parameterTexts.ts'
import { flatTracedNumber } from '../support/traceSubjects.ts'
import { FlatList, traceCalls } from './flatTraces.ts'
import { flatTracesOrNull } from './results.ts'
import { limitsOf, replayErrors, type TraceBackend, traceableBlock } from './traceBackend.ts'

export const traceBlock: MethodDefinition<TraceBackend> = defineMethod({
  name: 'trace_block',
  group: 'TRACE',
  summary: 'Calls, creations and self-destructs of all transactions of a block, and the block rewards.',
  params: [param('block', blockNumberOrTag, BLOCK)],
  result: result('traces', flatTracesOrNull),
  errors: replayErrors,
  isHeavy: true,
  subjectOf: flatTracedNumber,
  handler: (backend: TraceBackend, [reference], context) => {
    const header = findHeader(backend.chain, reference)
    if (header === undefined) return null
    const block = traceableBlock(backend, header)
    if (block === undefined) return []
    return new StreamedResult(async (out) => {
      const list = new FlatList(out)
      out.ascii('[')
      await traceCalls(
        backend,
        block,
        { use: (index, entries) => list.entries(block, index, entries) },
        limitsOf(context),
        out,
      )
      list.rewards(backend, block)
      out.ascii(']')
    })
  },
})
