/**
 * The part of the library that every runtime has.
 * @module
 */
export type {
  Plugin,
  PluginBlock,
  PluginContext,
  PluginEvents,
  PluginMethod,
  PluginMetrics,
} from '../../src/api/plugins.ts'
export type { Logger } from '../../src/base/ports/host.ts'
export type { KeyValueStore } from '../../src/base/ports/keyValueStore.ts'
export { NodeError } from '../../src/base/primitives/errors.ts'
export type { ChainConfig } from '../../src/config/chainConfig.ts'
export { devGenesis } from '../../src/config/devGenesis.ts'
export { type Genesis, parseGenesis, parseGenesisFile } from '../../src/config/genesisFile.ts'
export { createNode, type IsoNode, type NodeGenesis, type NodeHost, VERSION } from '../../src/node/node.ts'
export { createReadNode, type ReadNode, type ReadNodeHost } from '../../src/node/readOnly/readOnlyNode.ts'
export { type NodeSettings, settingsOf } from '../../src/node/settings/nodeSettings.ts'
export {
  type LogCriteria,
  type OnFunction,
  type ProviderEvents,
  type ProviderMessage,
  type RequestArguments,
  RequestError,
  type RequestFunction,
  type SubscriptionEvents,
} from '../../src/rpc/provider.ts'
export { MemoryStore } from '../../src/storage/memoryStore.ts'
export type { LocalAccount, LocalNode } from '../shared/localNode.ts'
export { type BlockSource, type BrowserNode, type BrowserNodeOptions, createBrowserNode } from './index.ts'
