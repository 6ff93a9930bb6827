import type { RpcProfile } from '../api/profile.ts'
import { MAX_STORE_MISSES_PER_CALL } from '../base/limits/limits.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { isMiss, loadMissing, type Missing } from '../storage/retryMisses.ts'
import type { HeavyMethods } from './heavyMethods.ts'
import { invoke, isPromise } from './invoke.ts'
import type { MethodDefinition } from './method.ts'
import type { ServedMethods } from './registry.ts'
import { type ErrorReplies, type Reply, resultFrame, resultReply } from './reply.ts'
import type { RpcRequestContext } from './requestContext.ts'
import type { RequestMetrics } from './requestMetrics.ts'
import type { RequestTimes } from './requestTimes.ts'
import type { ObservedCall, RpcObserver } from './rpcObserver.ts'
import type { RpcRequest } from './simpleRequest.ts'
import { collectText, type StreamedText, streamText } from './streamedReply.ts'
import { StreamedResult } from './streamedResult.ts'

/** Shared by all requests of an endpoint. */
export interface RequestServices<Backend> {
  readonly served: ServedMethods<Backend>
  readonly backend: Backend
  readonly profile: RpcProfile
  readonly heavy: HeavyMethods<Backend>
  readonly errors: ErrorReplies
  /** Maximum length of a result that cannot be streamed. */
  readonly maxResponseLength: number
  /** Fetches data that a call missed; undefined when the store is fully resident. */
  readonly residency: Residency | undefined
  readonly observer: RpcObserver | undefined
  readonly metrics: RequestMetrics | undefined
  readonly times: RequestTimes
  /** Called with each method that the caller may not call. */
  readonly onUnauthorized: OnUnauthorized | undefined
  /** undefined: this process answers all requests */
  readonly forwarder: Forwarder | undefined
}

/** Answers requests of a process that has only a part of the node. */
export interface Forwarder {
  answer<Backend>(pending: PendingRequest<Backend>, definition: MethodDefinition<Backend>): Reply | Promise<Reply>
}

export type OnUnauthorized = (method: string, caller: Pick<RpcRequestContext, 'peer' | 'claims'>) => void

/** One request, from its method name to its answer. */
export class PendingRequest<Backend> {
  readonly services: RequestServices<Backend>
  readonly request: RpcRequest
  readonly context: RpcRequestContext
  /** Maximum length of the answer within a batch; undefined: the request stands alone. */
  readonly room: number | undefined
  readonly startedMs: number
  /** Known once the request is counted. */
  definition: MethodDefinition<Backend> | undefined

  constructor(
    services: RequestServices<Backend>,
    request: RpcRequest,
    context: RpcRequestContext,
    room: number | undefined,
  ) {
    this.services = services
    this.request = request
    this.context = context
    this.room = room
    this.startedMs = services.times.begin()
  }

  /** @returns never rejects; synchronous when the handler is */
  answer(): Reply | Promise<Reply> {
    const { observer } = this.services
    const observed = observer?.begin(this.request.method, this.startedMs, this.context.isOwnPage)
    if (observer !== undefined) this.context.notes = observed
    const reply = this.dispatch()
    return isPromise(reply) ? reply.then((ended) => this.end(observed, ended)) : this.end(observed, reply)
  }

  end(observed: ObservedCall | undefined, reply: Reply): Reply | Promise<Reply> {
    const { definition, startedMs } = this
    const { metrics, times } = this.services
    const { error } = reply
    const endedMs = times.end()
    if (definition !== undefined) metrics?.ended(definition, endedMs - startedMs, error)
    if (observed === undefined) return reply
    observed.end(error, endedMs)
    const lines = error === undefined ? undefined : observed.explain?.(error)
    if (lines === undefined) return reply
    const { errors } = this.services
    return lines.then((known) => (known === undefined ? reply : errors.explained(this.request.id, reply, known)))
  }

  dispatch(): Reply | Promise<Reply> {
    const { served, errors } = this.services
    const { id, method } = this.request
    const { rate } = this.context
    if (rate !== undefined && !rate.take()) return { ...errors.reply(id, rateLimited()), status: 429 }
    const definition = served.methods.get(method)
    if (definition !== undefined) return this.perform(definition)
    const loading = served.load(method)
    return loading === undefined ? this.refuse() : this.performLoaded(loading)
  }

