// slow: many connections
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../../../src/base/primitives/bytes.ts'
import { FAIR_NETWORK } from '../../../../simulation/network.ts'
import { areConnected, endsOf, PeerWorld, type TestPeer } from './simulatedPeers.ts'

const lives = ({ protocol }: TestPeer): number => protocol.seen.filter(({ end }) => end === undefined).length

describe('two dials that cross', () => {
  it('leave one connection, the same on both sides', async () => {
    let crossings = 0
    for (let seed = 1; seed <= 20; seed++) {
      const net = new PeerWorld(seed)
      const [a, b] = [await net.start(), await net.start()]
      a.server.maintain(b.contact)
      await net.world.pass(net.world.random.between(0, 120))
      b.server.maintain(a.contact)
      await net.world.pass(5_000)
      expect(areConnected(a, b), `seed ${seed}`).toBe(true)
      expect([lives(a), lives(b), a.server.peerCount, b.server.peerCount], `seed ${seed}`).toEqual([1, 1, 1, 1])
      expect(a.server.peers[0]?.isInbound).toBe(!b.server.peers[0]?.isInbound)
      if (endsOf(a).some((end) => end?.startsWith('alreadyConnected'))) crossings++
      await net.world.pass(70_000)
      expect([lives(a), lives(b)], `seed ${seed}`).toEqual([1, 1])
    }
    expect(crossings).toBeGreaterThan(3)
  }, 60_000)

  it('keep the one of the lower id when both are open', async () => {
    let both = 0
    for (let seed = 1; seed <= 20; seed++) {
      const net = new PeerWorld(seed)
      const [a, b] = [await net.start(), await net.start()]
      a.server.maintain(b.contact)
      b.server.maintain(a.contact)
      await net.world.pass(5_000)
      if (a.protocol.seen.length < 2 || b.protocol.seen.length < 2) continue
      both++
      const lower = compareBytes(a.contact.id, b.contact.id) < 0 ? a : b
      expect(lower.server.peers[0]?.isInbound, `seed ${seed}`).toBe(false)
    }
    expect(both).toBeGreaterThan(2)
  })

  it('end with one connection although connections are cut', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const net = new PeerWorld(seed, { ...FAIR_NETWORK, cut: 0.05 })
      const [a, b] = [await net.start(), await net.start()]
      a.server.maintain(b.contact)
      b.server.maintain(a.contact)
      expect(await net.until(() => areConnected(a, b) && lives(a) === 1 && lives(b) === 1, 600_000)).toBe(true)
    }
  }, 60_000)
})
