import { type Query, useQuery } from '../../state/query.ts'
import { type CallNode, flattenCalls, type TracedCall } from './calls/callTree.ts'

/** The calls of a mined transaction, in the order of execution. */
export function useTrace(hash: string): Query<readonly CallNode[]> {
  return useQuery<readonly CallNode[]>(`calls ${hash}`, async (ask) =>
    flattenCalls(await ask<TracedCall>('debug_traceTransaction', hash, { tracer: 'callTracer' })),
  )
}
