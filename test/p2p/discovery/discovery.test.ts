import { describe, expect, it } from 'vitest'
import type { NodeContact } from '../../../src/p2p/discovery/table.ts'
import { DiscoveryNetwork, type SimulatedNode } from './simulatedNodes.ts'

async function grow(net: DiscoveryNetwork, count: number): Promise<SimulatedNode[]> {
  const boot = await net.start()
  const nodes = [boot]
  while (nodes.length < count) nodes.push(await net.start({ bootnodes: [boot.contact] }))
  return nodes
}

/** Runs the world until a promise resolves. */
async function settled<T>(net: DiscoveryNetwork, promise: Promise<T>, maxMs = 60_000): Promise<T> {
  let outcome: { readonly value: T } | undefined
  void promise.then((value) => {
    outcome = { value }
  })
  await net.world.run(() => outcome !== undefined, net.world.now + maxMs)
  if (outcome === undefined) throw new Error('the promise did not resolve in time')
  return outcome.value
}

const hosts = (nodes: readonly NodeContact[]): string[] => nodes.map(({ host }) => host)

describe('discovery on a network with loss, duplicates and reordering', () => {
  it('50 nodes find each other from one bootnode within two minutes', async () => {
    const net = new DiscoveryNetwork(1)
    const nodes = await grow(net, 50)
    await net.world.pass(120_000)
    const sizes = nodes.map(({ service }) => service.nodes.length)
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(20)
    for (let i = 0; i < 25; i++) {
      const [seeker, sought] = [nodes[i], nodes[49 - i]] as [SimulatedNode, SimulatedNode]
      const result = await settled(net, seeker.service.lookup(sought.contact.id))
      expect(hosts(result)[0]).toBe(sought.contact.host)
    }
  }, 60_000)

  it('a seed replays a run exactly', async () => {
    const run = async (seed: number): Promise<string> => {
      const net = new DiscoveryNetwork(seed)
      await grow(net, 6)
      await net.world.pass(20_000)
      return net.world.trace
    }
    const first = await run(5)
    expect(await run(5)).toBe(first)
    expect(await run(6)).not.toBe(first)
  })
})
