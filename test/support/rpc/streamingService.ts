/** Methods that write their results as they are produced, with a record of their progress. */

import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { JsonWriter } from '../../../src/base/primitives/jsonWriter.ts'
import { defineMethod, type MethodDefinition, optional, result } from '../../../src/rpc/method.ts'
import { StreamedResult } from '../../../src/rpc/streamedResult.ts'
import { cpuTimeMs } from '../host/cpuTime.ts'
import { anything, type TestBackend } from './rpcService.ts'

/** The record of all calls' writers. */
export interface WriterLog {
  /** Items written so far. */
  items: number
  readonly ended: ('done' | 'aborted')[]
  /** The processor time when the last writer ended. */
  endedAt: number
}

/** Characters of one item. */
export const ITEM_LENGTH = 1024
const ITEM = `"${'ü'.repeat((ITEM_LENGTH - 2) / 2)}"`
const ITEM_BYTES = new TextEncoder().encode(ITEM)

/** The expected result of `eth_stream` with this number of items. */
export function expectedItems(count: number): string[] {
  return Array.from({ length: count }, () => JSON.parse(ITEM))
}

async function writeItems(
  out: JsonWriter,
  count: number,
  signal: AbortSignal | undefined,
  log: WriterLog,
): Promise<void> {
  out.ascii('[')
  for (let i = 0; i < count; i++) {
    if (i > 0) out.ascii(',')
    out.raw(ITEM_BYTES)
    log.items++
    if (out.isFull) await out.drained()
    if (i % 16 === 15 && i > 80) await new Promise((resolve) => setImmediate(resolve))
    if (signal?.aborted === true) throw new NodeError({ code: 'EXECUTION_ABORTED' }, 'aborted')
  }
  out.ascii(']')
}

/**
 * `eth_stream(count, failure)`; `failure` is the error after the last item. `eth_streamAtOnce(count)` ignores back
 * pressure.
 */
export function streamingMethods(log: WriterLog): readonly MethodDefinition<TestBackend>[] {
  return [
    defineMethod({
      name: 'eth_stream',
      group: 'ETH',
      summary: 'Items, one after the other.',
      params: [optional('count', anything, 'Count.'), optional('failure', anything, 'Failure.')],
      result: result('items', anything),
      handler: (_backend: TestBackend, [count, failure], { signal }) =>
        new StreamedResult(async (out) => {
          try {
            await writeItems(out, Number(count), signal, log)
            if (failure === 'unexpected') throw new TypeError('secret detail')
            if (failure !== undefined) throw new NodeError({ code: String(failure) }, 'as asked for')
            log.ended.push('done')
          } catch (error) {
            log.ended.push('aborted')
            throw error
          } finally {
            log.endedAt = cpuTimeMs()
          }
        }),
    }),
    defineMethod({
      name: 'eth_streamAtOnce',
      group: 'ETH',
      summary: 'Items, all at once.',
      params: [optional('count', anything, 'Count.')],
      result: result('items', anything),
      handler: (_backend: TestBackend, [count]) =>
        new StreamedResult((out) => {
          out.ascii('[')
          for (let i = 0; i < Number(count); i++) {
            if (i > 0) out.ascii(',')
            out.raw(ITEM_BYTES)
          }
          out.ascii(']')
        }),
    }),
  ]
}

export function newLog(): WriterLog {
  return { items: 0, ended: [], endedAt: 0 }
}
