// slow: many encrypted messages
import { describe, expect, it } from 'vitest'
import {
  MAX_RLPX_BACKLOG_BYTES,
  RLPX_DELIVERY_TIMEOUT_MS,
  RLPX_DISCONNECT_TIMEOUT_MS,
  RLPX_HELLO_TIMEOUT_MS,
  RLPX_PING_INTERVAL_MS,
  RLPX_PONG_TIMEOUT_MS,
} from '../../../../../src/base/limits/limits.ts'
import { equalBytes } from '../../../../../src/base/primitives/bytes.ts'
import type { AgreedCapability } from '../../../../../src/net/p2p/rlpx/capabilities.ts'
import { encodeDisconnect } from '../../../../../src/net/p2p/rlpx/disconnect.ts'
import { encodeHello, type Hello } from '../../../../../src/net/p2p/rlpx/hello.ts'
import { snappyCompress } from '../../../../../src/net/p2p/rlpx/snappy.ts'
import { FAIR_NETWORK } from '../../../../simulation/network.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { hostOf } from './handshakes.ts'
import { CLEAN, ETH, openPeer, type Pair, type Peer, RawPeer, SNAP, simulate, simulatePair } from './peers.ts'

const agreed = (peer: Peer): AgreedCapability => peer.opened[0]?.capabilities[0] as AgreedCapability

async function openPair(...options: Parameters<typeof simulatePair>): Promise<Pair> {
  const pair = await simulatePair(...options)
  await pair.world.run(() => pair.a.session.isOpen && pair.b.session.isOpen, 30_000)
  expect([pair.a.opened.length, pair.b.opened.length]).toEqual([1, 1])
  return pair
}

/** A session of Bob, and a peer under the control of the test at the other end. */
async function openRaw(hello: Partial<Hello> = {}, isCompressing = (hello.version ?? 5) >= 5) {
  const simulation = simulate(5)
  const { alice, bob, world } = simulation
  const [near, far] = await simulation.connect()
  const peer = openPeer(bob.host, far)
  const raw = new RawPeer(alice.host, near, bob.host.signer.publicKey)
  await world.run(() => raw.received.length > 0, 5000)
  const payload = encodeHello({
    version: 5,
    clientId: 'raw',
    capabilities: [{ name: 'eth', version: 68 }],
    port: 0,
    nodeId: alice.host.signer.publicKey,
    ...hello,
  })
  raw.send(0, payload)
  raw.transport.finishHello(isCompressing)
  await world.run(() => peer.session.isOpen || raw.isClosed, 15_000)
  return { ...simulation, peer, raw }
}

/** Runs until Bob's session is closed. */
async function endOf({ world, peer }: { world: Pair['world']; peer: Peer }) {
  await world.run(() => peer.ends.length > 0, world.now + 60_000)
  return peer.ends[0]
}

