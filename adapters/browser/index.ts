/**
 * A node inside the calling thread: a page, a worker or a service worker. Pages get it by browser.ts.
 * @module
 */

import { PAGE_MEMORY_BYTES } from '../../src/base/limits/limits.ts'
import type { DatabaseInfo } from '../../src/base/ports/databaseInfo.ts'
import type { Clock } from '../../src/base/ports/host.ts'
import { InlineRecovery } from '../../src/base/ports/inlineRecovery.ts'
import type { KeyValueStore, Residency } from '../../src/base/ports/keyValueStore.ts'
import type { WasmModule } from '../../src/base/ports/webTypes.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { type LibraryLine, libraryLine, type OwnProperties } from '../../src/cli/libraryOptions.ts'
import { devChainRecord } from '../../src/config/devGenesis.ts'
import { newDevChain, storedDevChain } from '../../src/dev/devChainGenesis.ts'
import type { Evm } from '../../src/evm/evm.ts'
import type { LoadEvm } from '../../src/evm/loadReferenceEvm.ts'
import { compileNativeModule } from '../../src/evm/native/compileModule.ts'
import { composeNode } from '../../src/node/composeNode.ts'
import { ETHASH_KINDS, usesEngine } from '../../src/node/engineKinds.ts'
import type { OpenedFork } from '../../src/node/fork/openFork.ts'
import type { NodeGenesis, NodeHost } from '../../src/node/host.ts'
import { pageParts } from '../../src/node/pageParts.ts'
import type { NodeSettings } from '../../src/node/settings/nodeSettings.ts'
import { API_GROUPS } from '../../src/rpc/method.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { readGenesisText } from '../../src/storage/metadata.ts'
import { retryMisses } from '../../src/storage/retryMisses.ts'
import { keepAlive, localNode } from '../shared/localNode.ts'
import { LOG_PROPERTIES, type OpenedLog, openLog } from '../shared/openLog.ts'
import { fileGenesis, importStream, webSettings } from '../shared/webNode.ts'
import { webClock, webRandom, webTimers } from '../shared/webPorts.ts'
import { bytesOf } from './blockSource.ts'
import type { BrowserForkOptions, BrowserNode, BrowserNodeOptions, ReferenceEvmModule } from './contract.ts'
import { installBrowserCrypto, installFastRecovery } from './crypto.ts'
import { openDatabase } from './database.ts'
import { createHostYield } from './hostYield.ts'
import { paced } from './paced.ts'
import { layerOf } from './storeLayer.ts'

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
export type {
  BlockSource,
  BrowserCryptoOptions,
  BrowserForkOptions,
  BrowserNode,
  BrowserNodeOptions,
  ReferenceEvmModule,
  WorkerOption,
} from './contract.ts'

/** The first calls of a page need no recovery of senders, and do not wait for its code. */
const FAST_RECOVERY_DELAY_MS = 1000

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const OWN_PROPERTIES: OwnProperties = {
  ...LOG_PROPERTIES,
  storage: { expected: "'indexeddb' or 'memory'", accepts: (value) => value === 'indexeddb' || value === 'memory' },
  dataPath: { expected: 'a text', accepts: (value) => typeof value === 'string' },
  durability: { expected: "'process' or 'power'", accepts: (value) => value === 'process' || value === 'power' },
  persist: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
  blocks: { expected: 'a source of bytes', accepts: isObject },
  fork: { expected: 'an object', accepts: isObject },
  crypto: { expected: 'an object', accepts: isObject },
  loadReferenceEvm: { expected: 'a function', accepts: (value) => typeof value === 'function' },
}

/**
 * Starts a node in the calling thread: a page, a worker or a service worker.
 * @throws {NodeError} INVALID_OPTION that names the option, INVALID_GENESIS, INVALID_BLOCK, WASM_UNAVAILABLE; with a
 *   database also GENESIS_MISMATCH, DATABASE_LOCKED, LOCKS_UNAVAILABLE, STORE_FAILED; with a mirror MIRROR_UNAVAILABLE,
 *   MIRROR_DAMAGED, MIRROR_FORMAT, MIRROR_UNSIGNED
 */
