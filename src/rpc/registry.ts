/**
 * All methods of the node, and the selection that an endpoint serves.
 * @module
 */

import { NodeError } from '../base/primitives/errors.ts'
import { API_GROUPS } from '../config/apiGroups.ts'
import { errorRow } from './errors.ts'
import { UNIMPLEMENTED_METHODS, UNSUPPORTED_METHODS } from './knownMethods.ts'
import type { ApiGroup, JsonSchema, MethodDefinition } from './method.ts'
import { loadOpenRpc, type OpenRpcInfo, openRpcDocument } from './openRpc.ts'

/** The methods of one endpoint (HTTP, WebSocket, engine port). */
export interface ServedMethods<Backend> {
  /** Enabled groups; when all are enabled, those that have a method. */
  readonly groups: ReadonlySet<ApiGroup>
  /** Names and aliases. */
  readonly methods: ReadonlyMap<string, MethodDefinition<Backend>>
  /** The error for a name that `methods` lacks. */
  refusal(name: string): NodeError
  /**
   * Loads the code that may define a name which `methods` lacks.
   * @returns undefined when there is none; rejects with METHOD_NOT_LOADED
   */
  load(name: string): Promise<void> | undefined
}

/** Methods whose code is loaded when one of them is called. */
export interface DeferredMethods<Backend> {
  /** How the names and aliases begin. Methods that are defined from the start may begin in the same way. */
  readonly prefixes: readonly string[]
  /** Groups that have at least one of the methods. */
  readonly groups: readonly ApiGroup[]
  load(): Promise<readonly MethodDefinition<Backend>[]>
}

interface Selection<Backend> {
  readonly groups: ReadonlySet<ApiGroup>
  /** Whether the connection has notifications. */
  readonly hasSubscriber: boolean
  readonly methods: Map<string, MethodDefinition<Backend>>
}

/** Built once from the static lists in methods/<namespace>/index.ts. */
export class MethodRegistry<Backend> {
  readonly #definitions: MethodDefinition<Backend>[] = []
  readonly #byName = new Map<string, MethodDefinition<Backend>>()
  readonly #absentGroups: ReadonlySet<ApiGroup>
  readonly #documents = new Map<string, JsonSchema>()
  /** Those that are not loaded. */
  readonly #deferred: Set<DeferredMethods<Backend>>
  readonly #isDeferred: boolean
  readonly #loading = new Map<DeferredMethods<Backend>, Promise<void>>()
  /** The methods that the endpoints serve; methods that are loaded later extend it. */
  readonly #selections: Selection<Backend>[] = []

  /**
   * @param absentGroups groups that no endpoint serves: those of consensus engines that the chain does not have
   * @throws {NodeError} INVALID_METHOD_LIST for a duplicate name or an unknown error code
   */
  constructor(
    definitions: readonly MethodDefinition<Backend>[],
    absentGroups: readonly ApiGroup[] = [],
    deferred: readonly DeferredMethods<Backend>[] = [],
  ) {
    this.#absentGroups = new Set(absentGroups)
    this.#deferred = new Set(deferred)
    this.#isDeferred = deferred.length > 0
    this.#add(definitions)
  }

