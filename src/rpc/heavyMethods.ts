/**
 * Runs heavy methods: on a worker thread, or in place when the hop to a thread costs more than the work.
 * @module
 */
import type { RpcProfile } from '../api/profile.ts'
import { MAX_TRACE_RESULT_LENGTH, SMALL_TRACE_GAS, TRACE_RESULT_BYTES } from '../config/limits.ts'
import type { RequestWorkers } from '../ports/requestWorkers.ts'
import type { ByteSink } from '../primitives/byteSink.ts'
import { JsonWriter } from '../primitives/jsonWriter.ts'
import { LruCache } from '../primitives/lruCache.ts'
import { workerResult } from './heavyRequest.ts'
import { invoke, isPromise } from './invoke.ts'
import type { MethodDefinition, TracedBlock } from './method.ts'
import type { RpcRequestContext } from './requestContext.ts'
import { StreamedResult } from './streamedResult.ts'
import { TextResult } from './textResult.ts'

/** Longest text of the parameters in a key. */
const MAX_KEY_LENGTH = 1024
/** Memory of a kept answer in addition to its text and key (estimate). */
const OVERHEAD_BYTES = 256

/** Answers of small traces by method, parameters, block and the state before the block. */
export class TraceResults {
  readonly #texts = new LruCache<string, string>(TRACE_RESULT_BYTES)

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
  readonly workers?: RequestWorkers | undefined
  readonly traces?: TraceResults
}

export class HeavyMethods<Backend> {
  readonly #options: HeavyMethodsOptions<Backend>

  constructor(options: HeavyMethodsOptions<Backend>) {
    this.#options = options
  }

  /** @returns like {@link invoke} */
  run(definition: MethodDefinition<Backend>, params: readonly unknown[], call: RpcRequestContext): unknown {
    const { backend, profile, workers } = this.#options
    const runHere = (): unknown => invoke(definition, backend, params, call, profile)
    const block = this.#tracedBlock(definition, params)
    if (block !== undefined && block.work <= SMALL_TRACE_GAS) return this.#small(definition, params, block, runHere)
    if (workers === undefined || workers.isBroken === true) return runHere()
    return workerResult(workers, { method: definition.name, params }, call.signal, runHere)
  }

  #small(
    definition: MethodDefinition<Backend>,
    params: readonly unknown[],
    block: TracedBlock,
    runHere: () => unknown,
  ): unknown {
    const { traces } = this.#options
    const text = JSON.stringify(params)
    if (traces === undefined || text.length > MAX_KEY_LENGTH) return runHere()
    const key = `${block.key}${definition.name}${text}`
    const known = traces.get(key)
    if (known !== undefined) return new TextResult(known)
    const result = runHere()
    if (!(result instanceof StreamedResult)) return result
    return keptResult(result, (answer) => {
      if (this.#isStill(block, definition, params)) traces.keep(key, answer)
    })
  }

  /** Whether the chain is unchanged since the trace began: it may have waited for its output or for data. */
  #isStill(block: TracedBlock, definition: MethodDefinition<Backend>, params: readonly unknown[]): boolean {
    try {
      return this.#tracedBlock(definition, params)?.key === block.key
    } catch {
      return false
    }
  }

  #tracedBlock(definition: MethodDefinition<Backend>, params: readonly unknown[]): TracedBlock | undefined {
    const { backend, profile } = this.#options
    return definition.tracedBlock?.(backend as never, params, profile)
  }
}

/** Passes the complete text of a result to `keep`, unless it is too long. */
function keptResult({ write: writeResult }: StreamedResult, keep: (text: string) => void): StreamedResult {
  return new StreamedResult((out) => {
    const sink = new KeepingSink(out)
    const copy = new JsonWriter(sink)
    const end = (): void => {
      copy.flush()
      if (sink.text !== undefined) keep(sink.text)
    }
    const written = writeResult(copy)
    return isPromise(written) ? written.then(end) : end()
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
