import { describe, expect, it } from 'vitest'
import {
  MAX_PENDING_PEERS,
  MAX_PENDING_PEERS_PER_SITE,
  PENDING_PEER_GRACE_MS,
} from '../../../../../src/base/limits/limits.ts'
import type { TcpConnection } from '../../../../../src/base/ports/tcpSockets.ts'
import { PendingSlots } from '../../../../../src/net/p2p/peers/pendingSlots.ts'
import { areConnected, type Computer, PeerWorld, PORT, type TestPeer } from './simulatedPeers.ts'

/** Connects without ever sending anything. */
function connectSilently({ sockets }: Computer, target: TestPeer): { isClosed: boolean } {
  const state = { isClosed: false }
  const opened = (connection: TcpConnection): void =>
    connection.open({
      onData: () => {},
      onEnd: () => connection.end(),
      onClose: () => {
        state.isClosed = true
      },
    })
  void sockets.connect({ host: target.name, port: PORT }).then(opened, () => {
    state.isClosed = true
  })
  return state
}

describe('1,000 half-open handshakes', () => {
  it('of one host do not keep others out', async () => {
    const net = new PeerWorld(1)
    const [hub, attacker] = [await net.start(), net.computer()]
    const attempts = Array.from({ length: 1000 }, () => connectSilently(attacker, hub))
    const honest = [await net.start(), await net.start()]
    for (const { server } of honest) server.maintain(hub.contact)
    expect(await net.until(() => honest.every((peer) => areConnected(peer, hub)), 2_000)).toBe(true)
    expect(attempts.filter(({ isClosed }) => !isClosed).length).toBeLessThanOrEqual(MAX_PENDING_PEERS_PER_SITE)
    await net.world.pass(15_000)
    expect(attempts.every(({ isClosed }) => isClosed)).toBe(true)
    expect(hub.server.peerCount).toBe(2)
  })

  it('of many hosts keep others out for a second at most', async () => {
    const net = new PeerWorld(2)
    const hub = await net.start()
    const attempts: { isClosed: boolean }[] = []
    for (let i = 0; i < 1000; i++) {
      const attacker = net.computer()
      attempts.push(connectSilently(attacker, hub))
    }
    await net.world.pass(500)
    expect(attempts.filter(({ isClosed }) => !isClosed).length).toBe(MAX_PENDING_PEERS)
    await net.world.pass(PENDING_PEER_GRACE_MS)
    const honest = await net.start()
    honest.server.maintain(hub.contact)
    expect(await net.until(() => areConnected(honest, hub), 2_000)).toBe(true)
  })

  it('do not hinder outbound connections', async () => {
    const net = new PeerWorld(3)
    const [hub, other] = [await net.start(), await net.start()]
    for (let i = 0; i < 1000; i++) connectSilently(net.computer(), hub)
    hub.server.maintain(other.contact)
    expect(await net.until(() => areConnected(hub, other), 2_000)).toBe(true)
  })

  it('end with the node', async () => {
    const net = new PeerWorld(4)
    const hub = await net.start()
    const attempts = Array.from({ length: 40 }, () => connectSilently(net.computer(), hub))
    await net.world.pass(500)
    let isStopped = false
    void hub.server.stop().then(() => {
      isStopped = true
    })
    expect(await net.until(() => isStopped, 3_000)).toBe(true)
    await net.world.pass(500)
    expect(attempts.every(({ isClosed }) => isClosed)).toBe(true)
  })
})

describe('places of pending connections', () => {
  function places() {
    const state = { now: 0 }
    const ended: string[] = []
    const pending = new PendingSlots({ now: () => state.now, monotonic: () => state.now })
    const take = (host: string, name = host) => pending.take(host, () => void ended.push(name))
    return { state, ended, pending, take }
  }

  it('are shared by a /48 of IPv6, a /24 of IPv4, and both forms of an IPv4 address', () => {
    const { take, pending } = places()
    for (let i = 0; i < MAX_PENDING_PEERS_PER_SITE; i++) expect(take(`2001:db8:1:2::${i.toString(16)}`)).toBeDefined()
    expect(take('2001:db8:1:2:ffff::1')).toBeUndefined()
    expect(take('2001:db8:2:2::1')).toBeDefined()
    for (let i = 0; i < MAX_PENDING_PEERS_PER_SITE; i++) expect(take(`::ffff:1.2.3.${i}`)).toBeDefined()
    expect(take('1.2.3.4')).toBeUndefined()
    expect(pending.size).toBe(2 * MAX_PENDING_PEERS_PER_SITE + 1)
  })

  it('are taken from the oldest connection of the largest host', () => {
    const { state, take, ended, pending } = places()
    for (let i = 0; i < 20; i++) take('9.9.9.9', `large ${i}`)
    for (let i = 0; i < MAX_PENDING_PEERS - 20; i++) take(`1.1.${i}.1`)
    expect([take('5.5.5.5'), ended]).toEqual([undefined, []])
    state.now += PENDING_PEER_GRACE_MS
    expect(take('5.5.5.5')).toBeDefined()
    expect(ended).toEqual(['large 0'])
    expect(pending.size).toBe(MAX_PENDING_PEERS)
  })

  it('are freed once', () => {
    const { take, pending } = places()
    const free = take('1.1.1.1')
    take('1.1.1.1')
    free?.()
    free?.()
    expect(pending.size).toBe(1)
  })
})
