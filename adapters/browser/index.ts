/**
 * A node inside a page, a worker or a service worker.
 * @module
 */

import { InlineRecovery } from '../../src/base/ports/inlineRecovery.ts'
import type { KeyValueStore, Residency } from '../../src/base/ports/keyValueStore.ts'
import type { WasmModule } from '../../src/base/ports/webTypes.ts'
import { type LibraryLine, libraryLine } from '../../src/cli/libraryOptions.ts'
import { devChainRecord } from '../../src/config/devGenesis.ts'
import { newDevChain, storedDevChain } from '../../src/dev/devChainGenesis.ts'
import { createNode, type NodeGenesis, type NodeHost } from '../../src/node/node.ts'
import type { NodeSettings } from '../../src/node/settings/nodeSettings.ts'
import { API_GROUPS } from '../../src/rpc/method.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { readGenesisText } from '../../src/storage/metadata.ts'
import { ResidentStore } from '../../src/storage/residentStore.ts'
import { retryMisses } from '../../src/storage/retryMisses.ts'
import { keepAlive, localNode } from '../shared/localNode.ts'
import { type OpenedLog, openLog } from '../shared/openLog.ts'
import { fileGenesis, importStream, streamChunks, webSettings } from '../shared/webNode.ts'
import { webClock, webRandom, webTimers } from '../shared/webPorts.ts'
import type { BlockSource, BrowserNode, BrowserNodeOptions } from './contract.ts'
import { installBrowserCrypto } from './crypto.ts'
import { lockDatabase } from './databaseLock.ts'
import { createHostYield } from './hostYield.ts'
import { IdbStore } from './idbStore.ts'

export { NodeError } from '../../src/base/primitives/errors.ts'
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
export type { BlockSource, BrowserCryptoOptions, BrowserNode, BrowserNodeOptions } from './contract.ts'

/**
 * Starts a node in a page, a worker or a service worker. Without options, it is a dev chain in memory.
 * @throws {NodeError} INVALID_OPTION that names the option, INVALID_GENESIS, INVALID_BLOCK; with a database also
 *   GENESIS_MISMATCH, DATABASE_LOCKED, LOCKS_UNAVAILABLE
 * @example
 * const node = await createBrowserNode({ chainId: 1337, hardfork: 'cancun' })
 * console.log(await node.request('eth_chainId'))
 * await node.close()
 */
export async function createBrowserNode(options: BrowserNodeOptions = {}): Promise<BrowserNode> {
  const { log, logger, dataPath, blocks, crypto, ...named } = options
  const ownProperties = ['log', 'logger', 'dataPath', 'blocks', 'crypto']
  const line = libraryLine(named, { kind: 'page', ownProperties, isListening: false })
  const opened = await openLog(line.options, { log, logger }, async () => [])
  const { nativeModule } = await installBrowserCrypto(crypto)
  const database = await openStore(dataPath)
  try {
    const genesis = await pageGenesis(line, database, dataPath)
    const host = browserHost(database, opened, nativeModule)
    const node = await createNode(host, genesis, pageSettings(line, nativeModule !== undefined))
    const importBlocks: BrowserNode['import'] = (source, how = {}) => importStream(node, host, bytesOf(source), how)
    if (blocks !== undefined) await importBlocks(blocks)
    const close = async (): Promise<void> => {
      await node.close()
      await database.close()
    }
    const provider = node.openProvider({ onPending: keepAlive })
    return localNode(node, provider, genesis.accounts ?? [], close, { import: importBlocks })
  } catch (error) {
    await database.close()
    throw line.renamed(error)
  }
}

/** @param name of the database, for messages */
async function pageGenesis(line: LibraryLine, { store, residency }: Database, name = 'memory'): Promise<NodeGenesis> {
  const { options, genesisText: file, isDev } = line
  if (!isDev) return fileGenesis(file as string)
  const chosen = await newDevChain(options, { random: webRandom, clock: webClock }, file)
  const text = await retryMisses(() => readGenesisText(store), residency)
  if (text === undefined || text === chosen.text) return chosen
  const json = JSON.parse(text) as Readonly<Record<string, unknown>>
  const record = devChainRecord(json)
  // The node names the mismatch.
  return record === undefined ? chosen : storedDevChain({ json, record, directory: name }, options, file)
}

/**
 * Allows every method, because only the page itself can reach its node.
 * @param canCompile false where a security policy forbids WebAssembly or an old browser lacks SIMD
 */
function pageSettings({ options, isDev }: LibraryLine, canCompile: boolean): NodeSettings {
  const evm = canCompile ? 'native' : 'reference'
  return { ...webSettings(isDev, options), evm, groups: API_GROUPS, corsOrigins: ['*'] }
}

interface Database {
  readonly store: KeyValueStore
  readonly residency?: Residency
  close(): Promise<void>
}

/** @param name of the database; undefined: in memory */
async function openStore(name: string | undefined): Promise<Database> {
  if (name === undefined) return { store: new MemoryStore(), close: async () => {} }
  const lock = await lockDatabase(name)
  const store = new ResidentStore(new IdbStore(name))
  const close = async (): Promise<void> => {
    await store.close().finally(() => lock.release())
  }
  return { store, residency: store, close }
}

function browserHost(
  { store, residency }: Database,
  { logger, logLevels, activity }: OpenedLog,
  nativeModule: WasmModule | undefined,
): NodeHost {
  const yieldToHost = createHostYield()
  return {
    store,
    ...(residency === undefined ? {} : { residency }),
    clock: webClock,
    timers: webTimers,
    random: webRandom,
    logger,
    logLevels,
    ...(activity === undefined ? {} : { activity }),
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
