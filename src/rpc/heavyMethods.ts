/**
 * Runs heavy methods: on a worker thread, or in place when the hop to a thread costs more than the work.
 * @module
 */
import type { RpcProfile } from '../api/profile.ts'
import { MAX_TRACE_RESULT_LENGTH, SMALL_TRACE_GAS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { RequestWorkers } from '../base/ports/requestWorkers.ts'
import type { ByteSink } from '../base/primitives/byteSink.ts'
import { JsonWriter } from '../base/primitives/jsonWriter.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { workerResult } from './heavyRequest.ts'
import { invoke } from './invoke.ts'
import type { MethodDefinition, TracedBlock } from './method.ts'
import type { RpcRequestContext } from './requestContext.ts'
import { StreamedResult } from './streamedResult.ts'
import { TextResult } from './textResult.ts'

/**
 * Traces on the main thread may use this share of the time that passes; the others go to workers, so that cheap methods
 * stay fast.
 */
const SHARE = 0.25
/** Time that traces on the main thread may use after a pause. */
const RESERVE_MS = 20
/** A trace may take longer because it waits for its output or for data. */
const MAX_COUNTED_MS = 8
/** Longest text of the parameters in a key. */
const MAX_KEY_LENGTH = 1024
/** Memory of a kept answer in addition to its text and key (estimate). */
const OVERHEAD_BYTES = 256

/** Answers of small traces by method, parameters, block and the state before the block. */
export class TraceResults {
  readonly #texts: LruCache<string, string>

  constructor(bytes: number) {
    this.#texts = new LruCache(bytes)
  }

  get(key: string): string | undefined {
    return this.#texts.get(key)
  }

  keep(key: string, text: string): void {
    this.#texts.set(key, text, text.length + key.length + OVERHEAD_BYTES)
  }
}

export interface HeavyMethodsOptions<Backend> {
  readonly backend: Backend
  readonly profile: RpcProfile
  readonly clock: Pick<Clock, 'monotonic'>
  readonly workers?: RequestWorkers | undefined
  readonly traces?: TraceResults
}

export class HeavyMethods<Backend> {
  readonly #options: HeavyMethodsOptions<Backend>
  /** Time that is left for traces in place, as of `#countedMs`. */
  #leftMs = RESERVE_MS
  #countedMs = Number.NEGATIVE_INFINITY
  #isTracing = false

  constructor(options: HeavyMethodsOptions<Backend>) {
    this.#options = options
  }

  /** The same for another backend; the time for traces in place is counted separately. */
  over(backend: Backend): HeavyMethods<Backend> {
    return new HeavyMethods({ ...this.#options, backend })
  }

  /** @returns like {@link invoke} */
  run(definition: MethodDefinition<Backend>, params: readonly unknown[], context: RpcRequestContext): unknown {
    if (definition.runsInPlace?.(params) === true) return this.#here(definition, params, context)
    const block = this.#subjectOf(definition, params)
    if (block === undefined || block.work > SMALL_TRACE_GAS) return this.#large(definition, params, context)
    const { traces } = this.#options
    const key = keyOf(definition, params, block)
    const cachedTrace = key === undefined ? undefined : traces?.get(key)
    if (cachedTrace !== undefined) return new TextResult(cachedTrace)
    const isHere = this.#mayTrace()
    const result = isHere ? this.#here(definition, params, context) : this.#large(definition, params, context)
    if (!(result instanceof StreamedResult)) return result
    const cachingResult = keeping(result, (answer) => {
      if (key !== undefined && this.#isStill(block, definition, params)) traces?.keep(key, answer)
    })
    return isHere ? this.#timed(cachingResult) : cachingResult
  }

  #mayTrace(): boolean {
    const now = this.#options.clock.monotonic()
    this.#leftMs = Math.min(RESERVE_MS, this.#leftMs + (now - this.#countedMs) * SHARE)
    this.#countedMs = now
    return this.#leftMs > 0 && !this.#isTracing
  }

  #large(definition: MethodDefinition<Backend>, params: readonly unknown[], context: RpcRequestContext): unknown {
    const { workers } = this.#options
    const runHere = (): unknown => this.#here(definition, params, context)
    if (workers === undefined || workers.isBroken === true) return runHere()
    return workerResult(workers, { method: definition.name, params }, context.signal, runHere)
  }

  #here(definition: MethodDefinition<Backend>, params: readonly unknown[], context: RpcRequestContext): unknown {
    const { backend, profile } = this.#options
    return invoke(definition, backend, params, context, profile)
  }

  #timed({ write }: StreamedResult): StreamedResult {
    const { clock } = this.#options
    return new StreamedResult(async (out) => {
      const startMs = clock.monotonic()
      this.#isTracing = true
      try {
        await write(out)
      } finally {
        const endMs = clock.monotonic()
        this.#isTracing = false
        this.#leftMs -= Math.min(endMs - startMs, MAX_COUNTED_MS)
        this.#countedMs = endMs
      }
    })
  }

  /** Whether the chain is unchanged since the trace began: it may have waited for its output or for data. */
  #isStill(block: TracedBlock, definition: MethodDefinition<Backend>, params: readonly unknown[]): boolean {
    try {
      return this.#subjectOf(definition, params)?.key === block.key
    } catch {
      return false
    }
  }

  #subjectOf(definition: MethodDefinition<Backend>, params: readonly unknown[]): TracedBlock | undefined {
    const { backend, profile } = this.#options
    return definition.subjectOf?.(backend as never, params, profile)
  }
}

/** undefined for parameters that are too long or have integers beyond 2^53, which are `bigint`. */
function keyOf(
  { name }: MethodDefinition<never>,
  params: readonly unknown[],
  { key }: TracedBlock,
): string | undefined {
  const text = jsonOf(params)
  return text === undefined || text.length > MAX_KEY_LENGTH ? undefined : `${key}${name}${text}`
}

function jsonOf(params: readonly unknown[]): string | undefined {
  try {
    return JSON.stringify(params)
  } catch {
    return undefined
  }
}

/** Passes the complete text of a result to `keep`, unless it is too long. */
function keeping({ write }: StreamedResult, keep: (text: string) => void): StreamedResult {
  return new StreamedResult(async (out) => {
    const sink = new KeepingSink(out)
    const copy = new JsonWriter(sink)
    await write(copy)
    copy.flush()
    if (sink.text !== undefined) keep(sink.text)
  })
}

class KeepingSink implements ByteSink {
  /** undefined: too long */
  text: string | undefined = ''
  readonly #out: JsonWriter
  readonly #decoder = new TextDecoder()

  constructor(out: JsonWriter) {
    this.#out = out
  }

  get isFull(): boolean {
    return this.#out.isFull
  }

  drained(): Promise<void> {
    return this.#out.drained()
  }

  write(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.text !== undefined && this.text.length + chunk.length <= MAX_TRACE_RESULT_LENGTH) {
      this.text += this.#decoder.decode(chunk, { stream: true })
    } else this.text = undefined
    this.#out.handOver(chunk)
  }
}
