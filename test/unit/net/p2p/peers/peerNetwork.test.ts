// slow: networks of many peers
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../../../adapters/server/crypto/crypto.ts'
import { KEPT_NODE_CONNECTION_MS } from '../../../../../src/base/limits/limits.ts'
import { createSigner } from '../../../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import { equalBytes } from '../../../../../src/base/primitives/bytes.ts'
import { createRecord, recordText } from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import {
  contactEntries,
  type ForkId,
  recordAddress,
  recordForkId,
} from '../../../../../src/net/p2p/discovery/recordEntries.ts'
import type { Enode } from '../../../../../src/net/p2p/enode.ts'
import { type DiscoverySettings, PeerNetwork } from '../../../../../src/net/p2p/peers/peerNetwork.ts'
import {
  DEFAULT_PEER_LIMITS,
  KEPT_NODES_INTERVAL_MS,
  type PeerLimits,
} from '../../../../../src/net/p2p/peers/policy.ts'
import type { ValueStore } from '../../../../../src/net/p2p/peers/storedValue.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { Zone } from '../discovery/zone.ts'
import { CALM, type Computer, PeerWorld, PORT, TestProtocol } from './simulatedPeers.ts'

const fork = (first: number): ForkId => ({ hash: Uint8Array.of(first, 2, 3, 4), next: 0n })

interface Node extends Computer {
  readonly network: PeerNetwork
  readonly saved: Uint8Array[]
  forkId: ForkId
}

interface Settings extends Partial<Pick<DiscoverySettings, 'bootnodes' | 'lists' | 'recordStore' | 'keptStore'>> {
  readonly forkId?: ForkId
  readonly limits?: Partial<PeerLimits>
  readonly isDiscovered?: boolean
  readonly port?: number
}

async function start(
  net: PeerWorld,
  { forkId = fork(1), limits, isDiscovered = true, port = PORT, ...settings }: Settings = {},
  computer: Computer = net.computer(),
): Promise<Node> {
  const saved: Uint8Array[] = []
  const recordStore: ValueStore = { load: () => saved.at(-1), save: (bytes) => void saved.push(bytes) }
  const state = { forkId }
  const network = await PeerNetwork.start({
    ...computer,
    log: silentLogger,
    listen: { host: computer.name, port },
    advertisedHost: computer.name,
    clientId: 'test',
    protocols: new TestProtocol(),
    limits: { ...DEFAULT_PEER_LIMITS, ...limits },
    bannedIds: [],
    ...(isDiscovered
      ? {
          discovery: {
            sockets: computer.udp,
            bootnodes: [],
            recordStore,
            keptStore: { load: () => undefined, save: () => {} },
            forkId: () => state.forkId,
            acceptsForkId: ({ hash }) => equalBytes(hash, state.forkId.hash),
            ...settings,
          },
        }
      : { discovery: undefined }),
  })
  return Object.assign(state, { ...computer, network, saved, forkId })
}

const count = ({ network }: Node): number => network.peers.length

beforeAll(async () => {
  await installNodeCrypto()
})

