/**
 * 50 nodes exchange 500 transactions per second of virtual time over random connections. ISONODE_LONG_COUNT is the
 * number of virtual seconds.
 */
import { expect, it } from 'vitest'
import { silentLogger } from '../../src/base/ports/logging.ts'
import { Emitter } from '../../src/base/primitives/events.ts'
import { keccak256 } from '../../src/base/primitives/keccak.ts'
import type { GossipDeps, GossipPool } from '../../src/net/gossip/contract.ts'
import { TransactionGossip } from '../../src/net/gossip/transactionGossip.ts'
import { encodeEthMessage } from '../../src/net/protocols/eth/codec.ts'
import { keyToText } from '../../src/storage/keyText.ts'
import type { IncomingTransaction, PoolEvents, PooledTransaction } from '../../src/txpool/contract.ts'
import { decodePooledTransaction } from '../../src/types/blobSidecar.ts'
import { Life, SimulatedWorld } from '../simulation/world.ts'
import { accountAddress } from '../support/chains/pool.ts'
import { STATED_SENDERS, TestProgress, transfer } from '../unit/net/gossip/gossipNodes.ts'
import { link, SimulatedPeers } from '../unit/net/gossip/simulatedPeers.ts'
import { longCount } from './count.ts'

const NODES = 50
const CONNECTIONS = 6
const PER_SECOND = 500
const SECONDS = Number.isFinite(longCount) ? longCount : 5
/** Transactions are mined after this time. */
const MINED_MS = 12_000
const SETTLE_MS = 5000

/** Admits every transaction, and removes it as mined after a while. */
class LightPool implements GossipPool {
  readonly events = new Emitter<PoolEvents>()
  readonly admittedAt: Float64Array
  readonly #world: SimulatedWorld
  readonly #byHash = new Map<string, PooledTransaction>()
  readonly #mined = new Set<string>()
  repeated = 0

  constructor(world: SimulatedWorld, count: number) {
    this.#world = world
    this.admittedAt = new Float64Array(count).fill(-1)
  }

  byHash(hash: Uint8Array): PooledTransaction | undefined {
    return this.#byHash.get(keyToText(hash))
  }

  transactions(): Iterable<PooledTransaction> {
    return this.#byHash.values()
  }

  check(): undefined {
    return undefined
  }

  admit({ transaction, encoding, isLocal }: IncomingTransaction) {
    const hash = keccak256(encoding as Uint8Array)
    const key = keyToText(hash)
    const index = Number((transaction as { readonly r: bigint }).r & 0xffffffffn)
    if (this.#byHash.has(key) || this.#mined.has(key)) this.repeated++
    const pooled: PooledTransaction = {
      ...{ transaction, encoding: encoding as Uint8Array, hash, isLocal, addedAtMs: 0, sequence: index },
      sender: accountAddress(index),
    }
    this.#byHash.set(key, pooled)
    this.admittedAt[index] = this.#world.now
    this.events.emit('added', pooled)
    return { kind: 'admitted', pooled } as const
  }

  /** Removes what is old. */
  mine(): void {
    for (const [key, pooled] of this.#byHash) {
      if (this.#world.now - (this.admittedAt[pooled.sequence] as number) < MINED_MS) return
      this.#byHash.delete(key)
      this.events.emit('mined', pooled)
    }
  }
}

it(`every transaction of ${SECONDS} s reaches all of ${NODES} nodes`, async () => {
  const world = new SimulatedWorld(1, Number.POSITIVE_INFINITY)
  const count = SECONDS * PER_SECOND
  const submittedAt = new Float64Array(count)
  const nodes = Array.from({ length: NODES }, (_, i) => {
    const life = new Life(world, `node ${i}`, Date.UTC(2026, 0, 1))
    const peers = new SimulatedPeers(life.name)
    peers.recordsSent = false
    const pool = new LightPool(world, count)
    peers.answer = (version, request) => {
      if (request.kind !== 'getPooledTransactions') return undefined
      const transactions = request.hashes.flatMap((hash) => pool.byHash(hash) ?? [])
      return encodeEthMessage(version, { kind: 'pooledTransactions', requestId: request.requestId, transactions })
    }
    const parts = {
      ...life,
      peers,
      pool,
      progress: new TestProgress(),
      senders: STATED_SENDERS,
      random: world.random.fork(),
    }
    // Transactions need no chain.
    const gossip = new TransactionGossip({ ...parts, logger: silentLogger } as unknown as GossipDeps)
    gossip.start()
    return { peers, pool, gossip }
  })
  for (const [i, node] of nodes.entries()) {
    for (let k = 1; k <= CONNECTIONS / 2; k++) {
      const other = k === 1 ? (i + 1) % NODES : world.random.below(NODES)
      const target = nodes[other]
      const isNew =
        target !== undefined && target !== node && node.peers.all.every(({ remote }) => remote !== target.peers)
      if (isNew) link(world, node.peers, target.peers, { version: world.random.chance(0.2) ? 66 : 68 })
    }
  }
  const submit = (index: number): void => {
    const encoding = transfer(index)
    const { pool } = nodes[world.random.below(NODES)] as (typeof nodes)[number]
    submittedAt[index] = world.now
    pool.admit({ ...decodePooledTransaction(encoding), encoding, isLocal: true })
    if (index + 1 < count) world.schedule(1000 / PER_SECOND, 'submit', () => submit(index + 1))
  }
  const mine = (): void => {
    for (const { pool } of nodes) pool.mine()
    world.schedule(1000, 'mine', mine)
  }
  const startedMs = performance.now()
  submit(0)
  mine()
  await world.pass(SECONDS * 1000 + SETTLE_MS)
  const delays: number[] = []
  let missing = 0
  for (const { pool } of nodes) {
    for (const [index, at] of pool.admittedAt.entries()) {
      if (at < 0) missing++
      else delays.push(at - (submittedAt[index] as number))
    }
  }
  delays.sort((a, b) => a - b)
  const at = (share: number): string => (delays[Math.floor((delays.length - 1) * share)] as number).toFixed(0)
  const repeated = nodes.reduce((sum, { pool }) => sum + pool.repeated, 0)
  const messages = nodes.reduce((sum, { peers }) => sum + peers.sentCount, 0)
  const seconds = (performance.now() - startedMs) / 1000
  console.log(
    `${count} transactions, ${(messages / SECONDS / NODES).toFixed(0)} messages per node and second, delay ${at(0.5)} ms (median), ${at(0.99)} ms (99 %), ${at(1)} ms (most), ${seconds.toFixed(0)} s`,
  )
  expect({ missing, repeated }).toEqual({ missing: 0, repeated: 0 })
  for (const { peers } of nodes) expect(peers.disconnects).toEqual([])
}, 7_200_000)
