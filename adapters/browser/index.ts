/**
 * A node inside a page, a worker or a service worker.
 * @module
 */

import type { Logger } from '../../src/base/ports/host.ts'
import { InlineRecovery } from '../../src/base/ports/inlineRecovery.ts'
import type { KeyValueStore, Residency } from '../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import type { Blob, ReadableStream, WasmModule } from '../../src/base/ports/webTypes.ts'
import type { ImportReport } from '../../src/chain/import.ts'
import { DEV_ACCOUNTS } from '../../src/config/devGenesis.ts'
import { createNode, type IsoNode, type NodeHost } from '../../src/node/node.ts'
import type { NodeSettings } from '../../src/node/settings/nodeSettings.ts'
import { API_GROUPS } from '../../src/rpc/method.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { ResidentStore } from '../../src/storage/residentStore.ts'
import { keepAlive, type LocalNode, localNode } from '../shared/localNode.ts'
import { importStream, streamChunks, type WebImportOptions, webGenesis, webSettings } from '../shared/webNode.ts'
import { webClock, webRandom, webTimers } from '../shared/webPorts.ts'
import { type BrowserCryptoOptions, installBrowserCrypto } from './crypto.ts'
import { lockDatabase } from './databaseLock.ts'
import { createHostYield } from './hostYield.ts'
import { IdbStore } from './idbStore.ts'

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
export { type LogSetting, startLogging } from '../shared/logging.ts'
export type { WebImportOptions } from '../shared/webNode.ts'
export type { BrowserCryptoOptions } from './crypto.ts'

/** RLP-encoded blocks in sequence, as written by `blocks export`: a file, a response body or bytes. */
export type BlockSource =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>

export interface BrowserNodeOptions {
  /** Genesis file, as text or parsed. Default: the dev chain's. */
  readonly genesis?: string | Readonly<Record<string, unknown>>
  /** Imported before the node is returned; known blocks are skipped. */
  readonly blocks?: BlockSource
  /** Where the chain is stored. Default: in memory, until the page is closed. */
  readonly storage?: 'memory' | 'indexeddb'
  /** Name of the IndexedDB database; use one per chain. Default: `isonode`. */
  readonly name?: string
  /** Default: no logging. */
  readonly logger?: Logger
  readonly crypto?: BrowserCryptoOptions
}

/** On Node, Deno and Bun, it keeps the process alive only while it answers a request. */
export interface BrowserNode extends LocalNode {
  /** Answers like the node's HTTP server, for service workers and libraries that accept a `fetch` function. */
  readonly fetch: IsoNode['fetch']
  /** @throws {NodeError} INVALID_BLOCK at the first invalid block; the blocks before it are kept */
  import(blocks: BlockSource, options?: WebImportOptions): Promise<ImportReport>
}

/**
 * @throws {NodeError} INVALID_GENESIS, INVALID_BLOCK; with a database also GENESIS_MISMATCH,
 *   DATABASE_LOCKED, LOCKS_UNAVAILABLE
 * @example
 * const { request } = await createBrowserNode({ storage: 'indexeddb' })
 * await request('eth_blockNumber')
 */
export async function createBrowserNode(options: BrowserNodeOptions = {}): Promise<BrowserNode> {
  const genesis = webGenesis(options.genesis)
  const { nativeModule } = await installBrowserCrypto(options.crypto)
  const database = await openStore(options)
  try {
    const host = browserHost(database, options.logger ?? silentLogger, nativeModule)
    const settings = pageSettings(options.genesis === undefined, nativeModule !== undefined)
    const node = await createNode(host, genesis, settings)
    const importBlocks: BrowserNode['import'] = (blocks, how = {}) => importStream(node, host, bytesOf(blocks), how)
    if (options.blocks !== undefined) await importBlocks(options.blocks)
    const accounts = options.genesis === undefined ? (genesis.accounts ?? DEV_ACCOUNTS) : []
    const local = localNode(node, node.openProvider({ onPending: keepAlive }), accounts, async () => {
      await node.close()
      await database.close()
    })
    return { ...local, fetch: node.fetch, import: importBlocks }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Allows every method, because only the page itself can reach its node.
 * @param canCompile false where a security policy forbids WebAssembly or an old browser lacks SIMD
 */
function pageSettings(isDev: boolean, canCompile: boolean): NodeSettings {
  return { ...webSettings(isDev), evm: canCompile ? 'native' : 'reference', groups: API_GROUPS, corsOrigins: ['*'] }
}

interface Database {
  readonly store: KeyValueStore
  readonly residency?: Residency
  close(): Promise<void>
}

async function openStore({ storage = 'memory', name = 'isonode' }: BrowserNodeOptions): Promise<Database> {
  if (storage === 'memory') return { store: new MemoryStore(), close: async () => {} }
  const lock = await lockDatabase(name)
  const store = new ResidentStore(new IdbStore(name))
  const close = async (): Promise<void> => {
    await store.close().finally(() => lock.release())
  }
  return { store, residency: store, close }
}

function browserHost({ store, residency }: Database, logger: Logger, nativeModule: WasmModule | undefined): NodeHost {
  const yieldToHost = createHostYield()
  return {
    store,
    ...(residency === undefined ? {} : { residency }),
    clock: webClock,
    timers: webTimers,
    random: webRandom,
    logger,
    senders: new InlineRecovery({ clock: webClock, yieldToHost }),
    yieldToHost,
    platform: 'web/browser',
    ...(nativeModule === undefined ? {} : { evmModule: nativeModule }),
  }
}

function bytesOf(blocks: BlockSource): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (blocks instanceof Uint8Array) return [blocks]
  if (blocks instanceof ArrayBuffer) return [new Uint8Array(blocks)]
  if (blocks instanceof Blob) return streamChunks(blocks.stream())
  return blocks instanceof ReadableStream ? streamChunks(blocks) : blocks
}
