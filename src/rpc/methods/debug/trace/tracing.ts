/**
 * Shared parts of the methods that trace stored blocks.
 * @see docs/reference/debug-and-trace.md sections 1 and 2
 * @module
 */

import type { CallBackend } from '../../../../api/calls/callSimulation.ts'
import type { ApiOptions } from '../../../../api/options.ts'
import type { ScriptEngine } from '../../../../base/ports/scriptSandbox.ts'
import { bytesToHex } from '../../../../base/primitives/bytes.ts'
import { NodeError } from '../../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../../base/primitives/jsonWriter.ts'
import type { ChainHeader, ChainReader } from '../../../../chain/contract.ts'
import type { ConsensusSchedule } from '../../../../chain/engine.ts'
import type { BlockTracePlan, BlockTracing, TraceLimits, TracerFactory } from '../../../../tracing/contract.ts'
import { selectTracer } from '../../../../tracing/tracers.ts'
import { answerCodec } from '../../../codecs/support.ts'
import type { TraceOptions } from '../../../codecs/traceOptions.ts'
import type { Codec, RequestContext } from '../../../method.ts'
import { StreamedResult } from '../../../streamedResult.ts'

interface ScriptBackend {
  /** Runs tracers written in JavaScript; undefined when the host has no engine. */
  readonly scripts?: ScriptEngine | undefined
}

export interface TraceBackend extends ScriptBackend {
  readonly chain: ChainReader
  readonly tracing: BlockTracing
  readonly consensus: ConsensusSchedule
  readonly options: ApiOptions
}

/** The parts of a backend that traces of calls use. */
export interface CallTraceBackend extends CallBackend, ScriptBackend {}

/** Error codes of tracers written in JavaScript. */
export const scriptErrors: readonly string[] = ['TRACER_FAILED', 'JS_TRACERS_UNAVAILABLE', 'SCRIPT_STOPPED']

/** Error codes of all methods that execute a stored block again. */
export const traceErrors: readonly string[] = [
  'NOT_TRACEABLE',
  'GENESIS_NOT_TRACEABLE',
  'TRANSACTION_NOT_FOUND',
  'UNKNOWN_BLOCK',
  'WORLD_STATE_UNAVAILABLE',
  'REPLAY_FAILED',
  'RESPONSE_TOO_LARGE',
  'EXECUTION_TIMEOUT',
  'EXECUTION_ABORTED',
  'EXECUTION_OUT_OF_MEMORY',
  ...scriptErrors,
]

/** The codec of a streamed result; null when there is nothing to trace. */
export const trace: Codec<undefined> = answerCodec(
  {
    title: 'Trace',
    oneOf: [
      { title: 'Trace', type: 'object' },
      { title: 'notFound', type: 'null' },
    ],
  },
  () => null,
)

export const blockTrace: Codec<undefined> = answerCodec(
  {
    title: 'Block trace',
    oneOf: [
      { type: 'array', items: { type: 'object' } },
      { title: 'notFound', type: 'null' },
    ],
  },
  () => null,
)

/** Result when there is nothing to trace: null, or an error in the profile `geth`. */
export function untraceable({ options }: TraceBackend, code: string, reason: string): undefined {
  if (options.profile === 'geth') throw new NodeError({ code }, reason)
}

/**
 * Whether a stored block can be executed again; otherwise see {@link untraceable}.
 * @throws {NodeError} GENESIS_NOT_TRACEABLE also in the profile `besu`, for named tracers
 */
export function isTraceable(backend: TraceBackend, header: ChainHeader, { tracer }: TraceOptions): boolean {
  const isGenesis = Number(header.header.number) === backend.chain.lowestNumber
  if (!isGenesis && backend.tracing.canTrace(header)) return true
  if (!isGenesis) untraceable(backend, 'NOT_TRACEABLE', 'required historical state unavailable')
  else if (backend.options.profile === 'geth' || tracer !== undefined) {
    throw new NodeError({ code: 'GENESIS_NOT_TRACEABLE' }, 'genesis is not traceable')
  }
  return false
}

export function limitsOf({ signal }: Pick<RequestContext, 'signal'>, { timeoutMs }: TraceOptions): TraceLimits {
  return { signal, timeoutMs }
}

/** Traces one transaction of a stored block. */
export function tracedTransaction(
  { tracing, options, scripts }: TraceBackend,
  header: ChainHeader,
  index: number,
  given: TraceOptions,
  context: RequestContext,
): StreamedResult {
  const selection = selectTracer(given, options, scripts)
  return new StreamedResult((out) =>
    selection.run((factory) => {
      const plan = { tracerFor: (at: number) => (at === index ? factory(out) : undefined), end: index + 1 }
      return tracing.block(header, plan, limitsOf(context, given))
    }),
  )
}

/** Traces all transactions of a stored block. */
export function traceBlockLazily(
  backend: TraceBackend,
  header: ChainHeader,
  given: TraceOptions,
  context: Pick<RequestContext, 'signal'>,
): StreamedResult | undefined {
  if (!isTraceable(backend, header, given)) return undefined
  const hashes = backend.chain.transactionHashes(header.hash) ?? []
  const run = (plan: BlockTracePlan) => backend.tracing.block(header, plan, limitsOf(context, given))
  return traceList(backend, hashes, given, run)
}

/**
 * Writes a list with one element per transaction. Opcode traces in the profile `besu` omit the transaction hash; all
 * others include it.
 */
export function traceList(
  { options, scripts }: Pick<TraceBackend, 'options' | 'scripts'>,
  hashes: readonly Uint8Array[],
  given: TraceOptions,
  run: (plan: BlockTracePlan) => Promise<void>,
): StreamedResult {
  const selection = selectTracer(given, options, scripts)
  const { isScript } = selection
  const namesHash = options.profile === 'geth' || given.tracer !== undefined
  return new StreamedResult(async (out) => {
    out.ascii('[')
    let begun = 0
    let done = 0
    const trace = (factory: TracerFactory): Promise<void> =>
      run({
        tracerFor: (index) => {
          if (index < done) return undefined
          if (index === begun) {
            begun++
            if (index > 0) out.ascii(',')
            if (namesHash) out.ascii(`{"txHash":"${bytesToHex(hashes[index] as Uint8Array)}"`)
            if (namesHash && !isScript) out.ascii(',"result":')
          }
          return factory(out)
        },
        traced: () => {
          done++
          if (namesHash) out.ascii('}')
          return whenRoom(out)
        },
      })
    await selection.run(trace, { isInList: true })
    out.ascii(']')
  })
}

function whenRoom(out: JsonWriter): Promise<void> | undefined {
  return out.isFull ? out.drained() : undefined
}
