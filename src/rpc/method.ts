/**
 * One method, one definition: name, parameters, result, errors and handler in one value. Dispatch, `rpc_modules`, API
 * groups, OpenRPC, permissions and reference docs derive from it.
 * @module
 */

import type { Subscriber } from '../api/feeds/subscriptionHub.ts'
import type { RpcProfile } from '../api/profile.ts'
import { API_GROUPS, type ApiGroup } from '../config/apiGroups.ts'
import type { AbortState } from '../evm/driver.ts'
import type { StreamedResult } from './streamedResult.ts'
import type { TextResult } from './textResult.ts'

/** JSON Schema, as much of it as OpenRPC documents use. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Static type, runtime check and JSON Schema in one value. */
export interface Codec<T> {
  /**
   * JSON value → internal value.
   * @param profile `geth` refuses shortened addresses and words; without a profile they are padded
   * @throws {NodeError} INVALID_PARAMS naming what was wrong
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
  readonly summary?: string
}

export interface Result<T = unknown> {
  readonly name: string
  readonly codec: Codec<T>
}

export { API_GROUPS, type ApiGroup }

/** Who asks, and under which limits. For work that looks now and then whether it is aborted the context itself will do. */
export interface RequestContext extends AbortState {
  /** Aborted when the client goes away or the request's time is over. */
  readonly signal: AbortSignal | undefined
  /** API groups enabled on the endpoint that the request came in by. */
  readonly groups: ReadonlySet<ApiGroup>
  /** The connection of the request; undefined where nothing can be sent but answers (HTTP). */
  readonly subscriber?: Subscriber | undefined
  /**
   * To be called for a long text that is made for the answer, as it grows.
   * @returns false when too much waits to be sent already: the call has to give up
   */
  hold?(bytes: number): boolean
}

export interface MethodDefinition<Backend = never> {
  readonly name: string
  /** Other names that answer the same. */
  readonly aliases?: readonly string[]
  /** undefined: there whenever any group is (`rpc_modules`, `rpc.discover`). */
  readonly group: ApiGroup | undefined
  readonly summary: string
  readonly params: readonly Param[]
  /** Refuse more parameters than are defined (most methods ignore them). */
  readonly exactParams?: boolean
  /** The one parameter may be given any number of times; the handler gets them all. */
  readonly repeatsParam?: boolean
  /** Worth the way to another thread, where the host has some. */
  readonly isHeavy?: boolean
  /** Served only where notifications can be sent: by its name (MethodRegistry.serve), not by its group. */
  readonly needsSubscriber?: boolean
  readonly result: Result
  /** Codes of domain errors (rpc/errors.ts) that the method may answer with. */
  readonly errors: readonly string[]
  /** Plain function; a promise only where something really has to be waited for. */
  handler(backend: Backend, params: readonly unknown[], context: RequestContext): unknown
}

type ParamValue<P> = P extends { readonly codec: Codec<infer T>; readonly optional: infer O }
  ? O extends false
    ? T
    : T | undefined
  : never
/** What a handler gets for its parameters. */
export type ParamValues<P extends readonly unknown[]> = { [K in keyof P]: ParamValue<P[K]> }

/** A required parameter. */
export function param<T>(name: string, codec: Codec<T>, summary?: string): Param<T> & { readonly optional: false } {
  return { name, codec, optional: false, ...(summary === undefined ? {} : { summary }) }
}

/** A parameter that may be left out or null. */
export function optional<T>(name: string, codec: Codec<T>, summary?: string): Param<T> & { readonly optional: true } {
  return { name, codec, optional: true, ...(summary === undefined ? {} : { summary }) }
}

export function result<T>(name: string, codec: Codec<T>): Result<T> {
  return { name, codec }
}

/** Ties the handler's argument and return types to the codecs. `Backend` is the narrow interface it needs. */
export function defineMethod<Backend, const P extends readonly Param<never>[] | readonly Param[], R>(definition: {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly group: ApiGroup | undefined
  readonly summary: string
  readonly params: P
  readonly exactParams?: boolean
  readonly repeatsParam?: boolean
  readonly isHeavy?: boolean
  readonly needsSubscriber?: boolean
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
