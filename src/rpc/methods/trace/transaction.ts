import type { LoadedBlock } from '../../../api/views.ts'
import { type FlatEntry, traceAddress } from '../../../tracing/besu/flatTrace.ts'
import { TransactionTracer } from '../../../tracing/besu/transactionTracer.ts'
import { hash32, index as position } from '../../codecs/scalars.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { TRACE_TYPES, TRANSACTION_HASH } from '../support/parameterTexts.ts'
import { flatTracedTransaction, replayedTransaction } from '../support/traceSubjects.ts'
import { FlatList, traceCalls } from './flatTraces.ts'
import { flatTraceOrNull, flatTraces, transactionTraceOrNull } from './results.ts'
import { limitsOf, replayErrors, type TraceBackend, traceableBlock } from './traceBackend.ts'
import { traceTypes } from './traceTypes.ts'

/** A canonical transaction whose block can be executed again. */
interface LocatedTransaction {
  readonly block: LoadedBlock
  readonly index: number
}

function find(backend: TraceBackend, hash: Uint8Array): LocatedTransaction | undefined {
  const location = backend.chain.transactionLocation(hash)
  const header = location && backend.chain.headerByHash(location.blockHash)
  const block = header && traceableBlock(backend, header)
  return block === undefined || location === undefined ? undefined : { block, index: location.index }
}

export const traceTransaction: MethodDefinition<TraceBackend> = defineMethod({
  name: 'trace_transaction',
  group: 'TRACE',
  summary: 'Calls, creations and self-destructs of a transaction.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('traces', flatTraces),
  errors: replayErrors,
  isHeavy: true,
  subjectOf: flatTracedTransaction,
  handler: (backend: TraceBackend, [hash], context) => {
    const location = find(backend, hash)
    if (location === undefined) return []
    const { block, index } = location
    return new StreamedResult(async (out) => {
      const list = new FlatList(out)
      out.ascii('[')
      const use = (_: number, entries: readonly FlatEntry[]): void => list.entries(block, index, entries)
      await traceCalls(backend, block, { ...only(index), use }, limitsOf(context), out)
      out.ascii(']')
    })
  },
})

export const traceGet: MethodDefinition<TraceBackend> = defineMethod({
  name: 'trace_get',
  group: 'TRACE',
  summary: 'One call, creation or self-destruct of a transaction by its position; null when it does not exist.',
  params: [
    param('hash', hash32, TRANSACTION_HASH),
    param(
      'traceAddress',
      arrayOf(position),
      'Positions of the calls that lead to the entry, in hex; `[]` for the transaction itself.',
    ),
  ],
  exactParams: true,
  result: result('trace', flatTraceOrNull),
  errors: replayErrors,
  isHeavy: true,
  subjectOf: flatTracedTransaction,
  handler: (backend: TraceBackend, [hash, address], context) => {
    const location = find(backend, hash)
    if (location === undefined) return null
    const { block, index } = location
    const path = address.join()
    return new StreamedResult(async (out) => {
      let isFound = false
      const use = (_: number, entries: readonly FlatEntry[]): void => {
        const entry = entries.find((candidate) => traceAddress(candidate).join() === path)
        if (entry === undefined) return
        isFound = true
        new FlatList(out).entries(block, index, [entry])
      }
      await traceCalls(backend, block, { ...only(index), use }, limitsOf(context), out)
      if (!isFound) out.ascii('null')
    })
  },
})

export const traceReplayTransaction: MethodDefinition<TraceBackend> = defineMethod({
  name: 'trace_replayTransaction',
  group: 'TRACE',
  summary: 'Executes a mined transaction again: its output and the requested traces; null when it is unknown.',
  params: [param('hash', hash32, TRANSACTION_HASH), param('traceTypes', traceTypes, TRACE_TYPES)],
  result: result('trace', transactionTraceOrNull),
  errors: replayErrors,
  isHeavy: true,
  subjectOf: replayedTransaction,
  handler: (backend: TraceBackend, [hash, types], context) => {
    const location = find(backend, hash)
    if (location === undefined) return null
    const { block, index } = location
    return new StreamedResult((out) => {
      const tracerFor = (at: number): TransactionTracer | undefined =>
        at === index ? new TransactionTracer(out, types, hash, backend.options.markerTarget) : undefined
      return backend.tracing.block(block.header, { tracerFor, end: index + 1 }, limitsOf(context))
    })
  },
})

/** Selects the part of a block that one transaction needs. */
function only(index: number): { readonly wants: (at: number) => boolean; readonly end: number } {
  return { wants: (at) => at === index, end: index + 1 }
}
