/**
 * A read-only node over a mirror: it follows the manifests of a publisher, and has no data itself.
 * @module
 */
import type { MirrorReading } from '../../api/mirrorAccess.ts'
import { withSmallestCaches } from '../../base/limits/memoryShares.ts'
import type { MetricsRegistry } from '../../base/ports/metrics.ts'
import type { ObjectReader } from '../../base/ports/objectStore.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { storedConfig } from '../../config/storedConfig.ts'
import { mirrorDamaged, mirrorFormat } from '../../mirror/errors.ts'
import { MirrorFollower } from '../../mirror/follower.ts'
import { IDENTITY_NAME } from '../../mirror/format/names.ts'
import type { KnownIdentity } from '../../mirror/mirrorObjects.ts'
import { SegmentSource } from '../../mirror/read/segmentSource.ts'
import { SegmentStore } from '../../mirror/segmentStore.ts'
import { METADATA_NAMES, startKeys } from '../../mirror/startKeys.ts'
import type { RemoteClient } from '../../remote/contract.ts'
import { MemoryStore } from '../../storage/memoryStore.ts'
import { readMetadata } from '../../storage/metadata.ts'
import { ResidentStore } from '../../storage/residentStore.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { keys } from '../../storage/schema.ts'
import { mirrorMetrics } from '../mirrorMetrics.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'
import { CallHints } from './callHints.ts'
import { Following, type VerifyStep } from './following.ts'
import { Freshness } from './freshness.ts'
import { openExecution } from './readOnlyBackend.ts'
import { createReadNode, type ReadNode, type ReadNodeHost } from './readOnlyNode.ts'
import { ReplicaViews } from './replicaViews.ts'
import { UpstreamTransactions } from './upstream.ts'

export interface ReplicaHost extends Omit<ReadNodeHost, 'store' | 'residency' | 'renewSnapshot' | 'workers'> {
  readonly objects: ObjectReader
  /** The node that takes transactions; undefined: they are refused */
  readonly upstream?: Pick<RemoteClient, 'request'> | undefined
  readonly metrics?: MetricsRegistry | undefined
  /** Verifies more than the signatures of the publisher; undefined: these suffice */
  readonly openVerification?: ((chain: VerifiedMirror) => VerifyStep) | undefined
}

/** The chain of a mirror whose states are verified. */
export interface VerifiedMirror {
  readonly config: ChainConfig
  readonly schedule: ConsensusSchedule
  readonly identity: KnownIdentity
  readonly source: SegmentSource
}

export interface ReplicaOptions {
  /** Whose signature counts, 20 bytes; undefined: the publisher that the mirror names, with a warning */
  readonly publisher: Uint8Array | undefined
  /** Memory for values, indexes and blocks. */
  readonly cacheBytes: number
  /** Time between two looks for a newer manifest; undefined: only {@link Replica.poll} looks. */
  readonly pollMs: number | undefined
  /** Age of a manifest from which the node is not ready. */
  readonly maxLagMs: number
  /** Whether the head may be named beyond that age. */
  readonly whenStale: 'serve' | 'refuse'
  /** Reads of the store that run at the same time; default: {@link MAX_MIRROR_READS}. */
  readonly maxParallel?: number | undefined
  /** Longest index that is read with its directory; default: {@link MAX_INDEX_AHEAD_BYTES}. */
  readonly maxIndexBytes?: number | undefined
  /** Reads of the store that one request may make; default: any number. */
  readonly readsPerRequest?: number | undefined
}

export interface Replica {
  readonly node: ReadNode
  readonly config: ChainConfig
  readonly mirror: MirrorReading
  /** Looks for a newer manifest now, instead of at the next time. Never rejects: the status has the reason. */
  poll(): Promise<void>
  /** Tells subscribers and filters of blocks that they do not know yet. */
  refresh(): Promise<void>
  /** Ends the looks, and closes the store of objects. */
  close(): Promise<void>
}

