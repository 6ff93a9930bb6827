import { defineMethod, type MethodDefinition, result } from '../../method.ts'

const VERSION = '1.0'

export const rpcModules: MethodDefinition<unknown> = defineMethod({
  name: 'rpc_modules',
  group: undefined,
  summary: 'API groups enabled on the endpoint, with their versions.',
  params: [],
  result: result('modules', {
    schema: { title: 'ApiVersions', type: 'object', additionalProperties: { type: 'string' } },
    parse: (value) => value as Readonly<Record<string, string>>,
    serialize: (modules: Readonly<Record<string, string>>) => modules,
  }),
  handler: (_backend: unknown, _params, { groups }) =>
    Object.fromEntries([...groups].map((group) => [group.toLowerCase(), VERSION])),
})
