/**
 * Traces a range of blocks for a subscriber, one block at a time and at the pace of the subscriber.
 * @see go-ethereum, eth/tracers: TraceChain
 * @module
 */
import type { NotifyingWork, Subscriber } from '../../../../api/feeds/subscriptionHub.ts'
import { MAX_BLOCK_TRACE_BYTES, SUBSCRIBER_CHECK_MS } from '../../../../base/limits/limits.ts'
import type { Residency } from '../../../../base/ports/keyValueStore.ts'
import type { RequestWorkers } from '../../../../base/ports/requestWorkers.ts'
import type { Timers } from '../../../../base/ports/timers.ts'
import type { AbortSignal } from '../../../../base/ports/webTypes.ts'
import type { YieldToHost } from '../../../../base/ports/yieldToHost.ts'
import { bytesToHex, quantity } from '../../../../base/primitives/bytes.ts'
import { isNodeError } from '../../../../base/primitives/errors.ts'
import type { ChainHeader } from '../../../../chain/contract.ts'
import { retryMisses } from '../../../../storage/retryMisses.ts'
import type { TraceOptions } from '../../../codecs/traceOptions.ts'
import { workerResult } from '../../../heavyRequest.ts'
import { collectText } from '../../../streamedReply.ts'
import { type TraceBackend, traceBlockLazily } from './tracing.ts'

export interface ChainTraceBackend extends TraceBackend {
  readonly residency?: Residency | undefined
  readonly workers?: RequestWorkers | undefined
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
}

export interface ChainTraceRequest {
  readonly id: bigint
  readonly subscriber: Subscriber
  /** Both inclusive. */
  readonly range: { readonly from: number; readonly to: number }
  readonly options: TraceOptions
  /** The options as the client sent them. */
  readonly json: unknown
}

/** Blocks that are skipped between two yields. */
const SKIPPED_PER_YIELD = 64
const UNBOUNDED = { hold: (): boolean => true }

/** Ends early when a block cannot be traced; the last notification then has `error` in place of `traces`. */
export function traceChain(backend: ChainTraceBackend, request: ChainTraceRequest): NotifyingWork {
  const controller = new AbortController()
  return {
    done: run(backend, request, controller.signal),
    cancel: () => controller.abort(new DOMException('the subscription was cancelled', 'AbortError')),
  }
}

async function run(backend: ChainTraceBackend, request: ChainTraceRequest, signal: AbortSignal): Promise<void> {
  const { chain, residency, yieldToHost } = backend
  const { range } = request
  // The answer with the id precedes the first notification.
  await yieldToHost()
  for (let number = range.from; number <= range.to && !signal.aborted; number++) {
    const blocks = await retryMisses(() => {
      const header = chain.headerByNumber(number)
      return header && { header, count: chain.transactionHashes(header.hash)?.length ?? 0 }
    }, residency)
    if (blocks === undefined) return
    if (blocks.count === 0 && number < range.to) {
      if (number % SKIPPED_PER_YIELD === 0) await yieldToHost()
      continue
    }
    const isTraced = await notify(backend, request, blocks.header, signal)
    if (!isTraced) return
    await untilRead(request.subscriber, backend.timers, signal)
  }
}

/** @returns false when the block could not be traced */
async function notify(
  backend: ChainTraceBackend,
  request: ChainTraceRequest,
  header: ChainHeader,
  signal: AbortSignal,
): Promise<boolean> {
  const { id, subscriber } = request
  const block = `"block":"${quantity(header.header.number)}","hash":"${bytesToHex(header.hash)}"`
  const params = (rest: string): string => `{"subscription":"${quantity(id)}","result":{${block},${rest}}}`
  const send = (rest: string): void =>
    subscriber.send(`{"jsonrpc":"2.0","method":"debug_subscription","params":${params(rest)}}`)
  try {
    const traces = await blockTraces(backend, request, header, signal)
    if (!signal.aborted) send(`"traces":${traces}`)
    return true
  } catch (error) {
    if (signal.aborted) return false
    send(`"error":${JSON.stringify(isNodeError(error) ? error.message : 'internal error')}`)
    if (isNodeError(error)) return false
    throw error
  }
}

async function blockTraces(
  backend: ChainTraceBackend,
  { options, json }: ChainTraceRequest,
  header: ChainHeader,
  signal: AbortSignal,
): Promise<string> {
  const { workers, residency } = backend
  const runHere = () => retryMisses(() => traceBlockLazily(backend, header, options, { signal }), residency)
  const request = { method: 'debug_traceBlockByHash', params: [bytesToHex(header.hash), json] }
  const result =
    workers === undefined || workers.isBroken === true
      ? await runHere()
      : workerResult(workers, request, signal, runHere)
  return result === undefined ? 'null' : collectText(result, MAX_BLOCK_TRACE_BYTES, UNBOUNDED)
}

async function untilRead(subscriber: Subscriber, timers: Timers, signal: AbortSignal): Promise<void> {
  while (subscriber.isBehind === true && !signal.aborted) {
    await new Promise<void>((resolve) => void timers.schedule(SUBSCRIBER_CHECK_MS, resolve))
  }
}