describe('a session', () => {
  it('opens on both sides with the identity and the capabilities of the other', async () => {
    const { a, b, alice, bob } = await openPair(1, CLEAN, [
      [ETH, SNAP],
      [SNAP, { ...ETH, version: 67 }, ETH],
    ])
    expect(a.opened[0]?.hello).toMatchObject({ version: 5, clientId: 'isonode/test', port: 30303 })
    expect(a.opened[0]?.hello.nodeId).toEqual(bob.host.signer.publicKey)
    expect(b.session.remoteId).toEqual(alice.host.signer.publicKey)
    expect(a.opened[0]?.capabilities).toEqual(b.opened[0]?.capabilities)
    expect(a.opened[0]?.capabilities.map(({ name, offset }) => [name, offset])).toEqual([
      ['eth', 16],
      ['snap', 33],
    ])
  })

  it('delivers messages of each capability in order, over any segments', async () => {
    const { a, b, world } = await openPair(2, { ...FAIR_NETWORK, cut: 0 }, [
      [ETH, SNAP],
      [ETH, SNAP],
    ])
    const random = new SeededRandom(9)
    const sent = Array.from({ length: 100 }, (_, i) => {
      const capability = a.opened[0]?.capabilities[i % 2] as AgreedCapability
      const payload = random.bytes(random.below(i % 20 === 0 ? 100_000 : 300))
      const code = random.below(capability.length)
      a.session.send(capability, code, payload)
      return { name: capability.name, code, payload }
    })
    await world.run(() => b.messages.length === 100, 60_000)
    expect(b.messages.map(({ name, code }) => [name, code])).toEqual(sent.map(({ name, code }) => [name, code]))
    expect(b.messages.every(({ payload }, i) => equalBytes(payload, sent[i]?.payload as Uint8Array))).toBe(true)
  })

  it('slows the sender down to the pace of a reader that pauses', async () => {
    const { a, b, world } = await openPair(3)
    b.session.pause()
    const payload = new SeededRandom(1).bytes(50_000)
    let sent = 1
    while (a.session.send(agreed(a), 1, payload)) sent++
    await world.pass(10_000)
    expect([a.drains, b.messages.length]).toEqual([0, 0])
    b.onMessage = () => {
      if (b.messages.length === 1) b.session.pause()
    }
    b.session.resume()
    await world.pass(1000)
    expect(b.messages.length).toBe(1)
    b.session.resume()
    await world.pass(1000)
    expect([a.drains, b.messages.length]).toEqual([1, sent])
    expect(a.ends).toEqual([])
  })

  it('drops a peer that does not read', async () => {
    const { a, b, world } = await openPair(4)
    b.session.pause()
    const payload = new SeededRandom(1).bytes(1_000_000)
    let most = 0
    for (let i = 0; i < 40; i++) {
      a.session.send(agreed(a), 1, payload)
      most = Math.max(most, a.session.backlog)
    }
    await world.pass(10_000)
    expect(most).toBeLessThan(MAX_RLPX_BACKLOG_BYTES + 1_100_000)
    expect(a.ends).toMatchObject([{ reason: 'tcpError', by: 'local', error: { code: 'PEER_DOES_NOT_READ' } }])
  })

  it('drops a peer that takes nothing for two minutes, although it is not read from either', async () => {
    const { a, b, world } = await openPair(4)
    b.session.pause()
    a.session.pause()
    const payload = new SeededRandom(1).bytes(1_000_000)
    a.session.send(agreed(a), 1, payload)
    await world.pass(RLPX_DELIVERY_TIMEOUT_MS - RLPX_PING_INTERVAL_MS)
    expect(a.ends).toEqual([])
    b.session.resume()
    await world.pass(1000)
    b.session.pause()
    expect(a.session.send(agreed(a), 1, payload)).toBe(false)
    await world.pass(RLPX_DELIVERY_TIMEOUT_MS - RLPX_PING_INTERVAL_MS)
    expect(a.ends).toEqual([])
    await world.pass(RLPX_PING_INTERVAL_MS + RLPX_PONG_TIMEOUT_MS + RLPX_DISCONNECT_TIMEOUT_MS)
    expect(a.ends).toEqual([{ reason: 'timeout', by: 'local' }])
  })

  it('flushes what was sent before it disconnects', async () => {
    const { a, b, world } = await openPair(5)
    const payload = new SeededRandom(1).bytes(200_000)
    a.session.send(agreed(a), 2, payload)
    a.session.disconnect('subprotocol')
    expect(a.session.send(agreed(a), 2, payload)).toBe(false)
    a.session.disconnect('requested')
    await world.run(() => a.ends.length + b.ends.length === 2, 10_000)
    expect(b.messages.length).toBe(1)
    expect(a.ends).toEqual([{ reason: 'subprotocol', by: 'local' }])
    expect(b.ends).toEqual([{ reason: 'subprotocol', by: 'remote' }])
  })

  it('closes within two seconds although the peer takes nothing', async () => {
    const { raw, peer, world } = await openRaw()
    raw.connection.pause()
    const start = world.now
    peer.session.disconnect('quitting')
    await world.run(() => peer.ends.length > 0, 60_000)
    expect(peer.ends).toEqual([{ reason: 'quitting', by: 'local' }])
    expect(world.now - start).toBeLessThan(2100)
  })

  it('reports a lost connection', async () => {
    const context = await openRaw()
    context.raw.connection.destroy()
    expect(await endOf(context)).toMatchObject({
      reason: 'tcpError',
      by: 'connection',
      error: { code: 'CONNECTION_FAILED' },
    })
  })

  it('closes once on each side, whenever the connection is cut', async () => {
    let cuts = 0
    for (let seed = 1; seed <= 40; seed++) {
      const { a, b, world, network } = await simulatePair(seed, { ...FAIR_NETWORK, cut: 0.08 })
      const chat = (from: Peer): void => {
        if (from.session.isOpen) from.session.send(agreed(from), 1, new SeededRandom(seed).bytes(3000))
      }
      for (let i = 0; i < 20; i++) {
        await world.pass(50)
        chat(a)
        chat(b)
      }
      if (seed % 4 === 0) network.partition([['alice'], ['bob']])
      await world.pass(45_000)
      if (a.ends.length > 0) cuts++
      else a.session.disconnect('quitting')
      await world.pass(45_000)
      expect([a.ends.length, b.ends.length], `seed ${seed}`).toEqual([1, 1])
      expect([a.session.isOpen, b.session.isOpen]).toEqual([false, false])
      const expected = new SeededRandom(seed).bytes(3000)
      for (const { payload } of [...a.messages, ...b.messages]) expect(equalBytes(payload, expected)).toBe(true)
    }
    expect(cuts).toBeGreaterThan(20)
  })

  it('ends when the peer closes its side without a reason', async () => {
    const context = await openRaw()
    context.raw.connection.end()
    expect(await endOf(context)).toEqual({ reason: 'tcpError', by: 'connection' })
  })

  it('refuses codes that the capability lacks', async () => {
    const { a } = await openPair(7)
    expect(() => a.session.send(agreed(a), 17, new Uint8Array(0))).toThrow(RangeError)
    expect(() => a.session.send(agreed(a), -1, new Uint8Array(0))).toThrow(RangeError)
  })
})