export async function createBrowserNode(options: BrowserNodeOptions = {}): Promise<BrowserNode> {
  if (options?.mirror !== undefined) return (await import('./mirror.ts')).openPageMirror(options)
  const line = libraryLine(options, { kind: 'page', ownProperties: OWN_PROPERTIES, isListening: false })
  const { log, logger, artifacts, storage, dataPath, blocks, fork: forkOptions, crypto, loadReferenceEvm } = options
  const opened = await openLog(line.options, { log, logger, artifacts }, async () => [])
  const compiling = compileNativeModule()
  const fork = forkOptions && (await openFork(forkOptions, options, line, opened))
  const chosen = fork?.genesis ?? (await chosenGenesis(line, await compiling.catch(() => undefined)))
  const usesEthash = usesEngine(chosen.genesis.config, ETHASH_KINDS)
  const installed = await installBrowserCrypto(compiling, crypto, usesEthash)
  const { nativeModule } = installed
  if (nativeModule === undefined) {
    if (loadReferenceEvm === undefined) throw wasmUnavailable()
    console.warn('isonode: this page cannot compile WebAssembly: the reference EVM runs, which is slower')
  }
  const name = fork === undefined ? databaseName({ storage, dataPath }, line, chosen) : undefined
  const database = forkDatabase(await openStore(name, options, opened), fork)
  try {
    const genesis = line.isDev && fork === undefined ? await keptGenesis(chosen, line, database, name) : chosen
    const host = {
      ...browserHost(database, opened, { nativeModule, loadReferenceEvm }),
      fork: fork?.control,
      loadChains: name === undefined && line.isDev ? chainLoader(line, genesis, opened) : undefined,
    }
    const settings = pageSettings(line, nativeModule !== undefined)
    const node = await composeNode(host, genesis, settings, pageParts())
    let recovery: Promise<void> | undefined
    const fastRecovery = (): Promise<void> => {
      recovery ??= installFastRecovery(installed)
      return recovery
    }
    const importBlocks: BrowserNode['import'] = async (source, how = {}) => {
      await fastRecovery()
      return importStream(node, host, bytesOf(source), how)
    }
    if (blocks !== undefined) await importBlocks(blocks)
    const recoveryTimer = webTimers.schedule(FAST_RECOVERY_DELAY_MS, () => void fastRecovery())
    const close = async (): Promise<void> => {
      recoveryTimer.cancel()
      await node.close()
      await database.close()
    }
    const provider = node.openProvider({ onPending: keepAlive })
    return localNode(node, provider, genesis.accounts ?? [], close, {
      request: paced(provider.request, webClock, host.yieldToHost),
      import: importBlocks,
      exportChain: async () => (await chainFile()).exportChain(provider.request),
      importChain: async (file) => (await chainFile()).importChain(provider.request, bytesOf(file)),
    } satisfies Pick<BrowserNode, 'request' | 'import' | 'exportChain' | 'importChain'>)
  } catch (error) {
    await database.close()
    throw line.renamed(error)
  }
}

/**
 * The code of forks is loaded for forks only.
 * @throws {NodeError} INVALID_OPTION, and those of the remote
 */
async function openFork(
  fork: BrowserForkOptions,
  { storage, dataPath }: BrowserNodeOptions,
  line: LibraryLine,
  { logger }: OpenedLog,
): Promise<OpenedFork> {
  const kept = dataPath !== undefined ? 'dataPath' : storage === 'indexeddb' ? 'storage' : undefined
  if (kept !== undefined || !line.isDev) {
    const other = kept ?? 'genesis'
    throw new NodeError({ code: 'INVALID_OPTION' }, `'fork' cannot be combined with '${other}'`)
  }
  const { openPageFork } = await import('./fork.ts')
  return openPageFork(fork, line.options, logger.child('fork'))
}

/** A chain in memory may change to others. */
function chainLoader(line: LibraryLine, { text }: NodeGenesis, { logger }: OpenedLog): NodeHost['loadChains'] {
  return async () => (await import('./fork.ts')).otherChains(line, text, logger.child('fork'))
}

/** The store of a fork, over the one of the page. */
function forkDatabase(database: Database, fork: OpenedFork | undefined): Database {
  if (fork === undefined) return database
  const store = fork.control.over(database.store, database.residency)
  const close = async (): Promise<void> => {
    await fork.close()
    await database.close()
  }
  return { ...database, store, residency: store, close }
}

function wasmUnavailable(): NodeError {
  const message =
    "this page cannot compile the WebAssembly EVM: allow 'wasm-unsafe-eval' in its content security policy, or pass loadReferenceEvm"
  return new NodeError({ code: 'WASM_UNAVAILABLE' }, message)
}

async function chosenGenesis(
  { options, genesisText, isDev }: LibraryLine,
  evmModule: WasmModule | undefined,
): Promise<NodeGenesis> {
  return isDev
    ? newDevChain(options, { random: webRandom, clock: webClock, evmModule }, genesisText)
    : fileGenesis(genesisText as string)
}

