import { expect, it } from 'vitest'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import type { EthPeer } from '../../../../src/net/eth/contract.ts'
import { AnnouncedTransactions } from '../../../../src/net/gossip/announcedTransactions.ts'
import { SimulatedWorld } from '../../../simulation/world.ts'
import { link, type SimulatedPeer, SimulatedPeers } from './simulatedPeers.ts'

const QUEUE = 4096

function hashesFrom(first: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => {
    const hash = new Uint8Array(32)
    new DataView(hash.buffer).setUint32(0, first + i)
    return hash
  })
}

it('full queues of peers that announce the same transactions do not exchange them without end', () => {
  const world = new SimulatedWorld(1)
  const node = new SimulatedPeers('node')
  const [a, b] = ['a', 'b'].map((name) => link(world, node, new SimulatedPeers(name))[0]) as unknown as [
    SimulatedPeer,
    SimulatedPeer,
  ]
  const announced = new AnnouncedTransactions({
    timers: { schedule: (delayMs, run) => world.schedule(delayMs, 'timer', run) },
    logger: silentLogger,
    isKnown: () => false,
    onDelivered() {},
  })
  const heard = (peer: EthPeer, first: number, count: number): void =>
    announced.heard(peer, { kind: 'newPooledTransactionHashes', hashes: hashesFrom(first, count), forms: undefined })
  heard(a, 0, QUEUE)
  heard(b, 0, QUEUE)
  heard(b, QUEUE, QUEUE)
  heard(a, QUEUE, QUEUE)
  expect(announced.size).toBe(2 * QUEUE)
  for (let i = 0; i < 100; i++) heard(i % 2 === 0 ? a : b, 2 * QUEUE + i, 1)
  expect(announced.size).toBeLessThanOrEqual(2 * QUEUE)
  expect(announced.size).toBeGreaterThan(QUEUE)
  for (const peer of [a, b]) {
    peer.close()
    announced.left(peer)
  }
  expect(announced.size).toBe(0)
})
