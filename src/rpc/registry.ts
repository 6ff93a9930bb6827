/**
 * All methods of the node, and the selection that an endpoint serves.
 * @module
 */

import { NodeError } from '../base/primitives/errors.ts'
import { API_GROUPS } from '../config/apiGroups.ts'
import { errorRow } from './errors.ts'
import { UNIMPLEMENTED_METHODS, UNSUPPORTED_METHODS } from './knownMethods.ts'
import type { ApiGroup, JsonSchema, MethodDefinition } from './method.ts'
import { type OpenRpcInfo, openRpcDocument } from './openRpc.ts'

/** The methods of one endpoint (HTTP, WebSocket, engine port). */
export interface ServedMethods<Backend> {
  /** Enabled groups; when all are enabled, those that have a method. */
  readonly groups: ReadonlySet<ApiGroup>
  /** Names and aliases. */
  readonly methods: ReadonlyMap<string, MethodDefinition<Backend>>
  /** The error for a name that `methods` lacks. */
  refusal(name: string): NodeError
}

/** Built once from the static lists in methods/<namespace>/index.ts. */
export class MethodRegistry<Backend> {
  readonly definitions: readonly MethodDefinition<Backend>[]
  readonly #byName: ReadonlyMap<string, MethodDefinition<Backend>>
  readonly #absentGroups: ReadonlySet<ApiGroup>
  readonly #documents = new Map<string, JsonSchema>()

  /**
   * @param absentGroups groups that no endpoint serves: those of consensus engines that the chain does not have
   * @throws {NodeError} INVALID_METHOD_LIST for a duplicate name or an unknown error code
   */
  constructor(definitions: readonly MethodDefinition<Backend>[], absentGroups: readonly ApiGroup[] = []) {
    this.definitions = definitions
    this.#absentGroups = new Set(absentGroups)
    const byName = new Map<string, MethodDefinition<Backend>>()
    for (const definition of definitions) {
      for (const name of [definition.name, ...(definition.aliases ?? [])]) {
        if (byName.has(name)) throw invalidList(`method ${name} is defined twice`)
        byName.set(name, definition)
      }
      const unknown = definition.errors.find((code) => errorRow(code) === undefined)
      if (unknown !== undefined) throw invalidList(`method ${definition.name} names the unknown error ${unknown}`)
    }
    this.#byName = byName
  }

  /** @param names methods that the endpoint serves regardless of its groups (eth_subscribe on a WebSocket) */
  serve(groups: Iterable<ApiGroup>, names: Iterable<string> = []): ServedMethods<Backend> {
    const enabled = new Set(groups)
    const served = this.#present(enabled)
    const always = new Set(names)
    const methods = new Map<string, MethodDefinition<Backend>>()
    for (const [name, definition] of this.#byName) {
      const isEnabled = definition.needsSubscriber !== true && isServed(definition, served)
      if (isEnabled || always.has(name)) methods.set(name, definition)
    }
    const shown = groups === API_GROUPS ? API_GROUPS.filter((group) => this.hasMethods(group)) : enabled
    return { groups: new Set(shown), methods, refusal: (name) => this.#refusal(name) }
  }

  hasMethods(group: ApiGroup): boolean {
    return !this.#absentGroups.has(group) && this.definitions.some((definition) => isInGroup(definition, group))
  }

  /** Every name that `--rpc-http-api-methods-no-auth` may list. */
  isKnown(name: string): boolean {
    return this.#byName.has(name) || UNIMPLEMENTED_METHODS.has(name) || UNSUPPORTED_METHODS.has(name)
  }

  /** OpenRPC 1.3 description of an endpoint with these groups; built on first use. */
  openRpc(groups: ReadonlySet<ApiGroup>, info: OpenRpcInfo): JsonSchema {
    const key = [...groups].sort().join()
    let document = this.#documents.get(key)
    if (document === undefined) {
      const present = this.#present(groups)
      const served = this.definitions.filter((definition) => isServed(definition, present))
      document = openRpcDocument(served, info)
      this.#documents.set(key, document)
    }
    return document
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