/**
 * @returns undefined for a chain in memory
 * @throws {NodeError} INVALID_OPTION
 */
function databaseName(
  { storage, dataPath }: Pick<BrowserNodeOptions, 'storage' | 'dataPath'>,
  { isDev, genesisText }: LibraryLine,
  { genesis }: NodeGenesis,
): string | undefined {
  const invalid = (message: string): NodeError => new NodeError({ code: 'INVALID_OPTION' }, message)
  if (storage === 'memory') {
    if (dataPath === undefined) return undefined
    throw invalid("'dataPath' names a database, and storage: 'memory' uses none: pass only one")
  }
  if (!('indexedDB' in globalThis)) {
    if (storage === undefined && dataPath === undefined) return undefined
    throw invalid(`'${storage === undefined ? 'dataPath' : 'storage'}' needs IndexedDB, which this runtime lacks`)
  }
  if (dataPath !== undefined) return dataPath
  const id = genesisText === undefined ? '' : `-${genesis.config.chainId}`
  return `isonode/${isDev ? 'dev' : 'chain'}${id}`
}

/**
 * The stored dev chain, if there is one: it keeps its genesis and its accounts.
 * @param name of the database, for messages
 * @throws {NodeError} GENESIS_MISMATCH
 */
async function keptGenesis(
  chosen: NodeGenesis,
  { options, genesisText: file }: LibraryLine,
  { store, residency }: Database,
  name = 'memory',
): Promise<NodeGenesis> {
  const text = await retryMisses(() => readGenesisText(store), residency)
  if (text === undefined || text === chosen.text) return chosen
  const json = JSON.parse(text) as Readonly<Record<string, unknown>>
  const record = devChainRecord(json)
  // The node names the mismatch.
  if (record === undefined) return chosen
  const advice = "omit the option, or create another chain with another dataPath or storage: 'memory'"
  return storedDevChain({ json, record, directory: name, advice }, options, file)
}

/**
 * Allows every method, because only the page itself can reach its node.
 * @param canCompile false where a security policy forbids WebAssembly or an old browser lacks SIMD
 */
function pageSettings({ options, isDev }: LibraryLine, canCompile: boolean): NodeSettings {
  const evm = canCompile ? 'native' : 'reference'
  return { ...webSettings(isDev, PAGE_MEMORY_BYTES, options), evm, groups: API_GROUPS, corsOrigins: ['*'] }
}

interface Database {
  readonly store: KeyValueStore
  readonly residency?: Residency
  readonly info: DatabaseInfo
  close(): Promise<void>
}

/**
 * @param name of the database; undefined: in memory
 * @throws {NodeError} INVALID_OPTION, and those of openDatabase
 */
async function openStore(
  name: string | undefined,
  options: BrowserNodeOptions,
  { logger }: OpenedLog,
): Promise<Database> {
  const { durability, persist = false } = options
  if (name !== undefined) {
    return openDatabase(name, {
      durability: durability ?? 'process',
      isPersistent: persist,
      isOptional: (options.storage ?? options.dataPath ?? durability) === undefined && !persist,
      layer: layerOf(options),
      logger,
    })
  }
  const unused = durability !== undefined ? 'durability' : persist ? 'persist' : undefined
  if (unused === undefined) return { store: new MemoryStore(), info: { kind: 'memory' }, close: async () => {} }
  throw new NodeError({ code: 'INVALID_OPTION' }, `'${unused}' needs a database, and this chain is in memory`)
}

interface PageEvms extends Pick<BrowserNodeOptions, 'loadReferenceEvm'> {
  readonly nativeModule: WasmModule | undefined
}

function browserHost(
  { store, residency, info }: Database,
  { logger, logLevels, activity }: OpenedLog,
  { nativeModule, loadReferenceEvm }: PageEvms,
): NodeHost {
  const yieldToHost = createHostYield()
  return {
    store,
    ...(residency === undefined ? {} : { residency }),
    database: info,
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
    ...(loadReferenceEvm === undefined ? {} : { loadReferenceEvm: createFrom(loadReferenceEvm) }),
  }
}

function createFrom(load: () => Promise<ReferenceEvmModule>): LoadEvm {
  return async (clock) => {
    const { createReferenceEvm } = await load()
    return (createReferenceEvm as (time: Clock) => Evm)(clock)
  }
}

const chainFile = (): Promise<typeof import('../shared/chainFile.ts')> => import('../shared/chainFile.ts')
