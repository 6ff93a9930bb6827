import { NodeError } from '../../base/primitives/errors.ts'
import { described } from '../../base/primitives/printable.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Reads boolean members of a tracer's configuration; absent and null count as false. Other members are ignored, as in
 * go-ethereum, because clients send one configuration to several tracers.
 * @throws {NodeError} INVALID_PARAMS
 */
export function flagsOf<Name extends string>(config: unknown, names: readonly Name[]): Readonly<Record<Name, boolean>> {
  const object = configObject(config)
  const flags: Partial<Record<Name, boolean>> = {}
  for (const name of names) {
    const value = object[name] ?? false
    if (typeof value !== 'boolean') throw invalidConfig(`${name}: expected true or false, got ${described(value)}`)
    flags[name] = value
  }
  return flags as Record<Name, boolean>
}

/** @throws {NodeError} INVALID_PARAMS */
export function configObject(config: unknown): JsonObject {
  if (config === undefined || config === null) return {}
  if (typeof config !== 'object' || Array.isArray(config))
    throw invalidConfig(`expected an object, got ${described(config)}`)
  return config as JsonObject
}

export function invalidConfig(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_PARAMS' }, `tracerConfig: ${reason}`)
}