describe('the Hello of a session', () => {
  it('must share a capability', async () => {
    const { a, b, world } = await simulatePair(8, CLEAN, [[ETH], [SNAP]])
    await world.run(() => a.ends.length + b.ends.length === 2, 20_000)
    for (const { reason } of [...a.ends, ...b.ends]) expect(reason).toBe('uselessPeer')
    expect([a.opened.length, b.opened.length]).toEqual([0, 0])
  })

  it('must carry the id of the handshake', async () => {
    const context = await openRaw({ nodeId: hostOf(77).signer.publicKey })
    expect(await endOf(context)).toEqual({ reason: 'unexpectedIdentity', by: 'local' })
  })

  it('must be of another node', async () => {
    const simulation = simulate(9)
    const { alice, world } = simulation
    const [near, far] = await simulation.connect()
    const a = openPeer(alice.host, near, alice.host.signer.publicKey)
    const b = openPeer(alice.host, far)
    await world.run(() => a.ends.length + b.ends.length === 2, 20_000)
    for (const { reason } of [...a.ends, ...b.ends]) expect(reason).toBe('localIdentity')
  })

  it('of version 4 switches compression off', async () => {
    const { raw, peer, world } = await openRaw({ version: 4 })
    raw.send(18, Uint8Array.of(0xc1, 1))
    await world.run(() => peer.messages.length > 0, 15_000)
    expect(peer.messages).toEqual([{ name: 'eth', code: 2, payload: Uint8Array.of(0xc1, 1) }])
    peer.session.send(agreed(peer), 3, new Uint8Array(500))
    await world.run(() => raw.received.length > 1, 15_000)
    expect(raw.received[1]).toEqual([19, new Uint8Array(500)])
  })

  it('must arrive in ten seconds, as the handshake', async () => {
    for (const isSilent of [true, false]) {
      const simulation = simulate(10)
      const { alice, bob, world } = simulation
      const [near, far] = await simulation.connect()
      const start = world.now
      const peer = openPeer(bob.host, far)
      if (isSilent) near.open({ onData: () => {}, onEnd: () => near.end(), onClose: () => {} })
      else new RawPeer(alice.host, near, bob.host.signer.publicKey)
      await world.run(() => peer.ends.length > 0, 60_000)
      expect(peer.ends).toEqual([{ reason: 'timeout', by: 'local' }])
      expect(world.now - start).toBeGreaterThanOrEqual(RLPX_HELLO_TIMEOUT_MS)
      expect(world.now - start).toBeLessThan(RLPX_HELLO_TIMEOUT_MS + 2500)
    }
  })
})

