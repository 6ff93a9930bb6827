/**
 * A dev node whose commits a test publishes, and replicas of it.
 * @module
 */
import type { KeyValueStore, Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import type { NodeHost } from '../../../src/node/host.ts'
import { openReplica, type Replica, type ReplicaHost, type ReplicaOptions } from '../../../src/node/readOnly/replica.ts'
import { type NodeSettings, settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { FakeTime } from '../host/fakeTime.ts'
import { type OpenedNode, openDevNode } from '../nodes/devNodeInMemory.ts'
import { testReadHost } from '../nodes/readHost.ts'
import { replyText } from '../rpc/replyText.ts'
import { MemoryObjects } from './memoryObjects.ts'
import { TEST_MIRROR_PUBLISHER, TestPublisher } from './testPublisher.ts'

const START_MS = 1_800_000_000_000
const UNPUBLISHED: readonly number[] = [Column.localTransaction]

export interface MirroredNode extends OpenedNode {
  readonly objects: MemoryObjects
  readonly publisher: TestPublisher
  readonly time: FakeTime
  /** Of the node. */
  readonly store: KeyValueStore
  /** Publishes what was committed since the last call, as one manifest. */
  publish(): Promise<void>
  /** Opens a replica, whose clock and timers are `time`. */
  openReplica(options?: Partial<ReplicaOptions>, host?: Partial<ReplicaHost>): Promise<OpenedReplica>
}

export interface OpenedReplica extends Replica {
  /** @returns the answer of JSON-RPC, or of a batch */
  ask(request: unknown): Promise<unknown>
  /** @returns the result @throws {Error} with the message and `code` of a JSON-RPC error */
  rpc<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
}

/** @param segmentBytes of merged segments, about */
export async function openMirroredNode(
  inlineBytes?: number,
  segmentBytes?: number,
  host: Partial<NodeHost> = {},
): Promise<MirroredNode> {
  const memory = new MemoryStore()
  let committed: Mutation[] = []
  const store: KeyValueStore = {
    get: (key) => memory.get(key),
    getMany: (keys) => memory.getMany(keys),
    range: (options) => memory.range(options),
    commit: (batch) => {
      committed.push(...batch)
      memory.commit(batch)
    },
    close: () => memory.close(),
  }
  const opened = await openDevNode({}, store, host)
  const { node } = opened
  const { hash: genesisHash } = node.chain.genesis
  const identity = { chainId: node.chain.config.chainId, genesisHash, genesis: JSON.stringify(devGenesis()) }
  const time = new FakeTime(START_MS)
  const objects = new MemoryObjects()
  const publisher = new TestPublisher(objects, {
    identity,
    now: () => time.now(),
    ...(inlineBytes === undefined ? {} : { inlineBytes }),
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  })
  const publish = async (): Promise<void> => {
    const batch = committed.filter(({ key }) => !UNPUBLISHED.includes(key[0] ?? 0))
    committed = []
    const { header, hash } = node.chain.head
    publisher.head = { number: Number(header.number), hash }
    await publisher.commit(batch)
  }
  await publish()
  return {
    ...opened,
    objects,
    publisher,
    time,
    store,
    publish,
    openReplica: (options, host) => openTestReplica(objects, time, options, host),
  }
}

const SETTINGS: NodeSettings = settingsOf(defaultOptions(true), true)

/** A replica of any mirror of {@link TestPublisher}. */
export async function openTestReplica(
  objects: MemoryObjects,
  time: FakeTime,
  options: Partial<ReplicaOptions> = {},
  host: Partial<ReplicaHost> = {},
): Promise<OpenedReplica> {
  const replica = await openReplica(
    {
      objects,
      ...(await testReadHost(time)),
      ...host,
    },
    {
      publisher: TEST_MIRROR_PUBLISHER,
      cacheBytes: 32 << 20,
      pollMs: 1000,
      maxLagMs: 60_000,
      whenStale: 'serve',
      ...options,
    },
    { ...SETTINGS, processingTimeoutMs: 2 ** 30 },
  )
  const ask = async (request: unknown): Promise<unknown> => {
    const { exchange } = replica.node.endpoints.get('http')
    return JSON.parse(await replyText(await exchange.handle({ body: JSON.stringify(request) })))
  }
  const rpc = async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const answer = await ask({ jsonrpc: '2.0', id: 1, method, params })
    const { result, error } = answer as { result: T; error?: { message: string; code: number } }
    if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
    return result
  }
  return { ...replica, ask, rpc }
}

/** 32 bytes in hex as a word of storage or calldata. */
export function word(value: bigint | string): string {
  return typeof value === 'string' ? value.replace('0x', '').padStart(64, '0') : value.toString(16).padStart(64, '0')
}