describe('a network of nodes with discovery', () => {
  it('connects all of them, given one bootnode', async () => {
    const net = new PeerWorld(1)
    const boot = await start(net)
    const nodes = [boot]
    while (nodes.length < 6) nodes.push(await start(net, { bootnodes: [boot.network.enode] }))
    const isComplete = await net.until(() => nodes.every((node) => count(node) === 5), 120_000)
    expect([isComplete, nodes.map(count)]).toEqual([true, [5, 5, 5, 5, 5, 5]])
  }, 60_000)

  it('keeps to the number of peers', async () => {
    const net = new PeerWorld(2)
    const boot = await start(net, { limits: { maxPeers: 3, maxInboundPercent: 100 } })
    const nodes = [boot]
    const limits = { maxPeers: 3, maxInboundPercent: 60 }
    while (nodes.length < 10) nodes.push(await start(net, { bootnodes: [boot.network.enode], limits }))
    for (let i = 0; i < 30; i++) {
      await net.world.pass(10_000)
      expect(Math.max(...nodes.map(count))).toBeLessThanOrEqual(3)
    }
    expect(nodes.filter((node) => count(node) >= 1).length).toBe(10)
  }, 60_000)

  it('finds its peers again after a restart, without a bootnode', async () => {
    const net = new PeerWorld(9)
    const boot = await start(net)
    const others = [await start(net, { bootnodes: [boot.network.enode] })]
    others.push(await start(net, { bootnodes: [boot.network.enode] }))
    const kept: Uint8Array[] = []
    const keptStore: ValueStore = { load: () => kept.at(-1), save: (bytes) => void kept.push(bytes) }
    const computer = net.computer()
    const limits = { wantedPeers: 3 }
    const node = await start(net, { bootnodes: [boot.network.enode], keptStore, limits }, computer)
    await net.world.pass(KEPT_NODE_CONNECTION_MS + KEPT_NODES_INTERVAL_MS)
    const outbound = node.network.peers.filter(({ isInbound }) => !isInbound).length
    expect(outbound).toBeGreaterThan(0)
    void node.network.stop()
    await net.world.pass(5_000)
    const restarted = await start(net, { keptStore, limits, port: PORT + 1 }, computer)
    expect(await net.until(() => count(restarted) >= outbound, 2_000)).toBe(true)
  }, 60_000)

  it('does not dial nodes on another fork', async () => {
    const net = new PeerWorld(3, { ...CALM, loss: 0 })
    const boot = await start(net)
    const bootnodes = [boot.network.enode]
    const same = [boot, await start(net, { bootnodes }), await start(net, { bootnodes })]
    const other = [await start(net, { bootnodes, forkId: fork(9) }), await start(net, { bootnodes, forkId: fork(9) })]
    await net.world.pass(180_000)
    const keysOf = ({ network }: Node): string[] =>
      network.peers.map(({ hello }) => Buffer.from(hello.nodeId).toString())
    const names = (nodes: readonly Node[]): string[] =>
      nodes.map(({ host }) => Buffer.from(host.signer.publicKey).toString())
    for (const node of same) for (const key of keysOf(node)) expect(names(same)).toContain(key)
    for (const node of other) for (const key of keysOf(node)) expect(names(other)).toContain(key)
    expect(same.map(count)).toEqual([2, 2, 2])
  }, 60_000)

  it('finds nodes by a list in the DNS', async () => {
    const net = new PeerWorld(4)
    const limits = { wantedPeers: 0 }
    const nodes = [
      await start(net, { limits }),
      await start(net, { limits }),
      await start(net, { forkId: fork(9), limits }),
    ]
    const zone = new Zone()
    const names = nodes.map(({ network }) => zone.add('n.example', recordText(network.record as never)))
    const tree = zone.add('n.example', `enrtree-branch:${names.join(',')}`)
    const none = zone.add('n.example', 'enrtree-branch:')
    const signer = createSigner(new SeededRandom(5))
    const url = zone.addRoot('n.example', signer, tree, none)
    const late = await start(net, { lists: { dns: zone, urls: [url] }, limits: { wantedPeers: 2 } })
    expect(await net.until(() => count(late) === 2, 20_000)).toBe(true)
    expect(nodes.map(count)).toEqual([1, 1, 0])
    const roots = (): number => zone.asked.filter((name) => name === 'n.example').length
    expect(roots()).toBe(1)
    await net.world.pass(600_000)
    expect(roots()).toBe(2)
    void late.network.stop()
    await net.world.pass(700_000)
    expect(roots()).toBe(2)
  }, 60_000)

  it('refuses an invalid list, and a host name to advertise', async () => {
    const net = new PeerWorld(5)
    const lists = { dns: new Zone(), urls: ['enrtree://x@y'] }
    await expect(start(net, { lists })).rejects.toMatchObject({ code: 'INVALID_NODE_LIST' })
    await expect(start(net, {}, net.computer('name.example'))).rejects.toMatchObject({ code: 'INVALID_P2P_HOST' })
    const named = await start(net, { isDiscovered: false }, net.computer('name.example'))
    expect(named.network.enode).toMatchObject({ host: 'name.example', port: PORT, discoveryPort: 0 })
  })
})

describe('a node without discovery', () => {
  it('has no UDP port and no record', async () => {
    const net = new PeerWorld(6)
    const node = await start(net, { isDiscovered: false })
    expect([node.network.enode.discoveryPort, node.network.record]).toEqual([0, undefined])
    const other = await start(net, { isDiscovered: false })
    const peer: Enode = other.network.enode
    node.network.maintain(peer)
    expect(await net.until(() => count(node) === 1 && count(other) === 1, 3_000)).toBe(true)
    node.network.release(peer)
    await net.world.pass(100_000)
    expect([count(node), count(other)]).toEqual([0, 0])
  })
})

describe('the record of a node', () => {
  it('has its address and its fork id', async () => {
    const net = new PeerWorld(7)
    const { network, name, forkId } = await start(net)
    const record = network.record as NonNullable<typeof network.record>
    expect(recordAddress(record)).toEqual({ host: name, udpPort: PORT, tcpPort: PORT })
    expect(recordForkId(record)).toEqual(forkId)
    expect(record.seq).toBe(1n)
  })

  it('gets a higher sequence number only when its content changes, across restarts', async () => {
    const net = new PeerWorld(8)
    const node = await start(net)
    const recordStore: ValueStore = {
      load: () => node.saved.at(-1),
      save: (bytes) => void node.saved.push(bytes),
    }
    const seq = (): bigint | undefined => node.network.record?.seq
    expect([seq(), seq(), node.saved.length]).toEqual([1n, 1n, 1])
    node.forkId = fork(5)
    expect([seq(), node.saved.length]).toEqual([2n, 2])
    await node.network.stop()
    const same = await start(net, { forkId: fork(5), recordStore }, node)
    expect([same.network.record?.seq, node.saved.length]).toEqual([2n, 2])
    await same.network.stop()
    const changed = await start(net, { forkId: fork(6), recordStore }, node)
    expect(changed.network.record?.seq).toBe(3n)
  })

  it('restarts its sequence numbers with another node key, or without a valid record', async () => {
    const net = new PeerWorld(9)
    const foreign = createRecord(createSigner(new SeededRandom(1)), 70n, contactEntries({ host: '1.2.3.4' })).bytes
    for (const bytes of [foreign, Uint8Array.of(1, 2, 3)]) {
      const { network } = await start(net, { recordStore: { load: () => bytes, save: () => {} } })
      expect(network.record?.seq).toBe(1n)
    }
  })
})