describe('messages of the p2p protocol', () => {
  it('ping a silent peer after 5 s and drop it after 10 s more', async () => {
    const context = await openRaw()
    const { raw, world, peer } = context
    const start = world.now
    await world.run(() => raw.received.length > 1, 60_000)
    expect(raw.received[1]?.[0]).toBe(2)
    expect(world.now - start).toBeGreaterThanOrEqual(RLPX_PING_INTERVAL_MS - 100)
    expect(await endOf(context)).toEqual({ reason: 'timeout', by: 'local' })
    expect(world.now - start).toBeLessThan(RLPX_PING_INTERVAL_MS + RLPX_PONG_TIMEOUT_MS + 2500)
    expect(raw.received.at(-1)).toEqual([1, encodeDisconnect('timeout')])
    expect(peer.session.isOpen).toBe(false)
  })

  it('keep two idle sessions open', async () => {
    const { a, b, world } = await openPair(11)
    await world.pass(300_000)
    expect([a.ends, b.ends]).toEqual([[], []])
    expect([a.session.isOpen, b.session.isOpen]).toEqual([true, true])
  })

  it('answer each Ping, whatever its payload', async () => {
    const { raw, world, peer } = await openRaw()
    for (const payload of [Uint8Array.of(0xc0), new Uint8Array(0), Uint8Array.of(1, 2)]) raw.send(2, payload)
    await world.run(() => raw.received.length > 3, 10_000)
    expect(raw.received.slice(1)).toEqual([1, 2, 3].map(() => [3, Uint8Array.of(0xc0)]))
    expect(peer.ends).toEqual([])
  })

  it('ignore reserved codes and Pongs', async () => {
    const { raw, world, peer } = await openRaw()
    for (const code of [3, 4, 15]) raw.send(code)
    raw.send(16)
    await world.run(() => peer.messages.length > 0, 10_000)
    expect([peer.messages.length, peer.ends.length]).toEqual([1, 0])
  })

  it.each([
    ['c100', 'requested'],
    ['c104', 'tooManyPeers'],
    ['04', 'tooManyPeers'],
    ['', 'unknown'],
  ] as const)('end the session with a Disconnect %s', async (hex, reason) => {
    const context = await openRaw()
    context.raw.send(
      1,
      Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
    )
    expect(await endOf(context)).toEqual({ reason, by: 'remote' })
  })

  it('deliver nothing that follows a Disconnect or a breach', async () => {
    for (const last of [1, 200]) {
      const context = await openRaw()
      const payload = Uint8Array.of(0xc0)
      context.raw.sendAll([16, payload], [last, payload], [17, payload])
      await endOf(context)
      expect(context.peer.messages.map(({ code }) => code)).toEqual([0])
    }
  })

  it.each([
    ['a second Hello', 0, 'second Hello'],
    ['a code of no capability', 33, 'no agreed capability'],
    ['a large code', 65_535, 'no agreed capability'],
  ])('refuse %s', async (_, code, message) => {
    const context = await openRaw()
    context.raw.send(code)
    const end = await endOf(context)
    expect(end).toMatchObject({ reason: 'breachOfProtocol', by: 'local', error: { code: 'INVALID_P2P_MESSAGE' } })
    expect(end?.error?.message).toMatch(message)
    expect(context.raw.received.at(-1)).toEqual([1, encodeDisconnect('breachOfProtocol')])
  })

  it('refuse what is longer than its receiver allows, before it is decompressed', async () => {
    const context = await openRaw()
    context.peer.maxBytes = 1000
    context.raw.send(16, new Uint8Array(1000))
    context.raw.send(17, new Uint8Array(1001))
    const end = await endOf(context)
    expect(end).toMatchObject({ reason: 'breachOfProtocol', by: 'local', error: { code: 'INVALID_SNAPPY' } })
    expect(end?.error?.message).toMatch('1001 bytes where 1000 are allowed')
    expect(context.peer.messages.map(({ payload }) => payload.length)).toEqual([1000])
  })

  it.each([2, 3, 16, 33])('refuse code %i before the Hello', async (code) => {
    const simulation = simulate(12)
    const { alice, bob, world } = simulation
    const [near, far] = await simulation.connect()
    const peer = openPeer(bob.host, far)
    const raw = new RawPeer(alice.host, near, bob.host.signer.publicKey)
    await world.run(() => raw.received.length > 0, 5000)
    raw.send(code)
    expect((await endOf({ world, peer }))?.error?.message).toMatch('before the Hello')
    expect(raw.received.at(-1)).toEqual([1, encodeDisconnect('breachOfProtocol')])
  })

  it('accept a Disconnect before the Hello', async () => {
    const simulation = simulate(13)
    const { alice, bob, world } = simulation
    const [near, far] = await simulation.connect()
    const peer = openPeer(bob.host, far)
    const raw = new RawPeer(alice.host, near, bob.host.signer.publicKey)
    await world.run(() => raw.received.length > 0, 5000)
    raw.send(1, encodeDisconnect('tooManyPeers'))
    expect(await endOf({ world, peer })).toEqual({ reason: 'tooManyPeers', by: 'remote' })
  })
})

