import { NodeError } from '../../primitives/errors.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Members of a tracer's configuration that are true or false; absent and null are false. Others are left alone, as
 * go-ethereum does: clients send one configuration to several tracers.
 * @throws {NodeError} INVALID_PARAMS
 */
export function flagsOf<Name extends string>(config: unknown, names: readonly Name[]): Readonly<Record<Name, boolean>> {
  const object = configObject(config)
  const flags: Partial<Record<Name, boolean>> = {}
  for (const name of names) {
    const value = object[name] ?? false
    if (typeof value !== 'boolean') throw invalidConfig(`${name}: true or false is expected`)
    flags[name] = value
  }
  return flags as Record<Name, boolean>
}

/** @throws {NodeError} INVALID_PARAMS */
export function configObject(config: unknown): JsonObject {
  if (config === undefined || config === null) return {}
  if (typeof config !== 'object' || Array.isArray(config)) throw invalidConfig('an object is expected')
  return config as JsonObject
}

export function invalidConfig(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_PARAMS' }, `tracerConfig: ${reason}`)
}
