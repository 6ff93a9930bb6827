/**
 * The chain that a dev chain in a page continues.
 * @module
 */
import type { Logger } from '../../src/base/ports/host.ts'
import type { LibraryLine } from '../../src/cli/libraryOptions.ts'
import { devChainRecord, type GenesisJson } from '../../src/config/devGenesis.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { newDevChain } from '../../src/dev/devChainGenesis.ts'
import { withWallet } from '../../src/dev/keptWallet.ts'
import { decodeForkPack } from '../../src/fork/forkPack.ts'
import { memorySource } from '../../src/fork/memorySource.ts'
import { PackSource } from '../../src/fork/packSource.ts'
import type { NamedSource } from '../../src/fork/sources.ts'
import { nextChain, type OpenedFork, openFork } from '../../src/node/fork/openFork.ts'
import type { DevChains } from '../../src/node/host.ts'
import { type ForkSettings, targetOf, toForkSettings } from '../../src/node/settings/forkSettings.ts'
import { loadErrorTable } from '../../src/rpc/errorTable.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { openRemoteTransport } from '../shared/remoteTransport.ts'
import { webClock, webRandom, webWaitTimers } from '../shared/webPorts.ts'
import type { BrowserForkOptions } from './contract.ts'
import { openForkCache } from './forkCache.ts'

/**
 * Other chains for a dev node in memory: anvil_reset changes to them.
 * @param genesis text of its first one, whose accounts all chains have
 */
export function otherChains(
  { options: given, genesisText }: Pick<LibraryLine, 'options' | 'genesisText'>,
  genesis: string,
  logger: Logger,
): DevChains {
  const wallet = devChainRecord(JSON.parse(genesis) as GenesisJson)?.wallet
  const options = wallet === undefined ? given : withWallet(given, wallet)
  return {
    toFork: async ({ url, block }) => nextChain(await openPageFork({ url: url ?? [], block }, options, logger)),
    toPlain: async () => {
      const next = await newDevChain(options, { random: webRandom, clock: webClock }, genesisText)
      return { genesis: next, store: new MemoryStore(), residency: undefined, fork: undefined, close: async () => {} }
    },
  }
}

/** @throws {NodeError} INVALID_OPTION, FORK_PACK_INVALID, and those of openFork */
export async function openPageFork(
  fork: BrowserForkOptions,
  options: NodeOptions,
  logger: Logger,
): Promise<OpenedFork> {
  const pack = fork.pack && new PackSource({ pack: decodeForkPack(fork.pack), save: undefined, logger })
  const opening = openFork(settingsOf(fork, options, pack), options, {
    clock: webClock,
    timers: webWaitTimers,
    random: webRandom,
    logger,
    openTransport: (url, headers) => openRemoteTransport(url, { headers: Object.fromEntries(headers) }),
    provider: fork.provider,
    sources: [...(pack === undefined ? [] : [{ name: 'pack', source: pack }]), openCache(fork, logger)],
  })
  const [opened] = await Promise.all([opening, loadErrorTable()])
  return opened
}

function settingsOf(
  { url = [], block, provider, verify }: BrowserForkOptions,
  options: NodeOptions,
  pack: PackSource | undefined,
): ForkSettings {
  const settings = toForkSettings({
    ...options,
    'fork-url': typeof url === 'string' ? [url] : url,
    ...(verify === undefined ? {} : { 'fork-verify': verify }),
  })
  const isOffline = settings.urls.length === 0 && provider === undefined
  if (block !== undefined) return { ...settings, isOffline, target: targetOf(String(block)), isTargetGiven: true }
  const packed = pack?.header?.forkBlock.hash
  return packed === undefined
    ? { ...settings, isOffline }
    : { ...settings, isOffline, target: { kind: 'hash', hash: packed } }
}

function openCache({ cache }: BrowserForkOptions, logger: Logger): NamedSource {
  const isKept = cache !== 'none' && 'indexedDB' in globalThis
  return { name: 'cache', source: isKept ? openForkCache({ logger }) : memorySource() }
}
