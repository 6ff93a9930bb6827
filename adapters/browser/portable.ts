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
export { devGenesis } from '../../src/config/devGenesis.ts'
export { VERSION } from '../../src/node/version.ts'
export * from './browser.ts'
