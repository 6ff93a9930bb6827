import { describe, expect, it } from 'vitest'
import { SharedWork, WorkAccount } from '../../../../../src/net/p2p/peers/workAccount.ts'
import type { AgreedCapability } from '../../../../../src/net/p2p/rlpx/capabilities.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { areConnected, endsOf, PeerWorld, type SeenConnection } from './simulatedPeers.ts'

describe('accounts of work', () => {
  it('let a single peer use much more than its own credit', () => {
    const shared = new SharedWork(0)
    const account = new WorkAccount(shared, 0, true)
    for (let atMs = 0; atMs < 60_000; atMs += 100) expect(account.spend(40, atMs)).toBe(0)
  })

  it('slow down a peer that uses more than the shared credit, and no other', () => {
    const shared = new SharedWork(0)
    const [greedy, modest] = [new WorkAccount(shared, 0, true), new WorkAccount(shared, 0, true)]
    let spentMs = 0
    for (let atMs = 0; atMs < 60_000; atMs += 10) {
      if (greedy.spend(0, atMs) === 0) {
        greedy.spend(50, atMs)
        spentMs += 50
      }
      if (atMs % 100 === 0) expect(modest.spend(1, atMs)).toBe(0)
    }
    expect(spentMs / 60).toBeGreaterThan(400)
    expect(spentMs / 60).toBeLessThan(500)
  })

  it('end a debt within seconds, however long a message took', () => {
    const shared = new SharedWork(0)
    const account = new WorkAccount(shared, 0, true)
    expect(account.spend(100_000, 0)).toBeGreaterThan(0)
    expect(account.spend(0, 1_000)).toBe(0)
  })

  it('read strangers for no more than the shared credit, however often they connect again', () => {
    const shared = new SharedWork(0)
    let spentMs = 0
    for (let atMs = 0; atMs < 60_000; atMs += 10) {
      const account = new WorkAccount(shared, atMs, false)
      if (account.delayMs(atMs) > 0) continue
      account.spend(50, atMs)
      spentMs += 50
      account.close(atMs)
    }
    expect(spentMs / 60).toBeGreaterThan(400)
    expect(spentMs / 60).toBeLessThan(500)
  })

  it('count a message that ends its connection', () => {
    const shared = new SharedWork(0)
    const messages = (): number => {
      const account = new WorkAccount(shared, 0, false)
      if (account.delayMs(0) > 0) return 0
      account.close(0)
      account.spend(100, 0)
      return 1
    }
    let count = 0
    for (let i = 0; i < 100; i++) count += messages()
    expect(count).toBe(10)
  })

  it('read a peer that was dialled, whatever strangers have used', () => {
    const shared = new SharedWork(0)
    const chosen = new WorkAccount(shared, 0, true)
    new WorkAccount(shared, 0, false).spend(5_000, 0)
    expect([chosen.delayMs(0), chosen.spend(500, 0)]).toEqual([0, 0])
    expect(new WorkAccount(shared, 0, false).delayMs(0)).toBeGreaterThan(0)
  })

  it('delay the messages of a peer in debt, and drop none', async () => {
    const net = new PeerWorld(1)
    const [a, b] = [await net.start(), await net.start()]
    a.server.maintain(b.contact)
    await net.until(() => areConnected(a, b))
    const [{ connection: far }, near] = [a.protocol.seen[0], b.protocol.seen[0]] as [SeenConnection, SeenConnection]
    near.connection.charge(5_000)
    // The protocol may stop and continue reading in the meantime.
    near.connection.pause()
    near.connection.resume()
    for (let i = 0; i < 20; i++) far.send(far.capabilities[0] as AgreedCapability, 2, Uint8Array.of(0xc1, i))
    await net.world.pass(200)
    expect(near.messages).toEqual([])
    await net.world.pass(2_000)
    expect(near.messages.map(({ payload }) => payload[1])).toEqual(Array.from({ length: 20 }, (_, i) => i))
    expect(endsOf(b)).toEqual([undefined])
  })
})

describe('turns of the event loop', () => {
  it('let other work run between costly messages of many peers', async () => {
    const net = new PeerWorld(4)
    const [node, ...others] = [await net.start(), await net.start(), await net.start(), await net.start()]
    if (node === undefined) throw new TypeError('no node')
    for (const other of others) other.server.maintain(node.contact)
    await net.until(() => others.every((other) => areConnected(node, other)))
    const log: string[] = []
    for (const seen of node.protocol.seen) {
      const record = seen.messages.push.bind(seen.messages)
      seen.messages.push = (...messages) => {
        log.push('message')
        node.life.timers.schedule(0, () => void log.push('other work'))
        seen.connection.charge(30)
        return record(...messages)
      }
    }
    for (const { protocol } of others) {
      const far = protocol.seen[0]?.connection
      far?.send(far.capabilities[0] as AgreedCapability, 2, Uint8Array.of(0xc0))
      far?.send(far.capabilities[0] as AgreedCapability, 3, Uint8Array.of(0xc0))
    }
    await net.world.pass(2_000)
    expect(log.filter((entry) => entry === 'message')).toHaveLength(6)
    expect(log.join()).not.toContain('message,message')
    expect(node.protocol.seen.map(({ messages }) => messages.map(({ code }) => code))).toEqual([
      [2, 3],
      [2, 3],
      [2, 3],
    ])
  })
})

describe('frames of a peer', () => {
  const LARGE = new SeededRandom(1).bytes(200_000)

  it('are short until it is admitted', async () => {
    const net = new PeerWorld(2)
    const [a, b] = [await net.start(), await net.start()]
    a.protocol.isAnswering = false
    a.server.maintain(b.contact)
    await net.until(() => a.protocol.seen.length === 1 && b.protocol.seen.length === 1)
    const far = a.protocol.seen[0]?.connection
    far?.send(far.capabilities[0] as AgreedCapability, 2, LARGE)
    await net.world.pass(2_000)
    expect(endsOf(b)).toEqual(['breachOfProtocol by local'])
  })

  it('may be long afterwards', async () => {
    const net = new PeerWorld(3)
    const [a, b] = [await net.start(), await net.start()]
    a.server.maintain(b.contact)
    await net.until(() => areConnected(a, b))
    const far = a.protocol.seen[0]?.connection
    far?.send(far.capabilities[0] as AgreedCapability, 2, LARGE)
    await net.world.pass(2_000)
    expect(b.protocol.seen[0]?.messages.map(({ payload }) => payload.length)).toEqual([LARGE.length])
  })
})
