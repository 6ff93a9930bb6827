/**
 * A node on a data directory, with all ports implemented by Node's modules.
 * @module
 */
import { writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { ActivityHost } from '../../src/activityLog/output.ts'
import type { Plugin } from '../../src/api/plugins.ts'
import type { Logger } from '../../src/base/ports/host.ts'
import type { LogLevels } from '../../src/base/ports/logLevels.ts'
import { MemoryMetrics } from '../../src/base/ports/memoryMetrics.ts'
import type { ShowProgress } from '../../src/base/ports/progress.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import type { ChainHeader } from '../../src/chain/contract.ts'
import { loadCrossCheck } from '../../src/chain/crossCheck.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import type { OpenedFork } from '../../src/node/fork/openFork.ts'
import { publisherMetrics } from '../../src/node/mirrorMetrics.ts'
import { createNode, type IsoNode, type NodeHost } from '../../src/node/node.ts'
import { type ForkSettings, forkSettings } from '../../src/node/settings/forkSettings.ts'
import { metricCategories, type NodeSettings, settingsOf } from '../../src/node/settings/nodeSettings.ts'
import type { RemoteMethod } from '../../src/node/workerNode.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { readGenesisText } from '../../src/storage/metadata.ts'
import { Column } from '../../src/storage/schema.ts'
import { keepAlive } from '../shared/localNode.ts'
import { systemClock, systemRandom, systemTimers, yieldToHost } from '../shared/systemPorts.ts'
import { installStartCrypto } from './crypto/crypto.ts'
import { loadNodeFrameCiphers } from './crypto/frameCiphers.ts'
import { BloomFolder } from './data/bloomFolder.ts'
import {
  type ChosenGenesis,
  chooseGenesis,
  frozenGenesis,
  genesisText,
  type StoredGenesis,
} from './data/chooseGenesis.ts'
import { databaseInfo } from './data/databaseInfo.ts'
import type { DataDirectory } from './data/dataDirectory.ts'
import { DatasetFolder } from './data/datasetFolder.ts'
import { ignoreInGit } from './data/gitIgnore.ts'
import type { Durability } from './data/lmdbStore.ts'
import { loadPlugins } from './data/loadPlugins.ts'
import { permissionFiles } from './data/permissionFiles.ts'
import { observeProcess } from './data/processUsage.ts'
import { checkSetupFile } from './data/setupFile.ts'
import { loadSigner } from './data/signer.ts'
import { TraceFolder } from './data/traceFiles.ts'
import { openPrivacy } from './enclave/privacyHost.ts'
import type { RunningEnclave } from './enclave/running.ts'
import { openHostAccess } from './http/access.ts'
import { explorerFiles } from './http/explorerFiles.ts'
import { graphiqlFiles } from './http/graphiqlFiles.ts'
import type { HttpWorkerParts } from './httpWorkers/parts.ts'
import { httpWorkerCount, shareOfMemory } from './httpWorkers/workerCount.ts'
import { WorkerMetrics } from './httpWorkers/workerMetrics.ts'
import { createNodeDns } from './net/dns.ts'
import { withAdvertisedHost } from './net/natFacts.ts'
import { withBootnodes } from './net/peerSources.ts'
import { readStaticNodes, staticNodesFile } from './net/staticNodesFile.ts'
import { nodeTcpSockets } from './net/tcpSockets.ts'
import { nodeUdpSockets } from './net/udpSockets.ts'
import { processMemory, requestThreads } from './resources.ts'
import { scriptEngine } from './scriptEngine.ts'
import { type FileSettings, fileSettings, natSettings, privacySettings, publishingSettings } from './settings.ts'
import { BlobVerifier } from './threads/blobVerifier.ts'
import { DatasetThreads } from './threads/datasetThreads.ts'
import { PasswordMatcher } from './threads/passwordMatcher.ts'
import type { PublishThread } from './threads/publishThread.ts'
import { RecoveryPool } from './threads/recoveryPool.ts'
import { RequestPool } from './threads/requestPool.ts'
import { packConfig } from './threads/requestWire.ts'
import { SealThread } from './threads/sealThread.ts'

export interface ServerNodeDeps {
  /** Log of the dev chain. */
  readonly activity?: ActivityHost | undefined
  readonly options: NodeOptions
  /** Content of the genesis file; default: it is read. */
  readonly genesisText?: string | undefined
  readonly logger: Logger
  /** Levels of the log, for admin_changeLogLevel. */
  readonly logLevels?: LogLevels | undefined
  readonly runtimeName: string
  /** Shows the progress of a migration and of other long work. Default: log messages. */
  readonly showProgress?: ShowProgress
  /** Interrupts a migration of the database. */
  readonly signal?: AbortSignal
}

/** An open node; closing it releases the directory. */
export interface ServerNode {
  readonly node: IsoNode
  readonly host: NodeHost
  readonly settings: NodeSettings
  readonly chosenGenesis: ChosenGenesis
  /** Absolute; undefined for a node in memory. */
  readonly directory: string | undefined
  /** Head of the stored chain when it was opened; undefined: the chain is new. */
  readonly continuesAt: ChainHeader | undefined
  /** The node's own enclave. */
  readonly enclave: RunningEnclave | undefined
  /** undefined: this process answers clients itself */
  readonly httpWorkers: HttpWorkerParts | undefined
  close(): Promise<void>
}

/** The part of a node over a mirror that its servers need. All of its clients are served by one process. */
export interface ServedReplica extends Pick<ServerNode, 'directory'> {
  readonly node: Pick<IsoNode, 'endpoints' | 'outbound' | 'security' | 'announce' | 'goOnline'>
  readonly host: Pick<NodeHost, 'logger' | 'metrics' | 'timers' | 'workers'>
  readonly httpWorkers?: undefined
}

export type ServedNode = ServerNode | ServedReplica

/** Folder of the chains that have no --data-path, in the working directory. */
const DEFAULT_FOLDER = '.isonode'

/** Directory in which the data of a chain are stored. */
export function dataPath(options: NodeOptions, { folder }: Pick<ChosenGenesis, 'folder'>): string {
  return path.resolve(fileSettings(options).dataPath ?? path.join(DEFAULT_FOLDER, folder))
}

/**
 * Opens the data directory (or a store in memory), then a node that uses it.
 * @throws {NodeError} with one clear line for every fault in options, files and directory; STOPPED after a signal
 */
export async function openServerNode(input: ServerNodeDeps): Promise<ServerNode> {
  const { options, genesisText, logger, logLevels, activity, runtimeName, showProgress, signal } = input
  const files = fileSettings(options)
  const crypto = installStartCrypto()
  const forkOptions = forkSettings(options)
  // A genesis file, which may have megabytes, is hashed: the portable Keccak-256 would need ten times as long.
  if (genesisText !== undefined || options['genesis-file'] !== undefined) await crypto
  // The genesis of a fork is known once its remote or its directory was asked.
  const requestedGenesis = forkOptions === undefined ? await chooseGenesis(options, genesisText) : undefined
  for (const section of requestedGenesis?.unusedSections ?? []) {
    logger.warn(`config.${section} of the genesis file has no effect: the dev chain mines immediately`)
  }
  if (files.trustedSetupFile !== undefined) await checkSetupFile(files.trustedSetupFile)
  const data = files.isInMemory
    ? undefined
    : await openDirectory(dataPath(options, requestedGenesis ?? FORK_FOLDER), files.durability)
  if (data !== undefined && files.dataPath === undefined) ignoreInGit(path.dirname(data.path))
  let enclave: RunningEnclave | undefined
  let publishing: PublishThread | undefined
  let fork: OpenedFork | undefined
  try {
    const stored = data && { directory: data.path, text: readGenesisText(data.store) }
    fork = forkOptions && (await openFork(forkOptions, { options, genesisText, stored, logger }))
    const chosenGenesis =
      fork === undefined
        ? await keptGenesis(requestedGenesis as ChosenGenesis, stored, options, genesisText)
        : { ...fork.genesis, ...FORK_FOLDER, isDev: true }
    if (data !== undefined) checkDurability(chosenGenesis, files)
    const signer = loadSigner(data?.path, files.nodeKeyFile)
    const { nativeModule } = await crypto
    const workerCount = httpWorkerCount(options)
    const shared = shareOfMemory(options, 1 + workerCount)
    const settings = withAdvertisedHost(
      settingsOf(await withBootnodes(shared, chosenGenesis), chosenGenesis.isDev, {
        memoryBytes: processMemory(),
        readers: data === undefined ? 0 : requestThreads(),
      }),
      natSettings(options),
    )
    if (!chosenGenesis.isDev && files.wantsCallLog) {
      logger.warn('--verbose and --abi have no effect: only the dev chain logs calls and transactions')
    }
    // Threads could not ask the remote of a fork.
    const workers =
      fork === undefined ? data && requestPool(data, { files, chosenGenesis, settings, logger }) : undefined
    const blobs = new BlobVerifier()
    const plugins = files.plugins.length === 0 ? undefined : await loadPlugins(files.plugins)
    const categories = metricCategories(options)
    const usage = categories && observeProcess(data?.databaseFile)
    const ownMetrics = categories && new MemoryMetrics({ categories })
    const workerMetrics = ownMetrics && workerCount > 0 ? new WorkerMetrics(ownMetrics) : undefined
    const metrics = workerMetrics ?? ownMetrics
    const passwords = new PasswordMatcher()
    const privacy = await openPrivacy(privacySettings(options), data?.path, logger)
    enclave = privacy?.enclave
    publishing = data && (await openPublishing(data, options, logger))
    if (publishing !== undefined && metrics !== undefined) publisherMetrics(metrics, publishing)
    const localStore = publishing?.store ?? data?.store ?? new MemoryStore()
    const forkStore = fork?.control.over(localStore)
    const isFixed = data !== undefined || plugins !== undefined || privacy !== undefined || !chosenGenesis.isDev
    const host: NodeHost = {
      store: forkStore ?? localStore,
      ...(forkStore === undefined ? {} : { residency: forkStore, fork: fork?.control }),
      loadChains: isFixed ? undefined : chainLoader(input, chosenGenesis),
      database: data === undefined ? { kind: 'memory' } : databaseInfo(data, files.durability),
      clock: systemClock,
      timers: systemTimers,
      random: systemRandom,
      tcp: nodeTcpSockets,
      udp: nodeUdpSockets,
      dns: createNodeDns(),
      ...(settings.hasPeers ? await readStaticNodes(staticNodesFile(files.staticNodesFile, data?.path), options) : {}),
      loadFrameCiphers: loadNodeFrameCiphers,
      signer,
      logger,
      logLevels,
      ...(plugins === undefined ? {} : { plugins }),
      ...(activity === undefined ? {} : { activity }),
      showProgress,
      stopSignal: signal,
      graphiql: graphiqlFiles,
      explorer: explorerFiles(),
      senders: new RecoveryPool(),
      verifySidecar: blobs.verify,
      access: await openHostAccess(options, passwords.matches),
      servesTls: true,
      privacy: privacy?.host,
      scripts: scriptEngine,
      openSealSearch: (search) => new SealThread(search),
      ...(typeof SharedArrayBuffer === 'undefined' ? {} : { ethashDatasets: datasetThreads(data?.path) }),
      ...(workers === undefined ? {} : { workers }),
      mirror: publishing,
      ...(metrics === undefined ? {} : { metrics, processUsage: usage?.read }),
      yieldToHost,
      platform: `${os.platform()}-${os.arch()}/${runtimeName}`,
      ...(data === undefined ? {} : filesIn(data.path)),
      permissionFiles: permissionFiles(dataPath(options, chosenGenesis)),
      ...(nativeModule === undefined ? {} : { evmModule: nativeModule }),
      loadReferenceEvm,
      loadCrossCheck,
    }
    const node = await createNode(host, chosenGenesis, settings)
    publishing?.start()
    const { head, genesis } = node.chain
    const continuesAt = data === undefined || head.header.number === genesis.header.number ? undefined : head
    const close = async (): Promise<void> => {
      await workers?.close()
      await node.close()
      usage?.close()
      await Promise.all([host.senders.close(), blobs.close(), passwords.close(), enclave?.close()])
      await fork?.close()
      await publishing?.close()
      await data?.close()
    }
    const httpWorkers =
      data === undefined || workerCount === 0
        ? undefined
        : {
            count: workerCount,
            options: shared,
            metrics: workerMetrics,
            chain: {
              directory: data.path,
              durability: files.durability,
              config: packConfig(chosenGenesis.genesis.config),
              isDev: chosenGenesis.isDev,
              platform: host.platform,
              remoteMethods: methodsOf(plugins),
              countsCalls: publishing !== undefined,
            },
          }
    return { node, host, settings, chosenGenesis, enclave, directory: data?.path, continuesAt, httpWorkers, close }
  } catch (error) {
    await enclave?.close()
    await fork?.close()
    await publishing?.close()
    await data?.close()
    throw error
  }
}

const FORK_FOLDER: Pick<ChosenGenesis, 'folder'> = { folder: 'fork' }

/** The genesis that the options ask for, or the one that the directory was created with. */
async function keptGenesis(
  requested: ChosenGenesis,
  stored: StoredGenesis | undefined,
  options: NodeOptions,
  content: string | undefined,
): Promise<ChosenGenesis> {
  return stored === undefined ? requested : frozenGenesis(requested, stored, options, content)
}

/** The code of forks is loaded for forks only. */
async function openFork(
  settings: ForkSettings,
  {
    options,
    genesisText: given,
    stored,
    logger,
  }: Pick<ServerNodeDeps, 'options' | 'genesisText' | 'logger'> & {
    readonly stored: StoredGenesis | undefined
  },
): Promise<OpenedFork> {
  const { openServerFork } = await import('./fork.ts')
  const { directory, text } = stored ?? {}
  const begun = directory === undefined || text === undefined ? undefined : { directory, text }
  // Its timers alone would not keep the process alive while the remote is asked.
  const release = keepAlive()
  try {
    const genesisFile = given ?? genesisText(options)
    return await openServerFork({ settings, options, stored: begun, genesisFile, logger: logger.child('fork') })
  } finally {
    release()
  }
}

/** @returns undefined for a chain that began without a wallet */
function chainLoader(
  { options, genesisText: given, logger }: ServerNodeDeps,
  { wallet }: ChosenGenesis,
): NodeHost['loadChains'] {
  if (wallet === undefined) return undefined
  return async () => {
    const { otherChains } = await import('./otherChains.ts')
    return otherChains({ options, genesisText: given, wallet, logger: logger.child('fork') })
  }
}

/** The code of publishers is loaded for publishers only. A node without one gives up the journal of an earlier one. */
async function openPublishing(
  data: DataDirectory,
  options: NodeOptions,
  logger: Logger,
): Promise<PublishThread | undefined> {
  const settings = publishingSettings(options)
  if (settings === undefined) {
    const journal = data.store.range({ prefix: Uint8Array.of(Column.mirrorJournal), limit: 1 })
    for (const _ of journal)
      await (await import('../../src/mirror/publisher/journaledStore.ts')).dropJournal(data.store)
    return undefined
  }
  const { PublishThread } = await import('./threads/publishThread.ts')
  return PublishThread.open(data, settings, logger.child('mirror'))
}

interface RequestPoolDeps {
  readonly files: Pick<FileSettings, 'durability'>
  readonly chosenGenesis: ChosenGenesis
  readonly settings: NodeSettings
  readonly logger: Logger
}

/** The threads open the same database on demand. */
function requestPool(
  { path: directory }: DataDirectory,
  { files: { durability }, chosenGenesis, settings: { rpc, evm, slotsInEpoch, readers }, logger }: RequestPoolDeps,
): RequestPool {
  return new RequestPool({
    data: {
      directory,
      durability,
      config: packConfig(chosenGenesis.genesis.config),
      settings: { rpc, evm, slotsInEpoch, memory: readers.memory },
    },
    workers: readers.count,
    logger: logger.child('traces'),
  })
}

function methodsOf(plugins: readonly Plugin[] | undefined): readonly RemoteMethod[] {
  const methods = (plugins ?? []).flatMap((plugin) => plugin.methods ?? [])
  return methods.map(({ name, summary }) => ({ name, summary }))
}

/** @param directory of the data; undefined: datasets are not stored */
function datasetThreads(directory: string | undefined): DatasetThreads {
  return new DatasetThreads({
    files: directory === undefined ? undefined : new DatasetFolder(path.join(directory, 'ethash')),
  })
}

function filesIn(directory: string): Pick<NodeHost, 'keepFile' | 'traceFiles' | 'bloomFiles'> {
  return {
    keepFile: (name, text) => writeFileSync(path.join(directory, name), text, { mode: 0o600 }),
    traceFiles: new TraceFolder({ directory: path.join(directory, 'traces') }),
    bloomFiles: new BloomFolder(path.join(directory, 'caches')),
  }
}

/**
 * A validator must not forget its votes, not even in a power failure: it could vote for another block. Any node of the chain
 * can become one.
 * @throws {NodeError} INVALID_OPTION
 */
function checkDurability({ genesis, isDev }: ChosenGenesis, { durability }: Pick<FileSettings, 'durability'>): void {
  const { entries } = genesis.config.consensus
  const hasVotes = entries.some(({ value: { kind } }) => kind === 'ibft2' || kind === 'qbft')
  if (isDev || !hasVotes || durability === 'power') return
  const message =
    '--data-durability=process cannot be combined with the IBFT 2.0 or QBFT chain of --genesis-file: validators would ' +
    'forget their votes in a power failure. Use --data-durability=power'
  throw new NodeError({ code: 'INVALID_OPTION' }, message)
}

/** LMDB is loaded only when data are stored on disk. */
async function openDirectory(directory: string, durability: Durability): Promise<DataDirectory> {
  const { openDataDirectory } = await import('./data/dataDirectory.ts')
  return openDataDirectory(directory, durability)
}

/** Reports an uncaught error in one line and ends the process. */
export function exitOnUncaught(report: (error: unknown) => void): void {
  process.on('uncaughtException', (error) => {
    report(error)
    process.exit(1)
  })
}
