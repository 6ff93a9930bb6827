// slow: many connections
import { describe, expect, it } from 'vitest'
import { MAX_MISBEHAVING_PEERS, PEER_ADMISSION_TIMEOUT_MS } from '../../../../../src/base/limits/limits.ts'
import { createSigner } from '../../../../../src/base/ports/keySigner.ts'
import { equalBytes } from '../../../../../src/base/primitives/bytes.ts'
import { nodeKey } from '../../../../../src/net/p2p/discovery/table.ts'
import { REFUSAL_RULES } from '../../../../../src/net/p2p/peers/policy.ts'
import { RefusedIds } from '../../../../../src/net/p2p/peers/refusedIds.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { areConnected, endsOf, isPeer, type PeerSettings, PeerWorld, type TestPeer } from './simulatedPeers.ts'

async function startMany(net: PeerWorld, count: number, settings?: PeerSettings): Promise<TestPeer[]> {
  const peers: TestPeer[] = []
  while (peers.length < count) peers.push(await net.start(settings))
  return peers
}

/** Each one connects to the target in turn. */
async function joinAll(net: PeerWorld, target: TestPeer, peers: readonly TestPeer[]): Promise<void> {
  for (const peer of peers) {
    peer.server.maintain(target.contact)
    await net.world.pass(1_500)
  }
}

const inbound = ({ server }: TestPeer): number => server.peers.filter(({ isInbound }) => isInbound).length

/** How the connections of a peer end that dials a node which does not take it. */
const refused = new Set(['unknown by remote'])

describe('the number of peers', () => {
  it('is limited: a full node refuses without a reason and does not dial, not even maintained peers', async () => {
    const net = new PeerWorld(1)
    const hub = await net.start({ limits: { maxPeers: 3, maxInboundPercent: 100 } })
    const peers = await startMany(net, 5)
    await joinAll(net, hub, peers)
    expect(hub.server.peerCount).toBe(3)
    expect(peers.slice(3).map((peer) => new Set(endsOf(peer)))).toEqual([refused, refused])
    const other = await net.start()
    hub.server.maintain(other.contact)
    await net.world.pass(30_000)
    expect(isPeer(hub, other)).toBe(false)
    peers[0]?.server.release(hub.contact)
    expect(await net.until(() => hub.server.peerCount === 3, 70_000)).toBe(true)
  })

  it('limits the share of inbound peers after their Status', async () => {
    const net = new PeerWorld(2)
    const hub = await net.start({ limits: { maxPeers: 5, maxInboundPercent: 60 } })
    const peers = await startMany(net, 5)
    await joinAll(net, hub, peers)
    expect([hub.server.peerCount, inbound(hub)]).toEqual([3, 3])
    expect(peers.slice(3).map((peer) => endsOf(peer)[0])).toEqual(['tooManyPeers by remote', 'tooManyPeers by remote'])
    const outbound = await net.start()
    hub.server.maintain(outbound.contact)
    await net.world.pass(2_000)
    expect(areConnected(hub, outbound)).toBe(true)
  })

  it('does not count maintained peers in the inbound share', async () => {
    const net = new PeerWorld(3)
    const hub = await net.start({ limits: { maxPeers: 4, maxInboundPercent: 25 } })
    const [first, friend, second] = (await startMany(net, 3)) as [TestPeer, TestPeer, TestPeer]
    await joinAll(net, hub, [first])
    // The friend cannot be dialled there, so it has to connect itself.
    hub.server.maintain({ ...friend.contact, host: '10.9.9.9' })
    await joinAll(net, hub, [friend, second])
    expect([isPeer(hub, first), isPeer(hub, friend), isPeer(hub, second)]).toEqual([true, true, false])
    first.server.release(hub.contact)
    await net.world.pass(70_000)
    expect([isPeer(hub, friend), isPeer(hub, second)]).toEqual([true, true])
  })

  it('lets chance choose among inbound peers on demand', async () => {
    let replaced = 0
    for (let seed = 1; seed <= 20; seed++) {
      const net = new PeerWorld(seed)
      const hub = await net.start({ limits: { maxPeers: 4, maxInboundPercent: 50, hasRandomPriority: true } })
      const peers = await startMany(net, 4)
      await joinAll(net, hub, peers)
      expect(inbound(hub)).toBe(2)
      if (peers.slice(2).some((peer) => isPeer(hub, peer))) replaced++
    }
    expect(replaced).toBeGreaterThan(8)
    expect(replaced).toBeLessThan(20)
  })

  it('gives a peer whose protocols do not agree no place for long', async () => {
    const net = new PeerWorld(4)
    const hub = await net.start({ limits: { maxPeers: 1, maxInboundPercent: 100 } })
    const [silent, honest] = (await startMany(net, 2)) as [TestPeer, TestPeer]
    silent.protocol.isAnswering = false
    await joinAll(net, hub, [silent])
    expect([hub.server.peerCount, hub.protocol.seen.length]).toEqual([0, 1])
    await joinAll(net, hub, [honest])
    expect(isPeer(hub, honest)).toBe(true)
    await net.world.pass(PEER_ADMISSION_TIMEOUT_MS)
    expect(endsOf(hub)[0]).toBe('timeout by local')
  })

  it('follows the decision of the operator on each peer', async () => {
    const net = new PeerWorld(5)
    const allowed = new Set<string>()
    const asked: string[] = []
    const hub = await net.start({
      permits: ({ id, host, tcpPort }, direction) => {
        asked.push(`${host}:${tcpPort} ${direction}`)
        return allowed.has(nodeKey(id))
      },
    })
    const [a, b] = (await startMany(net, 2)) as [TestPeer, TestPeer]
    await joinAll(net, hub, [a])
    hub.server.maintain(b.contact)
    expect(new Set(endsOf(a))).toEqual(refused)
    expect(new Set(asked)).toEqual(new Set([`${a.name}:30303 inbound`, `${b.name}:30303 outbound`]))
    for (const { contact } of [a, b]) allowed.add(nodeKey(contact.id))
    expect(await net.until(() => isPeer(hub, a) && isPeer(hub, b), 130_000)).toBe(true)
    hub.server.checkPermissions()
    expect(hub.server.peerCount).toBe(2)
    allowed.delete(nodeKey(a.contact.id))
    hub.server.checkPermissions()
    await net.world.pass(500)
    expect([endsOf(a).at(-1), endsOf(b)]).toEqual(['requested by remote', [undefined]])
  })

  it('follows a decision that changes while it dials', async () => {
    const net = new PeerWorld(8)
    let isAllowed = true
    let dials = 0
    const hub = await net.start({
      permits: () => isAllowed,
      wrapSockets: (sockets) => ({
        ...sockets,
        connect: async (address, options) => {
          const connection = await sockets.connect(address, options)
          isAllowed = ++dials > 1
          hub.server.checkPermissions()
          return connection
        },
      }),
    })
    const peer = await net.start()
    hub.server.maintain(peer.contact)
    await net.world.pass(1000)
    expect([dials, hub.protocol.seen.length, isPeer(peer, hub)]).toEqual([1, 0, false])
    isAllowed = true
    hub.server.checkPermissions()
    expect(await net.until(() => areConnected(hub, peer), 1000)).toBe(true)
  })
})

