/**
 * Definition of a method: name, parameters, result, errors and handler in one value. Dispatch, `rpc_modules`, API
 * groups, OpenRPC, permissions and reference docs are derived from it.
 * @module
 */

import type { Caller } from '../api/calls/notes.ts'
import type { Subscriber } from '../api/feeds/subscriptionHub.ts'
import type { RpcProfile } from '../api/profile.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import type { ChainReader } from '../chain/contract.ts'
import { API_GROUPS, type ApiGroup } from '../config/apiGroups.ts'
import type { Claims } from './connection/principal.ts'
import type { StreamedResult } from './streamedResult.ts'
import type { TextResult } from './textResult.ts'

/** The part of JSON Schema that OpenRPC documents use. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Static type, runtime check and JSON Schema in one value. */
export interface Codec<T> {
  /**
   * JSON value → internal value.
   * @param profile `geth` refuses shortened addresses and words; without a profile they are padded
   * @throws {NodeError} INVALID_PARAMS naming the invalid part
   */
  parse(value: unknown, profile?: RpcProfile): T
  /** Internal value → JSON value. */
  serialize(value: T): unknown
  readonly schema: JsonSchema
}

export interface Param<T = unknown> {
  readonly name: string
  readonly codec: Codec<T>
  /** An absent or null parameter is passed as undefined. */
  readonly optional: boolean
  /** Sentences for the reference: shape, unit, and what happens when it is absent. */
  readonly summary: string
}

export interface Result<T = unknown> {
  readonly name: string
  readonly codec: Codec<T>
}

export { API_GROUPS, type ApiGroup }

/**
 * The caller's connection and the limits of the request. Code that polls for cancellation can read `aborted` on the
 * context; no AbortSignal is needed.
 */
export interface RequestContext extends Caller {
  /** Aborted when the client disconnects or the request exceeds its time limit. */
  readonly signal: AbortSignal | undefined
  /** API groups enabled on the endpoint that received the request. */
  readonly groups: ReadonlySet<ApiGroup>
  /** The connection for notifications; undefined when the transport only carries answers (HTTP). */
  readonly subscriber?: Subscriber | undefined
  /** Claims of the caller's token; undefined without a valid one. */
  readonly claims?: Claims | undefined
  /**
   * Counts a long text that is built for the answer; called as it grows.
   * @returns false when too much output is unsent: the call must abort
   */
  hold?(bytes: number): boolean
}

/** The stored block that a tracing request is about. */
export interface TracedBlock {
  /**
   * Identifies the block and the state before it, which an amendment can change: equal requests about an equal block
   * have equal answers.
   */
  readonly key: string
  /** Gas that the traced execution uses, weighted by the cost of tracing it. */
  readonly work: bigint
}

/**
 * Finds the block of a request.
 * @param params JSON values that were not checked
 * @returns undefined when there is no such block: the request will fail
 * @throws {StoreMiss}
 */
export type SubjectOf = (
  backend: { readonly chain: ChainReader },
  params: readonly unknown[],
  profile: RpcProfile,
) => TracedBlock | undefined

/**
 * The process that answers a method, where several serve one chain. `any`: committed data suffice. `main`: only the
 * process that writes the chain can. `main if dev`: only that one on a dev chain. `main if absent`: any process, then the
 * one that writes, if the answer is null, false or an error.
 */
export type AnsweredBy = 'any' | 'main' | 'main if dev' | 'main if absent'

/** The answering process of a request. @param params as they were sent */
export type AnsweredByOf = AnsweredBy | ((params: readonly unknown[]) => AnsweredBy)

export interface MethodDefinition<Backend = never> {
  readonly name: string
  /** Other names of the same method. */
  readonly aliases?: readonly string[]
  /** undefined: available whenever any group is enabled (`rpc_modules`, `rpc.discover`). */
  readonly group: ApiGroup | undefined
  /** Groups that serve the method in addition to its own. */
  readonly furtherGroups?: readonly ApiGroup[]
  /** Default: that of the group (answeredBy.ts). */
  readonly answeredBy?: AnsweredByOf
  /** The answer when its groups are off; default: not enabled. */
  readonly whenDisabled?: 'not found'
  readonly summary: string
  readonly params: readonly Param[]
  /** Whether surplus parameters are an error (most methods ignore them). */
  readonly exactParams?: boolean
  /** Whether the only parameter may be repeated; the handler receives all values. */
  readonly repeatsParam?: boolean
  /** Whether `params` may be the only parameter itself, an object, in place of an array with it. */
  readonly takesObject?: boolean
  /** Whether the method is expensive enough to run on a worker thread. */
  readonly isHeavy?: boolean
  /** Whether a heavy request needs what worker threads do not have. @param params as they were sent */
  runsInPlace?(params: readonly unknown[]): boolean
  /** For heavy methods about one stored block, which run in place when the block is small. */
  readonly subjectOf?: SubjectOf
  /**
   * Whether the method is served on every connection with notifications (MethodRegistry.serve), and on no other,
   * whatever its group.
   */
  readonly needsSubscriber?: boolean
  /**
   * Whether the chain has the method at its current head, or an error for this caller; checked before the parameters.
   * Absent: always.
   */
  isServed?(backend: Backend, context: RequestContext): boolean
  readonly result: Result
  /** Codes of domain errors (rpc/errors.ts) that the method may return. */
  readonly errors: readonly string[]
  /** A plain function; asynchronous only when it must wait. */
  handler(backend: Backend, params: readonly unknown[], context: RequestContext): unknown
}

type ParamValue<P> = P extends { readonly codec: Codec<infer T>; readonly optional: infer O }
  ? O extends false
    ? T
    : T | undefined
  : never
/** The handler's arguments for its parameters. */
export type ParamValues<P extends readonly unknown[]> = { [K in keyof P]: ParamValue<P[K]> }

/** A required parameter. */
export function param<T>(name: string, codec: Codec<T>, summary: string): Param<T> & { readonly optional: false } {
  return { name, codec, optional: false, summary }
}

/** A parameter that may be absent or null. */
export function optional<T>(name: string, codec: Codec<T>, summary: string): Param<T> & { readonly optional: true } {
  return { name, codec, optional: true, summary }
}

export function result<T>(name: string, codec: Codec<T>): Result<T> {
  return { name, codec }
}

/**
 * Ties the handler's argument and return types to the codecs. `Backend` is the narrow interface that the handler needs.
 */
export function defineMethod<Backend, const P extends readonly Param<never>[] | readonly Param[], R>(definition: {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly group: ApiGroup | undefined
  readonly furtherGroups?: readonly ApiGroup[]
  readonly answeredBy?: AnsweredByOf
  readonly whenDisabled?: 'not found'
  readonly summary: string
  readonly params: P
  readonly exactParams?: boolean
  readonly repeatsParam?: boolean
  readonly takesObject?: boolean
  readonly isHeavy?: boolean
  /** Whether a heavy request needs what worker threads do not have. @param params as they were sent */
  runsInPlace?(params: readonly unknown[]): boolean
  readonly subjectOf?: SubjectOf
  readonly needsSubscriber?: boolean
  isServed?(backend: Backend, context: RequestContext): boolean
  readonly result: Result<R>
  readonly errors?: readonly string[]
  handler(
    backend: Backend,
    params: ParamValues<P>,
    context: RequestContext,
  ): R | StreamedResult | TextResult | Promise<R | StreamedResult | TextResult>
}): MethodDefinition<Backend> {
  return { errors: [], ...definition } as unknown as MethodDefinition<Backend>
}
