import type { PluginControl } from '../../../api/plugins.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { string } from '../../codecs/scalars.ts'
import { parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'

interface Backend {
  readonly plugins?: PluginControl | undefined
}

/** Values of other types name no plugin. */
const pluginName: Codec<string> = parameterCodec({ title: 'PluginName', type: 'string' }, String)

export const reloadPluginConfig: MethodDefinition<Backend> = defineMethod({
  name: 'plugins_reloadPluginConfig',
  group: 'PLUGINS',
  furtherGroups: ['ADMIN'],
  summary: "Starts to reload a plugin's configuration.",
  params: [param('plugin', pluginName, 'Name of the plugin.')],
  result: result('status', string),
  errors: ['PLUGIN_NOT_FOUND'],
  handler: ({ plugins }: Backend, [name]) => {
    if (plugins?.reload(name) !== true) throw new NodeError({ code: 'PLUGIN_NOT_FOUND' }, 'no such plugin')
    return 'Success'
  },
})
