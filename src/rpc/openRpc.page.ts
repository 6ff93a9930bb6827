import type { JsonSchema, MethodDefinition } from './method.ts'
import type { openRpcDocument as describe, OpenRpcInfo } from './openRpc.ts'

export type { OpenRpcInfo } from './openRpc.ts'

let loaded: typeof describe | undefined

export function openRpcDocument(definitions: readonly MethodDefinition<never>[], info: OpenRpcInfo): JsonSchema {
  if (loaded === undefined) throw new Error('the description of methods is not loaded')
  return loaded(definitions, info)
}

export async function loadOpenRpc(): Promise<void> {
  loaded ??= (await import('./openRpc.ts')).openRpcDocument
}
