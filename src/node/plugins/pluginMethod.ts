import type { PluginMethod } from '../../api/plugins.ts'
import { defineMethod, type MethodDefinition, optional, result } from '../../rpc/method.ts'
import type { TextResult } from '../../rpc/textResult.ts'

const ANY = { schema: {}, parse: (value: unknown): unknown => value, serialize: (value: unknown): unknown => value }

/** The definition of a plugin's method. */
export function pluginMethod(
  { name, summary }: Pick<PluginMethod, 'name' | 'summary'>,
  handler: (params: readonly unknown[]) => Promise<TextResult>,
): MethodDefinition {
  return defineMethod({
    name,
    group: 'PLUGINS',
    summary,
    params: [optional('params', ANY, 'Values that the plugin defines.')],
    repeatsParam: true,
    result: result('result', ANY),
    errors: ['PLUGIN_INTERNAL_ERROR', 'TIMEOUT'],
    handler: (_backend: unknown, params) => handler(params),
  })
}
