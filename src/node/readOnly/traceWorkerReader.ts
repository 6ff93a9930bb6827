/**
 * Answers a node's heavy requests on another thread over the same store: no writer, no pool, no servers.
 * @module
 */

import type { WorkerRequest } from '../../base/ports/requestWorkers.ts'
import type { ByteSink } from '../../base/primitives/byteSink.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { invoke } from '../../rpc/invoke.ts'
import type { MethodDefinition } from '../../rpc/method.ts'
import { METHODS } from '../../rpc/methods/index.ts'
import { RpcRequestContext } from '../../rpc/requestContext.ts'
import { StreamedResult } from '../../rpc/streamedResult.ts'
import { TextResult } from '../../rpc/textResult.ts'
import { openReadOnlyBackend, type ReadBackend, type ReaderHost, type ReaderSettings } from './readOnlyBackend.ts'

export type { ReaderHost, ReaderSettings } from './readOnlyBackend.ts'

/** A request in progress. */
export interface ReaderRun {
  /** Settles when the last byte is written. @throws errors of the method */
  readonly done: Promise<void>
  abort(reason: unknown): void
}

export interface RequestReader {
  /** Answers from the data committed at that time; writes one JSON value. */
  run(request: WorkerRequest, sink: ByteSink): ReaderRun
}

const NO_GROUPS: ReadonlySet<never> = new Set()

const encoder = new TextEncoder()

/**
 * @param config of the chain in the store
 * @throws {NodeError} STORE_DAMAGED
 */
export function createReader(host: ReaderHost, config: ChainConfig, settings: ReaderSettings): RequestReader {
  const backend = openReadOnlyBackend(host, config, settings)
  const { chain } = backend
  const methods = heavyMethods()
  const run = async ({ method, params }: WorkerRequest, sink: ByteSink, context: RpcRequestContext): Promise<void> => {
    const definition = methods.get(method)
    if (definition === undefined) throw new NodeError({ code: 'METHOD_NOT_FOUND' }, `${method} is not a heavy method`)
    chain.refresh()
    await write(await invoke(definition, backend, params, context, settings.rpc.profile), new JsonWriter(sink))
  }
  return {
    run: (request, sink) => {
      const context = new RpcRequestContext({ groups: NO_GROUPS })
      return { done: run(request, sink, context), abort: (reason) => context.abort(reason) }
    },
  }
}

function heavyMethods(): ReadonlyMap<string, MethodDefinition<ReadBackend>> {
  const heavy: readonly MethodDefinition<ReadBackend>[] = METHODS.filter(({ isHeavy }) => isHeavy === true)
  return new Map(heavy.map((definition) => [definition.name, definition]))
}

async function write(result: unknown, out: JsonWriter): Promise<void> {
  if (result instanceof StreamedResult) await result.write(out)
  else if (result instanceof TextResult) out.raw(encoder.encode(result.text))
  else out.value(result ?? null)
  out.flush()
}
