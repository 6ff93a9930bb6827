/**
 * The chain that a dev chain continues, with the transports and the files of Node.
 * @module
 */
import type { Logger } from '../../src/base/ports/host.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { memorySource } from '../../src/fork/memorySource.ts'
import type { PackSource } from '../../src/fork/packSource.ts'
import type { NamedSource } from '../../src/fork/sources.ts'
import { type OpenedFork, openFork, type StoredFork } from '../../src/node/fork/openFork.ts'
import type { ForkSettings } from '../../src/node/settings/forkSettings.ts'
import { openRemoteTransport } from '../shared/remoteTransport.ts'
import { systemClock, systemRandom } from '../shared/systemPorts.ts'
import { webWaitTimers } from '../shared/webPorts.ts'
import { openForkCache } from './data/forkCache.ts'
import { openForkPack } from './data/forkPackFile.ts'
import { openRemoteSocket } from './net/remoteSocket.ts'

export interface ServerForkInput {
  readonly settings: ForkSettings
  readonly options: NodeOptions
  /** undefined for a new chain */
  readonly stored: StoredFork | undefined
  /** Text of the genesis file of the chain. */
  readonly genesisFile: string | undefined
  readonly logger: Logger
}

/** @throws {NodeError} FORK_PACK_INVALID, FORK_PACK_UNWRITABLE, and those of openFork */
export async function openServerFork({
  settings,
  options,
  stored,
  genesisFile,
  logger,
}: ServerForkInput): Promise<OpenedFork> {
  const pack = await openPack(settings, logger)
  const opened = await openFork(
    withTargetOf(pack, settings),
    options,
    {
      clock: systemClock,
      timers: webWaitTimers,
      random: systemRandom,
      logger,
      genesisFile,
      openTransport: (url, headers) =>
        openRemoteTransport(url, { headers: Object.fromEntries(headers), openSocket: openRemoteSocket }),
      sources: [...named('pack', pack), ...named('cache', openCache(settings, logger) ?? memorySource())],
      onWait: ({ origin, requests, waitedMs }) =>
        logger.info('the remote limits the rate of requests', {
          origin,
          waiting: requests,
          waitedMs: Math.round(waitedMs),
        }),
    },
    stored,
  )
  const { chainId, block } = opened.control.point
  pack?.begin({ chainId, forkBlock: { number: block.number, hash: block.hash } })
  return opened
}

async function openPack({ packFile, isOffline }: ForkSettings, logger: Logger): Promise<PackSource | undefined> {
  return packFile === undefined ? undefined : openForkPack({ file: packFile, isOffline, logger })
}

/** A fork from a pack continues the block of the pack, unless another one is named. */
function withTargetOf(pack: PackSource | undefined, settings: ForkSettings): ForkSettings {
  const { header } = pack ?? {}
  if (header === undefined || settings.isTargetGiven) return settings
  return { ...settings, target: { kind: 'hash', hash: header.forkBlock.hash } }
}

function openCache({ isCached, cacheDirectory, cacheBytes }: ForkSettings, logger: Logger) {
  return isCached ? openForkCache({ folder: cacheDirectory, maxBytes: cacheBytes, logger }) : undefined
}

function named(name: string, source: NamedSource['source'] | undefined): NamedSource[] {
  return source === undefined ? [] : [{ name, source }]
}