/** Of the p2p protocol, of eth, and of nothing. */
const CODES = [0, 1, 2, 3, 9, 16, 17, 32, 33, 200, 65_535]

describe('hostile bytes', () => {
  it('end a session at any stage, with the peer unharmed otherwise', async () => {
    const random = new SeededRandom(14)
    for (let run = 0; run < 12; run++) {
      const { peer, raw, world } = await openRaw()
      const frame = raw.transport.write({ code: 16, payload: random.bytes(200) })
      const at = random.below(frame.length)
      frame[at] = (frame[at] as number) ^ (1 + random.below(255))
      raw.connection.write(frame)
      expect(await endOf({ world, peer })).toMatchObject({ by: 'local', error: { code: 'INVALID_FRAME' } })
      expect(peer.messages).toEqual([])
    }
  })

  it('in valid frames are delivered, answered or refused', async () => {
    const random = new SeededRandom(16)
    const outcomes = new Set<string>()
    for (let run = 0; run < 40; run++) {
      const { peer, raw, world } = await openRaw({}, false)
      const payload = random.bytes(random.below(60))
      // Payloads are compressed by hand, because the peer does not compress.
      raw.send(16, snappyCompress(payload))
      raw.send(CODES[run % CODES.length] as number, run % 4 < 1 ? payload : snappyCompress(payload))
      raw.send(18, snappyCompress(payload))
      await world.run(() => peer.ends.length > 0, world.now + 500)
      outcomes.add(peer.ends[0]?.error?.code ?? peer.ends[0]?.by ?? 'delivered')
      expect(peer.messages[0]?.payload).toEqual(payload)
      if (peer.ends.length === 0) expect(peer.messages.at(-1)).toEqual({ name: 'eth', code: 2, payload })
    }
    expect([...outcomes].sort()).toEqual(['INVALID_P2P_MESSAGE', 'INVALID_SNAPPY', 'delivered', 'remote'])
  })

  it('never keep a handshake open longer than its time limit', async () => {
    const random = new SeededRandom(15)
    for (let run = 0; run < 40; run++) {
      const simulation = simulate(100 + run)
      const { bob, world } = simulation
      const [near, far] = await simulation.connect()
      const peer = openPeer(bob.host, far)
      near.open({ onData: () => {}, onEnd: () => near.end(), onClose: () => {} })
      const bytes = random.bytes(1 + random.below(5000))
      if (run % 2 === 0) bytes[0] = random.below(6)
      near.write(bytes)
      await world.run(() => peer.ends.length > 0, world.now + 20_000)
      expect(['breachOfProtocol', 'timeout']).toContain(peer.ends[0]?.reason)
    }
  })

  it('in 300 half-open handshakes end with their time limit and leave an honest peer unharmed', async () => {
    const { a, b, bob, alice, world } = await openPair(17)
    const strangers: Peer[] = []
    await bob.tcp.listen({ host: 'bob', port: 2 }, (connection) => {
      strangers.push(openPeer(bob.host, connection))
    })
    for (let i = 0; i < 300; i++) {
      void alice.tcp.connect({ host: 'bob', port: 2 }).then((connection) => connection.write(Uint8Array.of(1, 0x80, 4)))
    }
    await world.pass(15_000)
    expect(strangers.flatMap(({ ends }) => ends.map(({ reason }) => reason))).toEqual(Array(300).fill('timeout'))
    a.session.send(agreed(a), 3, Uint8Array.of(1))
    await world.pass(1000)
    expect([b.messages.length, a.ends, b.ends]).toEqual([1, [], []])
  })
})
