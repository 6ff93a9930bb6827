/**
 * Opens the chain that a dev chain continues: its remotes, the block on which the local chain begins, and the state under it.
 * @module
 */
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Eip1193Provider, RemoteTransport } from '../../base/ports/remoteTransport.ts'
import type { Timers } from '../../base/ports/timers.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { GenesisJson } from '../../config/devGenesis.ts'
import { parseGenesisFile } from '../../config/genesisFile.ts'
import type { DevChainOptions } from '../../dev/devChainGenesis.ts'
import {
  type ForkedDevChain,
  type ForkStart,
  forkedDevChain,
  fundedAccounts,
  keptFork,
  storedForkStart,
} from '../../dev/forkedChain.ts'
import type { ForkPoint } from '../../fork/forkPoint.ts'
import { FundedBase } from '../../fork/fundedBase.ts'
import { openFork as openRemoteFork } from '../../fork/openFork.ts'
import { type LayeredSource, layered, type NamedSource } from '../../fork/sources.ts'
import { createRemoteClient } from '../../remote/client.ts'
import type { RemoteClient, RemoteWait } from '../../remote/contract.ts'
import { MemoryStore } from '../../storage/memoryStore.ts'
import type { NextChain } from '../host.ts'
import { type ForkSettings, originOf } from '../settings/forkSettings.ts'
import { ForkControl, type ForkControlParts, type OpenedRemote } from './forkControl.ts'
import { remoteRules } from './remoteRules.ts'

/** Services of the host of a fork. */
export interface ForkPorts {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
  /** Opens the connection to an address. */
  openTransport(url: string, headers: ForkSettings['headers']): RemoteTransport
  /** In the place of addresses. */
  readonly provider?: Eip1193Provider | undefined
  /** Text of the genesis file of the chain, if its user has it. */
  readonly genesisFile?: string | undefined
  /** Pack and cache. */
  readonly sources: readonly NamedSource[]
  /** Called while requests wait for a limit of rate. */
  readonly onWait?: ((wait: RemoteWait) => void) | undefined
}

/** The genesis text of the data directory in which the chain is stored. */
export interface StoredFork {
  readonly directory: string
  readonly text: string
}

export interface OpenedFork {
  readonly genesis: ForkedDevChain
  readonly control: ForkControl
  /** Ends all requests, and waits until what was fetched is stored. The local store remains open. */
  close(): Promise<void>
}

/**
 * @param stored undefined for a new chain
 * @throws {NodeError} INVALID_OPTION, GENESIS_MISMATCH, FORK_UNAVAILABLE, FORK_OFFLINE and others of the remote
 */
