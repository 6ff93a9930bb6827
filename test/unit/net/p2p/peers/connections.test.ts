import { describe, expect, it } from 'vitest'
import { areConnected, endsOf, isPeer, PeerWorld } from './simulatedPeers.ts'

describe('connections', () => {
  it('are opened to a maintained peer at once and admitted on both sides', async () => {
    const net = new PeerWorld(1)
    const [a, b] = [await net.start(), await net.start()]
    a.server.maintain(b.contact)
    expect(await net.until(() => areConnected(a, b), 3_000)).toBe(true)
    expect([a.server.peers[0]?.isInbound, b.server.peers[0]?.isInbound]).toEqual([false, true])
    expect([a.server.peers[0]?.isMaintained, b.server.peers[0]?.isMaintained]).toEqual([true, false])
    expect(b.server.peers[0]?.hello).toMatchObject({ clientId: `test/${a.name}`, port: 30303 })
  })

  it('are opened to candidates', async () => {
    const net = new PeerWorld(2)
    const [a, b, c] = [await net.start(), await net.start(), await net.start()]
    a.server.setContacts(() => [b.contact, c.contact, a.contact])
    expect(await net.until(() => areConnected(a, b) && areConnected(a, c), 5_000)).toBe(true)
    expect(a.server.peerCount).toBe(2)
  })

  it('end with the reason "quitting" when the node stops', async () => {
    const net = new PeerWorld(3)
    const [a, b] = [await net.start(), await net.start()]
    a.server.maintain(b.contact)
    await net.until(() => areConnected(a, b))
    let isStopped = false
    void a.server.stop().then(() => {
      isStopped = true
    })
    expect(await net.until(() => isStopped && endsOf(b)[0] !== undefined, 2_500)).toBe(true)
    expect([endsOf(a), endsOf(b)]).toEqual([['quitting by local'], ['quitting by remote']])
    expect([a.server.peerCount, b.server.peerCount]).toEqual([0, 0])
    b.server.maintain(a.contact)
    await net.world.pass(130_000)
    expect(isPeer(b, a)).toBe(false)
  })
})