describe('refused peers', () => {
  it('are those whose ids are banned, maintained or not', async () => {
    const net = new PeerWorld(6)
    const signer = createSigner(new SeededRandom(9))
    const hub = await net.start({ bannedIds: [signer.publicKey] })
    const banned = await net.start({ signer })
    await joinAll(net, hub, [banned])
    hub.server.maintain(banned.contact)
    await net.world.pass(70_000)
    expect([endsOf(hub), endsOf(banned)[0]]).toEqual([[], 'unknown by remote'])
    expect(hub.server.isRefused(signer.publicKey)).toBe(true)
  })

  it('are those that broke a protocol, unless they are maintained', async () => {
    const net = new PeerWorld(7)
    const hub = await net.start()
    const [a, b] = (await startMany(net, 2)) as [TestPeer, TestPeer]
    hub.server.maintain(b.contact)
    await joinAll(net, hub, [a])
    await net.until(() => hub.server.peerCount === 2)
    for (const peer of hub.server.peers) peer.disconnect('breachOfProtocol', 'for a test')
    await net.world.pass(500)
    expect([endsOf(a)[0], endsOf(b)[0]]).toEqual(['breachOfProtocol by remote', 'breachOfProtocol by remote'])
    expect([hub, a].map(({ contact }) => hub.server.isRefused(contact.id))).toEqual([false, true])
    await net.world.pass(70_000)
    expect([isPeer(hub, a), isPeer(hub, b)]).toEqual([false, true])
    expect(endsOf(a).at(-1)).toBe('unknown by remote')
    // The operator forgives.
    hub.server.maintain(a.contact)
    expect(await net.until(() => isPeer(hub, a), 3_000)).toBe(true)
  })

  it('are remembered for breaches and versions only, the newest ones', () => {
    let nowMs = 0
    const refused = new RefusedIds([], { monotonic: () => nowMs })
    for (const by of ['local', 'remote', 'connection'] as const) {
      for (const reason of ['breachOfProtocol', 'incompatibleVersion', 'subprotocol', 'uselessPeer'] as const) {
        refused.note(`${reason} ${by}`, { reason, by })
      }
    }
    const kept = ['breachOfProtocol local', 'incompatibleVersion local', 'incompatibleVersion remote']
    const all = ['breachOfProtocol remote', 'subprotocol local', 'uselessPeer local', 'incompatibleVersion connection']
    expect([...kept, ...all].filter((key) => refused.has(key, false))).toEqual(kept)
    expect(refused.has('breachOfProtocol local', true)).toBe(false)
    nowMs += REFUSAL_RULES.firstMs
    expect(kept.some((key) => refused.has(key, false))).toBe(false)
    refused.note('breachOfProtocol local', { reason: 'breachOfProtocol', by: 'local' })
    nowMs += REFUSAL_RULES.firstMs
    expect(refused.has('breachOfProtocol local', false)).toBe(true)
    for (let i = 0; i < MAX_MISBEHAVING_PEERS; i++) refused.note(`${i}`, { reason: 'breachOfProtocol', by: 'local' })
    expect([refused.has(kept[0] as string, false), refused.has('0', false)]).toEqual([false, true])
  })
})