export async function openFork(
  settings: ForkSettings,
  options: DevChainOptions,
  ports: ForkPorts,
  stored?: StoredFork,
): Promise<OpenedFork> {
  const source = layered(ports.sources)
  const open: ForkControlParts['open'] = (urls, target) => openRemote({ settings, ports, source }, urls, target)
  let opened: OpenedRemote | undefined
  const close = async (): Promise<void> => {
    opened?.client?.close()
    await source.close()
  }
  try {
    const begun = stored && storedStart(stored)
    opened = await open(settings.urls, referenceOf(settings, begun))
    const start = startOf(opened.fork.point)
    requireSameStart(start, begun, stored)
    const kept = stored && keptFork(JSON.parse(stored.text) as GenesisJson)
    const { client, fork } = opened
    const rulesOf = () => remoteRules(client, source, fork.point)
    const config = ports.genesisFile === undefined ? undefined : configIn(ports.genesisFile, start)
    const sources = { random: ports.random, rulesOf, config }
    const genesis = await forkedDevChain(start, options, sources, kept)
    const present = keptFork(JSON.parse(genesis.text) as GenesisJson)
    const genesisText = async (point: ForkPoint): Promise<string> =>
      (await forkedDevChain(startOf(point), options, sources, present)).text
    const base = new FundedBase(opened.fork.state, fundedAccounts(genesis.accounts), (address) => {
      ports.logger.info('a funded account lost the code that strangers gave it', { address: bytesToHex(address) })
    })
    const control = new ForkControl({ settings, base, source, opened, open, genesisText })
    return { genesis, control, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** @throws {NodeError} INVALID_GENESIS; INVALID_OPTION for the file of another chain */
function configIn(text: string, { chainId }: ForkStart): GenesisJson {
  const { config } = parseGenesisFile(text)
  if (config.chainId === chainId) return config.options.source as GenesisJson
  const message = `the genesis file is of chain ${config.chainId}, and the remote serves chain ${chainId}`
  throw new NodeError({ code: 'INVALID_OPTION' }, message)
}

/** The fork over a store in memory, for a node that changes to it. */
export function nextChain({ genesis, control, close }: OpenedFork): NextChain {
  const store = control.over(new MemoryStore())
  return { genesis, store, residency: store, fork: control, close }
}

interface RemoteParts {
  readonly settings: ForkSettings
  readonly ports: ForkPorts
  readonly source: LayeredSource
}

async function openRemote(
  { settings, ports, source }: RemoteParts,
  urls: ForkSettings['urls'],
  reference: ForkSettings['target'],
): Promise<OpenedRemote> {
  const client = openClient(settings, ports, urls)
  const onUnverified = (what: string): void => {
    ports.logger.warn('the remote is believed without a check', { what })
  }
  try {
    const [url] = urls
    const origin = url === undefined ? '' : originOf(url)
    const fork = await openRemoteFork({ client, origin, source, mode: settings.verify, reference, onUnverified })
    return { urls, client, fork }
  } catch (error) {
    client?.close()
    throw error
  }
}

/** @returns undefined for a fork that never asks */
function openClient(settings: ForkSettings, ports: ForkPorts, urls: ForkSettings['urls']): RemoteClient | undefined {
  const { provider, clock, timers, random, logger, onWait } = ports
  if (settings.isOffline || (urls.length === 0 && provider === undefined)) return undefined
  const { timeoutMs, retries, backoffMs, requestsPerSecond, headers } = settings
  return createRemoteClient({
    sources: provider === undefined ? urls.map((url) => ports.openTransport(url, headers)) : [provider],
    clock,
    timers,
    random,
    logger,
    limits: { timeoutMs, retries, backoffMs, ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }) },
    ...(onWait === undefined ? {} : { onWait }),
  })
}

function startOf({ chainId, block }: ForkPoint): ForkStart {
  const { header, hash, totalDifficulty, size } = block
  return { chainId, header, hash, totalDifficulty, size }
}

function storedStart({ text, directory }: StoredFork): ForkStart {
  const start = storedForkStart(JSON.parse(text) as GenesisJson)
  if (start !== undefined) return start
  const message = `${directory} holds a chain that continues no other one: name another --data-path`
  throw new NodeError({ code: 'GENESIS_MISMATCH', directory }, message)
}

/** A stored chain continues the block on which it was begun. */
function referenceOf({ target, isTargetGiven }: ForkSettings, begun: ForkStart | undefined): ForkSettings['target'] {
  return begun === undefined || isTargetGiven ? target : { kind: 'hash', hash: begun.hash }
}

/** @throws {NodeError} GENESIS_MISMATCH */
function requireSameStart(start: ForkStart, begun: ForkStart | undefined, stored: StoredFork | undefined): void {
  if (begun === undefined || stored === undefined || equalBytes(start.hash, begun.hash)) return
  const { directory } = stored
  const message =
    `the chain in ${directory} continues block ${begun.header.number} (${bytesToHex(begun.hash)}), not block ` +
    `${start.header.number} (${bytesToHex(start.hash)}): omit --fork-block-number, or name another --data-path`
  throw new NodeError({ code: 'GENESIS_MISMATCH', directory }, message)
}
