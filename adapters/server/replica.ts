/**
 * A replica: a node on Node, Deno or Bun that answers from a mirror and has no data directory.
 * @module
 */
import os from 'node:os'
import process from 'node:process'
import type { Logger } from '../../src/base/ports/host.ts'
import { MemoryMetrics } from '../../src/base/ports/memoryMetrics.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import type { ChainConfig } from '../../src/config/chainConfig.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import type { ReadNode } from '../../src/node/readOnly/readOnlyNode.ts'
import { openReplica, type Replica, type ReplicaHost } from '../../src/node/readOnly/replica.ts'
import { metricCategories, type NodeSettings, settingsOf } from '../../src/node/settings/nodeSettings.ts'
import { createRemoteClient } from '../../src/remote/client.ts'
import type { RemoteClient } from '../../src/remote/contract.ts'
import { openRemoteTransport } from '../shared/remoteTransport.ts'
import { systemClock, systemRandom, systemTimers, yieldToHost } from '../shared/systemPorts.ts'
import { webWaitTimers } from '../shared/webPorts.ts'
import { installStartCrypto } from './crypto/crypto.ts'
import { observeProcess } from './data/processUsage.ts'
import { openHostAccess } from './http/access.ts'
import { explorerFiles } from './http/explorerFiles.ts'
import { openRemoteSocket } from './net/remoteSocket.ts'
import { installMirrorReading } from './objects/mirrorCodec.ts'
import { openObjectReader } from './objects/openObjects.ts'
import { processMemory } from './resources.ts'
import { scriptEngine } from './scriptEngine.ts'
import type { ServedReplica, ServerNodeDeps } from './serverNode.ts'
import { type ReplicaSettings, replicaSettings } from './settings.ts'
import { PasswordMatcher } from './threads/passwordMatcher.ts'
import { RecoveryPool } from './threads/recoveryPool.ts'

export interface ServerReplica extends ServedReplica {
  readonly node: ReadNode & ServedReplica['node']
  readonly mirror: Replica['mirror']
  readonly config: ChainConfig
  readonly settings: NodeSettings
  close(): Promise<void>
}

/**
 * Opens the mirror that the options name.
 * @throws {NodeError} INVALID_OPTION, MISSING_PACKAGE, MIRROR_UNAVAILABLE, MIRROR_DAMAGED, MIRROR_FORMAT, MIRROR_UNSIGNED,
 *   HEAD_UNTRUSTED
 */
export async function openServerReplica(
  input: Pick<ServerNodeDeps, 'options' | 'logger' | 'runtimeName'>,
): Promise<ServerReplica> {
  const { options, logger, runtimeName } = input
  const replicaOptions = replicaSettings(options)
  if (replicaOptions === undefined) throw new NodeError({ code: 'INVALID_OPTION' }, '--mirror-from is missing')
  const crypto = installStartCrypto()
  installMirrorReading()
  const settings = settingsOf(options, false, { memoryBytes: processMemory() })
  const objects = await openObjectReader(replicaOptions.url, process.env)
  const upstream = openUpstream(replicaOptions.upstream, logger)
  const senders = new RecoveryPool()
  const passwords = new PasswordMatcher()
  const categories = metricCategories(options)
  const usage = categories && observeProcess(undefined)
  const metrics = categories && new MemoryMetrics({ categories })
  const release = async (): Promise<void> => {
    upstream?.close()
    usage?.close()
    await Promise.all([senders.close(), passwords.close()])
  }
  try {
    const { nativeModule } = await crypto
    const host = {
      objects,
      upstream,
      clock: systemClock,
      timers: systemTimers,
      random: systemRandom,
      yieldToHost,
      logger,
      senders,
      scripts: scriptEngine,
      explorer: explorerFiles(),
      access: await openHostAccess(options, passwords.matches),
      servesTls: true,
      platform: `${os.platform()}-${os.arch()}/${runtimeName}`,
      loadReferenceEvm,
      openVerification: await verificationOf(replicaOptions, logger),
      ...(metrics === undefined ? {} : { metrics }),
      ...(nativeModule === undefined ? {} : { evmModule: nativeModule }),
    }
    const { node, config, mirror, close } = await openReplica(host, replicaOptions, settings)
    return {
      node: { ...node, goOnline: async () => {} },
      host: { logger, timers: systemTimers, metrics },
      config,
      mirror,
      settings,
      directory: undefined,
      close: async () => {
        await close()
        await release()
      },
    }
  } catch (error) {
    await objects.close()
    await release()
    throw error
  }
}

async function verificationOf(
  { verifiesSeals, checkpoint }: ReplicaSettings,
  logger: Logger,
): Promise<ReplicaHost['openVerification']> {
  if (!verifiesSeals) return undefined
  const { sealVerification } = await import('../../src/node/readOnly/sealVerification.ts')
  return sealVerification({ clock: systemClock, yieldToHost, logger: logger.child('mirror') }, checkpoint)
}

/** @param url undefined: transactions are refused */
function openUpstream(url: NodeOptions['mirror-upstream'], logger: Logger): RemoteClient | undefined {
  if (url === undefined) return undefined
  return createRemoteClient({
    sources: [openRemoteTransport(url, { openSocket: openRemoteSocket })],
    clock: systemClock,
    timers: webWaitTimers,
    random: systemRandom,
    logger: logger.child('upstream'),
  })
}
