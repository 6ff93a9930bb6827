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
export { NodeError } from '../../src/base/primitives/errors.ts'
export { devGenesis } from '../../src/config/devGenesis.ts'
export { VERSION } from '../../src/node/version.ts'
export {
  type LogCriteria,
  type ProviderEvents,
  type ProviderMessage,
  type RequestArguments,
  RequestError,
  type RequestFunction,
  type SubscriptionEvents,
} from '../../src/rpc/providerContract.ts'
export type { BlockImportOptions, LocalAccount, LocalNode, TinySecp256k1 } from '../shared/nodeHandle.ts'
export type { DevChainOptions, Hardfork, LogLevelName, LogOptions, PredeployName } from '../shared/nodeOptions.ts'
export type {
  BlockSource,
  BrowserCryptoOptions,
  BrowserNode,
  BrowserNodeOptions,
  ReferenceEvmModule,
} from './contract.ts'
export { createBrowserNode } from './index.ts'
