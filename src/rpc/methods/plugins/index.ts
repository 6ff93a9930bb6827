import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { reloadPluginConfig } from './reloadPluginConfig.ts'

export const pluginMethods: readonly MethodDefinition<RpcBackend>[] = [reloadPluginConfig]