  async performLoaded(loading: Promise<void>): Promise<Reply> {
    const { served, errors } = this.services
    const { id, method } = this.request
    try {
      await loading
    } catch (error) {
      return errors.reply(id, error)
    }
    const definition = served.methods.get(method)
    return definition === undefined ? this.refuse() : this.perform(definition)
  }

  refuse(): Reply {
    const { served, errors } = this.services
    return errors.reply(this.request.id, served.refusal(this.request.method))
  }

  perform(definition: MethodDefinition<Backend>): Reply | Promise<Reply> {
    const { errors, metrics } = this.services
    const { id, method } = this.request
    const { principal } = this.context
    metrics?.started(definition)
    this.definition = definition
    if (principal !== undefined && !principal.permits(method)) {
      this.services.onUnauthorized?.(method, this.context)
      return { ...errors.reply(id, new NodeError({ code: 'UNAUTHORIZED' }, 'unauthorized')), status: 401 }
    }
    const { forwarder } = this.services
    return forwarder === undefined ? this.execute(definition) : forwarder.answer(this, definition)
  }

  execute(definition: MethodDefinition<Backend>): Reply | Promise<Reply> {
    try {
      const result = this.run(definition)
      const reply = isPromise(result)
        ? result.then((value) => this.settle(definition, value))
        : this.settle(definition, result)
      return isPromise(reply) ? reply.catch((error) => this.fail(definition, error)) : reply
    } catch (error) {
      return this.fail(definition, error)
    }
  }

  run(definition: MethodDefinition<Backend>): unknown {
    const { heavy, backend, profile } = this.services
    const { params } = this.request
    if (definition.isHeavy === true) return heavy.run(definition, params, this.context)
    return invoke(definition, backend, params, this.context, profile)
  }

  /** @throws errors of a streamed result; RangeError when the text exceeds the maximum length of a string */
  settle({ name }: MethodDefinition<Backend>, result: unknown): Reply | Promise<Reply> {
    const { id } = this.request
    if (!(result instanceof StreamedResult)) return resultReply(id, result)
    const { maxResponseLength, errors } = this.services
    const context = this.context
    const [before, after] = resultFrame(id)
    const room = this.room ?? (context.streams ? undefined : maxResponseLength)
    if (room !== undefined) {
      const text = collectText(result, room, context)
      return isPromise(text) ? text.then((all) => replyOf(before + all + after)) : replyOf(before + text + after)
    }
    const text = streamText(result, before, after, context, (error) => errors.logBroken(name, error))
    return isPromise(text) ? text.then(replyOf) : replyOf(text)
  }

  fail(definition: MethodDefinition<Backend>, error: unknown): Reply | Promise<Reply> {
    const { residency, errors } = this.services
    if (isMiss(error, residency)) return this.executeResident(definition, error, residency)
    return errors.reply(this.request.id, error, definition.name)
  }

  /**
   * Fetches the missing data or code and repeats the call until nothing is missing. A call that misses code has changed
   * nothing, because methods that change something come with all of their code.
   */
  async executeResident(
    definition: MethodDefinition<Backend>,
    firstMiss: Missing,
    residency: Residency | undefined,
  ): Promise<Reply> {
    let error: unknown = firstMiss
    try {
      for (let misses = 0; isMiss(error, residency) && misses < MAX_STORE_MISSES_PER_CALL; misses++) {
        await loadMissing(error, residency)
        if (this.context.aborted) error = new NodeError({ code: 'TIMEOUT' }, 'request aborted')
        else {
          try {
            const result: unknown = await this.run(definition)
            return await this.settle(definition, result)
          } catch (next) {
            error = next
          }
        }
      }
    } catch (failure) {
      error = failure
    }
    return this.services.errors.reply(this.request.id, error, definition.name)
  }
}

function rateLimited(): NodeError {
  return new NodeError({ code: 'RATE_LIMITED' }, 'the connection exceeded its number of requests per second')
}

function replyOf(text: StreamedText): Reply {
  return typeof text === 'string' ? { status: 200, body: text } : { status: 200, body: '', stream: text }
}
