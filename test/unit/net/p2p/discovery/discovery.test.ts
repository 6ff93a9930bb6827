// slow: networks of hundreds of nodes
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../../../adapters/server/crypto/crypto.ts'
import type { NodeContact } from '../../../../../src/net/p2p/discovery/table.ts'
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

beforeAll(async () => {
  await installNodeCrypto()
})

describe('discovery on a network with loss, duplicates and reordering', () => {
  it('50 nodes find each other from one bootnode within two minutes', async () => {
    const net = new DiscoveryNetwork(1)
    const nodes = await grow(net, 50)
    for (const { service } of nodes) service.setPeersWanted(true)
    await net.world.pass(120_000)
    const sizes = nodes.map(({ service }) => service.nodes.length)
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(20)
    let isFoundFirst = 0
    for (let i = 0; i < 25; i++) {
      const [seeker, sought] = [nodes[i], nodes[49 - i]] as [SimulatedNode, SimulatedNode]
      const result = await settled(net, seeker.service.lookup(sought.contact.id))
      if (hosts(result)[0] === sought.contact.host) isFoundFirst++
    }
    // A node that loses three packets in a row is missing from one lookup.
    expect(isFoundFirst).toBeGreaterThanOrEqual(24)
  }, 120_000)

  it('removes nodes that disappear and finds those that return', async () => {
    const net = new DiscoveryNetwork(2)
    const [boot, other] = (await grow(net, 4)) as [SimulatedNode, SimulatedNode]
    await net.world.pass(30_000)
    expect(hosts(boot.service.nodes)).toContain(other.contact.host)
    other.life.end()
    net.network.detach(other.contact.host)
    await net.world.pass(420_000)
    expect(hosts(boot.service.nodes)).not.toContain(other.contact.host)
    expect(boot.lost).toContain(Buffer.from(other.contact.id).toString('hex'))
  }, 60_000)

  it('finds its bootnode when that starts later', async () => {
    const net = new DiscoveryNetwork(3)
    const boot = await net.start()
    const host = boot.contact.host
    net.network.partition([[host], ['10.0.0.2']])
    const late = await net.start({ bootnodes: [boot.contact] })
    late.service.setPeersWanted(true)
    await net.world.pass(90_000)
    expect(late.service.nodes).toEqual([])
    net.network.heal()
    await net.world.pass(90_000)
    expect(hosts(late.service.nodes)).toEqual([host])
  })

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