/** Of the cache, for single values and for ranges; the rest is for segments. */
const VALUE_SHARE = 0.3
const RANGE_SHARE = 0.1

/**
 * Answers as soon as the newest manifest is known.
 * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED, MIRROR_FORMAT, MIRROR_UNSIGNED, INVALID_GENESIS, and those of the
 *   verification
 */
export async function openReplica(host: ReplicaHost, options: ReplicaOptions, given: NodeSettings): Promise<Replica> {
  const { cacheBytes, publisher } = options
  const { objects, logger } = host
  const source = new SegmentSource(objects, { ...options, cacheBytes: cacheBytes * (1 - VALUE_SHARE - RANGE_SHARE) })
  const follower = await MirrorFollower.open({ objects, source, publisher })
  const limits = { bytes: cacheBytes * VALUE_SHARE, rangeBytes: cacheBytes * RANGE_SHARE }
  const segments = new SegmentStore(follower.view, source)
  const config = await configOf(segments, follower)
  const store = new ResidentStore(segments, limits)
  const memory = withSmallestCaches(given.memory)
  const none = { p2pEnabled: false, hasPeers: false, isDev: false, slotsInEpoch: undefined }
  const settings: NodeSettings = { ...given, ...none, memory }
  if (publisher === undefined) {
    logger.warn('any publisher is trusted: whoever can write to the store decides what this node answers', {
      publisher: bytesToHex(follower.identity.publisher),
    })
  }
  const execution = openExecution({ ...host, store }, config, settings)
  const { identity } = follower
  const verify = host.openVerification?.({ config, schedule: execution.consensus, identity, source })
  await verify?.({ view: follower.view, changed: undefined })
  const freshness = new Freshness(host.clock, options.maxLagMs, follower.view.manifest)
  const views = await ReplicaViews.open(
    {
      host,
      identity,
      config,
      settings,
      execution,
      source,
      hints: new CallHints(),
      readsPerRequest: options.readsPerRequest,
      requireFresh: options.whenStale === 'refuse' ? () => freshness.requireFresh() : () => {},
    },
    follower.view,
    store,
  )
  const following = new Following(host, options.pollMs, { follower, views, source, freshness, verify })
  const upstream = host.upstream && new UpstreamTransactions(host.upstream, host.clock)
  const mirror: MirrorReading = following
  const readHost = { ...host, store: views, residency: views }
  const parts = {
    views,
    mirror,
    standstill: () => freshness.reason,
    ...(upstream === undefined ? {} : { pool: upstream, submission: upstream }),
  }
  const node = await retryMisses(() => createReadNode(readHost, config, settings, { replica: parts }), views)
  if (host.metrics !== undefined) mirrorMetrics(host.metrics, mirror)
  const refresh = (): Promise<void> =>
    retryMisses(() => {
      node.refresh()
      upstream?.forgetPublished(node.chain)
    }, views)
  following.begin(refresh)
  return { node, config, mirror, refresh, poll: () => following.poll(), close: () => following.close() }
}

/** The configuration as the publisher's database has it: it may have later forks than `mirror.json`. */
async function configOf(segments: SegmentStore, { identity, view }: MirrorFollower): Promise<ChainConfig> {
  const wanted = METADATA_NAMES.map(keys.meta)
  // The first keys of the chain are read with it, and stay in the cache of blocks.
  const values = await segments.getMany([...wanted, ...startKeys(view.manifest, identity)])
  const memory = new MemoryStore()
  memory.commit(wanted.map((key, i) => ({ key, value: values[i] })))
  const metadata = readMetadata(memory)
  if (metadata === undefined) throw mirrorFormat(IDENTITY_NAME, 'the mirror has no chain')
  if (!equalBytes(metadata.genesisHash, identity.genesisHash)) {
    throw mirrorDamaged(IDENTITY_NAME, 'it names another genesis block than the chain has')
  }
  return storedConfig(metadata.genesis)
}
