/**
 * The chain that a dev chain in a page continues.
 * @module
 */
import type { Logger } from '../../src/base/ports/host.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { decodeForkPack } from '../../src/fork/forkPack.ts'
import { memorySource } from '../../src/fork/memorySource.ts'
import { PackSource } from '../../src/fork/packSource.ts'
import type { NamedSource } from '../../src/fork/sources.ts'
import { type OpenedFork, openFork } from '../../src/node/fork/openFork.ts'
import { type ForkSettings, targetOf, toForkSettings } from '../../src/node/settings/forkSettings.ts'
import { openRemoteTransport } from '../shared/remoteTransport.ts'
import { webClock, webRandom, webWaitTimers } from '../shared/webPorts.ts'
import type { BrowserForkOptions } from './contract.ts'
import { openForkCache } from './forkCache.ts'

/** @throws {NodeError} INVALID_OPTION, FORK_PACK_INVALID, and those of openFork */
export async function openPageFork(
  fork: BrowserForkOptions,
  options: NodeOptions,
  logger: Logger,
): Promise<OpenedFork> {
  const pack = fork.pack && new PackSource({ pack: decodeForkPack(fork.pack), save: undefined, logger })
  const opened = await openFork(settingsOf(fork, options, pack), options, {
    clock: webClock,
    timers: webWaitTimers,
    random: webRandom,
    logger,
    openTransport: (url, headers) => openRemoteTransport(url, { headers: Object.fromEntries(headers) }),
    provider: fork.provider,
    sources: [...(pack === undefined ? [] : [{ name: 'pack', source: pack }]), openCache(fork, logger)],
  })
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