describe('one peer', () => {
  it('has one connection: a second one in the same direction is refused', async () => {
    const net = new PeerWorld(8)
    const hub = await net.start()
    const signer = createSigner(new SeededRandom(4))
    const twins = [await net.start({ signer }), await net.start({ signer })] as const
    for (const { server } of twins) server.maintain(hub.contact)
    await net.world.pass(3_000)
    expect(hub.server.peerCount).toBe(1)
    const refused = twins.filter((twin) => endsOf(twin)[0] === 'unknown by remote')
    expect(refused.length).toBe(1)
    await net.world.pass(65_000)
    expect([hub.server.peerCount, hub.protocol.seen.length]).toEqual([1, 1])
  })

  it('is not this node', async () => {
    const net = new PeerWorld(9)
    const hub = await net.start()
    hub.server.maintain(hub.contact)
    hub.server.setContacts(() => [hub.contact])
    // The same key at another address is noticed by the Hello.
    const twin = await net.start({ signer: hub.host.signer })
    const other = await net.start()
    other.server.setContacts(() => [{ ...twin.contact, id: hub.contact.id }])
    await net.world.pass(5_000)
    expect([hub.server.peerCount, twin.server.peerCount, hub.protocol.seen.length]).toEqual([0, 1, 0])
    expect(equalBytes(twin.server.peers[0]?.id as Uint8Array, other.contact.id)).toBe(true)
  })
})

describe('the reputation of a peer', () => {
  async function pair() {
    const net = new PeerWorld(10)
    const [a, b] = (await startMany(net, 2)) as [TestPeer, TestPeer]
    a.server.maintain(b.contact)
    await net.until(() => areConnected(a, b))
    const peer = a.server.peers[0] as TestPeer['server']['peers'][number]
    return { net, a, b, peer }
  }

  it('ends the connection at the third time-out of one kind in a row', async () => {
    const { net, a, peer } = await pair()
    for (const kind of ['headers', 'headers', 'bodies', 'bodies']) peer.report('timeout', kind)
    peer.report('useful', 'headers')
    peer.report('timeout', 'headers')
    peer.report('timeout', 'headers')
    expect(a.server.peerCount).toBe(1)
    peer.report('timeout', 'bodies')
    expect(a.server.peerCount).toBe(0)
    await net.world.pass(1_000)
    expect(endsOf(a)[0]).toBe('timeout by local')
  })

  it('ends the connection at the fifth useless answer within a minute', async () => {
    const { net, a, peer } = await pair()
    for (let i = 0; i < 8; i++) {
      peer.report('useless')
      await net.world.pass(16_000)
    }
    expect(a.server.peerCount).toBe(1)
    for (let i = 0; i < 5; i++) peer.report('useless')
    await net.world.pass(1_000)
    expect(endsOf(a)[0]).toBe('uselessPeer by local')
  })
})