  /** @param hasSubscriber whether to serve, regardless of the groups, the methods that need a subscriber */
  serve(groups: Iterable<ApiGroup>, hasSubscriber = false): ServedMethods<Backend> {
    const enabled = new Set(groups)
    const selection: Selection<Backend> = {
      groups: this.#present(enabled),
      hasSubscriber,
      methods: new Map(),
    }
    for (const [name, definition] of this.#byName) select(selection, name, definition)
    if (this.#isDeferred) this.#selections.push(selection)
    const shown = groups === API_GROUPS ? API_GROUPS.filter((group) => this.hasMethods(group)) : enabled
    return {
      groups: new Set(shown),
      methods: selection.methods,
      refusal: (name) => this.#refusal(name),
      load: (name) => this.#load(({ prefixes }) => prefixes.some((prefix) => name.startsWith(prefix))),
    }
  }

  /** Loads all methods and their description. @returns undefined without deferred methods; rejects with METHOD_NOT_LOADED */
  loadAll(): Promise<void> | undefined {
    if (!this.#isDeferred) return undefined
    return Promise.all([
      this.#load(() => true),
      loadOpenRpc().catch((error) => Promise.reject(notLoaded(['rpc.'], error))),
    ]).then(() => {})
  }

  hasMethods(group: ApiGroup): boolean {
    if (this.#absentGroups.has(group)) return false
    return (
      this.#definitions.some((definition) => isInGroup(definition, group)) ||
      [...this.#deferred].some(({ groups }) => groups.includes(group))
    )
  }

  /** Every name that `--rpc-http-api-methods-no-auth` may list. */
  isKnown(name: string): boolean {
    return this.#byName.has(name) || UNIMPLEMENTED_METHODS.has(name) || UNSUPPORTED_METHODS.has(name)
  }

  /** OpenRPC 1.3 description of an endpoint with these groups, of the methods that are loaded; built on first use. */
  openRpc(groups: ReadonlySet<ApiGroup>, info: OpenRpcInfo): JsonSchema {
    const key = [...groups].sort().join()
    let document = this.#documents.get(key)
    if (document === undefined) {
      const present = this.#present(groups)
      const served = this.#definitions.filter((definition) => isServed(definition, present))
      document = openRpcDocument(served, info)
      this.#documents.set(key, document)
    }
    return document
  }

  /** @throws {NodeError} INVALID_METHOD_LIST */
  #add(definitions: readonly MethodDefinition<Backend>[]): void {
    for (const definition of definitions) {
      const unknown = definition.errors.find((code) => errorRow(code) === undefined)
      if (unknown !== undefined) throw invalidList(`method ${definition.name} names the unknown error ${unknown}`)
      this.#definitions.push(definition)
      for (const name of [definition.name, ...(definition.aliases ?? [])]) {
        if (this.#byName.has(name)) throw invalidList(`method ${name} is defined twice`)
        this.#byName.set(name, definition)
        for (const selection of this.#selections) select(selection, name, definition)
      }
    }
    this.#documents.clear()
  }

  #load(isWanted: (part: DeferredMethods<Backend>) => boolean): Promise<void> | undefined {
    const wanted = [...this.#deferred].filter(isWanted)
    return wanted.length === 0 ? undefined : Promise.all(wanted.map((part) => this.#loadPart(part))).then(() => {})
  }

  /** After a failure, the next call retries. */
  #loadPart(part: DeferredMethods<Backend>): Promise<void> {
    let loading = this.#loading.get(part)
    if (loading === undefined) {
      loading = part
        .load()
        .then(
          (definitions) => {
            this.#add(definitions)
            this.#deferred.delete(part)
          },
          (error: unknown) => {
            throw notLoaded(part.prefixes, error)
          },
        )
        .finally(() => this.#loading.delete(part))
      this.#loading.set(part, loading)
    }
    return loading
  }

  #present(groups: ReadonlySet<ApiGroup>): ReadonlySet<ApiGroup> {
    return new Set([...groups].filter((group) => !this.#absentGroups.has(group)))
  }

  #refusal(name: string): NodeError {
    const unsupported = UNSUPPORTED_METHODS.get(name)
    if (unsupported !== undefined) return new NodeError({ code: unsupported }, `${name} is not supported`)
    const isNamed = this.isKnown(name) && this.#byName.get(name)?.whenDisabled !== 'not found'
    return new NodeError({ code: isNamed ? 'METHOD_NOT_ENABLED' : 'METHOD_NOT_FOUND' }, doesNotExist(name))
  }
}

function select<Backend>(
  { groups, hasSubscriber, methods }: Selection<Backend>,
  name: string,
  definition: MethodDefinition<Backend>,
): void {
  const isEnabled = definition.needsSubscriber === true ? hasSubscriber : isServed(definition, groups)
  if (isEnabled) methods.set(name, definition)
}

function isServed({ group, furtherGroups }: MethodDefinition<never>, groups: ReadonlySet<ApiGroup>): boolean {
  if (group === undefined) return groups.size > 0
  return groups.has(group) || (furtherGroups?.some((further) => groups.has(further)) ?? false)
}

function isInGroup({ group, furtherGroups }: MethodDefinition<never>, wanted: ApiGroup): boolean {
  return group === wanted || (furtherGroups?.includes(wanted) ?? false)
}

/** go-ethereum's message. The name is the client's input: only its beginning is repeated. */
function doesNotExist(name: string): string {
  return `the method ${name.slice(0, 100)} does not exist/is not available`
}

function invalidList(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_METHOD_LIST' }, reason)
}

function notLoaded(prefixes: readonly string[], cause: unknown): NodeError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const names = prefixes.map((prefix) => `${prefix}*`).join(', ')
  return new NodeError({ code: 'METHOD_NOT_LOADED' }, `the code of ${names} cannot be loaded: ${reason}`, { cause })
}
