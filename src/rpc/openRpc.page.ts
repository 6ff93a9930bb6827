import type { JsonSchema, MethodDefinition, Param } from './method.ts'
import type { openRpcDocument as describe, OpenRpcInfo } from './openRpc.ts'

export type { OpenRpcInfo } from './openRpc.ts'

interface Loaded {
  readonly describe: typeof describe
  /** By the name that stands for the text, in angle brackets (pageModules.mjs). */
  readonly texts: Readonly<Record<string, string>>
}

let loaded: Loaded | undefined

export function openRpcDocument(definitions: readonly MethodDefinition<never>[], info: OpenRpcInfo): JsonSchema {
  if (loaded === undefined) throw new Error('the description of methods is not loaded')
  const { describe, texts } = loaded
  const written = (param: Param): Param => ({
    ...param,
    summary: param.summary.replace(/<([A-Z_]+)>/g, (name, key: string) => texts[key] ?? name),
  })
  return describe(
    definitions.map((definition) => ({ ...definition, params: definition.params.map(written) })),
    info,
  )
}

export async function loadOpenRpc(): Promise<void> {
  if (loaded !== undefined) return
  const [{ openRpcDocument: describe }, texts] = await Promise.all([
    import('./openRpc.ts'),
    import('./methods/support/parameterTexts.ts'),
  ])
  loaded = { describe, texts: { ...texts } }
}
