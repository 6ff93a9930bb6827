// slow: many connections
import { describe, expect, it } from 'vitest'
import {
  INBOUND_ATTEMPT_BURST,
  INBOUND_ATTEMPT_INTERVAL_MS,
  MAX_INBOUND_ADDRESSES,
} from '../../../../../src/base/limits/limits.ts'
import { publicRangesOf, rangesOf } from '../../../../../src/base/primitives/addressSite.ts'
import { InboundAttempts } from '../../../../../src/net/p2p/peers/inboundAttempts.ts'
import { isPeer, type PeerSettings, PeerWorld, type TestPeer } from './simulatedPeers.ts'

async function startAt(net: PeerWorld, hosts: readonly string[], settings?: PeerSettings): Promise<TestPeer[]> {
  const peers: TestPeer[] = []
  for (const host of hosts) peers.push(await net.start({ ...settings, host }))
  return peers
}

const hostsOf = (site: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${site}.${i + 1}`)

/** Connected peers of a node at addresses that begin with a prefix. */
const countAt = ({ server }: TestPeer, prefix: string): number =>
  server.peers.filter(({ remoteAddress }) => remoteAddress.host.startsWith(prefix)).length

describe('a site', () => {
  it('is a /24 of IPv4, or a /64 of IPv6 within a /48', () => {
    expect(rangesOf('203.0.113.7')).toEqual(rangesOf('::ffff:203.0.113.200'))
    expect(rangesOf('203.0.113.7')).not.toEqual(rangesOf('203.0.112.7'))
    expect(rangesOf('2001:db8:1:2:ffff:ffff:ffff:ffff')).toEqual(['2001:db8:1:2::/64', '2001:db8:1::/48'])
    expect(rangesOf('2001:db8:1::1')).toEqual(['2001:db8:1::/64', '2001:db8:1::/48'])
  })

  it('is one address on a local network, which is exempt from the limits of peers', () => {
    expect(rangesOf('192.168.1.1')).not.toEqual(rangesOf('192.168.1.2'))
    expect(rangesOf('fd00::1:0:0:0:1')).toEqual(['fd00:0:0:1::/64'])
    const local = [
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      '10.0.0.1',
      '172.17.0.1',
      '192.168.1.1',
      '100.64.0.1',
      'fd00::1',
      'fe80::1',
    ]
    expect(local.flatMap(publicRangesOf)).toEqual([])
    expect(['8.8.8.8', '2001:db8::1', '172.32.0.1'].map((host) => publicRangesOf(host).length)).toEqual([1, 2, 1])
  })
})

describe('outbound peers of one site', () => {
  it('hold a tenth of the places that inbound peers cannot take', async () => {
    const net = new PeerWorld(1)
    const crowd = await startAt(net, hostsOf('203.0.113', 20))
    const others = await startAt(net, ['198.51.100.1', '198.51.101.1', '198.51.102.1'])
    const hub = await net.start({ host: '192.0.2.1' })
    hub.server.setContacts(() => [...crowd, ...others].map(({ contact }) => contact))
    await net.world.pass(120_000)
    expect([countAt(hub, '203.'), countAt(hub, '198.')]).toEqual([1, 3])
    const first = crowd.find((peer) => isPeer(hub, peer)) as TestPeer
    void first.server.stop()
    await net.world.pass(120_000)
    expect([countAt(hub, '203.'), isPeer(hub, first)]).toEqual([1, false])
  })

  it('do not count if the operator has named them or has rules for nodes', async () => {
    const net = new PeerWorld(2)
    const crowd = await startAt(net, hostsOf('203.0.113', 6))
    const contacts = crowd.map(({ contact }) => contact)
    const [named, ruled] = await startAt(net, ['192.0.2.1']).then(async ([hub]) => [
      hub as TestPeer,
      await net.start({ host: '192.0.3.1', permits: () => true }),
    ])
    for (const contact of contacts.slice(0, 3)) named?.server.maintain(contact)
    for (const hub of [named, ruled]) hub?.server.setContacts(() => contacts)
    await net.world.pass(120_000)
    expect([named, ruled].map((hub) => countAt(hub as TestPeer, '203.'))).toEqual([4, 6])
  })
})

/** A node with 12 inbound places, to which peers at these hosts connect. */
async function crowded(net: PeerWorld, host: string, peers: readonly string[]): Promise<TestPeer> {
  const hub = await net.start({ host, limits: { maxPeers: 20, maxInboundPercent: 60 } })
  for (const peer of await startAt(net, peers)) peer.server.maintain(hub.contact)
  await net.world.pass(10_000)
  return hub
}

describe('inbound peers of one site', () => {
  it('hold a quarter of the inbound places', async () => {
    const net = new PeerWorld(3)
    const hub = await crowded(net, '192.0.2.1', hostsOf('203.0.113', 8))
    expect(countAt(hub, '203.')).toBe(3)
    const [honest] = await startAt(net, ['198.51.100.1'])
    honest?.server.maintain(hub.contact)
    await net.world.pass(10_000)
    expect(isPeer(hub, honest as TestPeer)).toBe(true)
  })

  it('hold half of them from one /48 of IPv6', async () => {
    const net = new PeerWorld(6)
    const hub = await crowded(
      net,
      '192.0.2.1',
      Array.from({ length: 10 }, (_, i) => `2001:db8:1:${i}::1`),
    )
    expect(countAt(hub, '2001:')).toBe(6)
  })

  it('are as many as there are places on a local network', async () => {
    const net = new PeerWorld(4)
    const hub = await crowded(net, '192.168.0.1', hostsOf('192.168.7', 14))
    expect(countAt(hub, '192.168.7.')).toBe(12)
  })
})

describe('inbound attempts of one address', () => {
  it('are closed at once beyond a burst and one in half a minute, unless the operator has named it', async () => {
    const net = new PeerWorld(5)
    const [hub, attacker] = [await net.start({ host: '192.0.2.1' }), net.computer('203.0.113.9')]
    let closed = 0
    const attempt = (): void => {
      void attacker.sockets.connect({ host: '192.0.2.1', port: hub.contact.tcpPort }).then((connection) => {
        connection.open({ onData: () => {}, onEnd: () => connection.end(), onClose: () => void closed++ })
      })
    }
    for (let i = 0; i < 100; i++) attempt()
    await net.world.pass(2_000)
    expect(100 - closed).toBe(INBOUND_ATTEMPT_BURST)
    await net.world.pass(INBOUND_ATTEMPT_INTERVAL_MS)
    closed = 0
    for (let i = 0; i < 10; i++) attempt()
    await net.world.pass(2_000)
    expect(10 - closed).toBe(1)
    hub.server.maintain({ ...hub.contact, id: attacker.host.signer.publicKey, host: attacker.name, tcpPort: 1 })
    closed = 0
    for (let i = 0; i < 10; i++) attempt()
    await net.world.pass(2_000)
    expect(closed).toBe(0)
  })

  it('are counted for a /64 together, not for local addresses, within bounded memory', () => {
    const attempts = new InboundAttempts(2)
    const allowed = (hosts: readonly string[]): boolean[] => hosts.map((host) => attempts.allows(host, 0))
    expect(allowed(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::3'])).toEqual([true, true, false, true])
    expect(allowed(['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2'])).toEqual([true, true, false, true])
    expect(allowed(Array.from({ length: 9 }, () => '172.17.0.1'))).not.toContain(false)
    const subnets = Array.from({ length: 6 }, (_, i) => `2001:db8:7:${i}::1`)
    expect(allowed(subnets)).toEqual([true, true, true, true, false, false])
    for (let i = 0; i < MAX_INBOUND_ADDRESSES; i++) attempts.allows(`198.${i >> 8}.${i & 255}.1`, 0)
    expect(attempts.allows('203.0.113.1', 0)).toBe(true)
  })
})
