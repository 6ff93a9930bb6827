/**
 * A running node under arbitrary input at its sockets: handshakes, frames, messages of p2p, eth and snap, packets of
 * discovery. It neither fails nor grows, and follows the honest peer beside.
 */
import process from 'node:process'
import { expect, it } from 'vitest'
import type { Logger } from '../../src/base/ports/host.ts'
import { KeySigner } from '../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { blockTree } from '../simulation/blockTree.ts'
import { SeededRandom } from '../simulation/seededRandom.ts'
import { garbageCollector } from '../support/host/garbageCollector.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { type NetworkNode, NetworkWorld } from '../unit/node/network/networkNodes.ts'
import { longCount } from './count.ts'
import { NodeAttack } from './nodeAttack.ts'

/** Messages without a number from the outside. */
const DEFAULT_MESSAGES = 20_000
const MAX_GROWTH_BYTES = 64_000_000
/** Sessions after which the node is examined. */
const SESSIONS_PER_CHECK = 200

const gc = garbageCollector()

/** Errors of the node's own are faults: those of peers are warnings at most. */
function loggerOf(errors: string[]): Logger {
  const error: Logger['error'] = (message, properties) => {
    errors.push(`${message} ${String(properties?.['error'] ?? '')}`)
  }
  const logger: Logger = { ...silentLogger, error, child: () => logger }
  return logger
}

async function expectHealthy(net: NetworkWorld, victim: NetworkNode, source: NetworkNode): Promise<void> {
  await net.world.pass(2500)
  const peers = await victim.rpc<readonly { readonly id: string }[]>('admin_peers')
  const { id } = await source.rpc<{ readonly id: string }>('admin_nodeInfo')
  expect(peers.map((peer) => peer.id)).toContain(`0x${id}`)
  const [own, other] = [victim, source].map(({ node }) => node.chain.head.header.number) as [bigint, bigint]
  expect(other - own).toBeLessThanOrEqual(1n)
  expect(await victim.rpc('eth_syncing')).toBe(false)
}

it(
  'withstands any input',
  async () => {
    const total = Number.isFinite(longCount) ? longCount : DEFAULT_MESSAGES
    const signer = new KeySigner(new Uint8Array(32).fill(0x5a))
    const net = new NetworkWorld(cliqueGenesis([signer], { blockperiodseconds: 2, epochlength: 30_000 }), 1, Infinity)
    const { evmModule } = await blockTree()
    const store = new MemoryStore()
    const errors: string[] = []
    const source = await net.start({}, { signer, store, evmModule })
    const victim = await net.start({ 'discovery-enabled': true }, { evmModule, logger: loggerOf(errors) })
    await net.connect(victim, source)
    await net.world.pass(10_000)

    const random = new SeededRandom(Number(process.env['ISONODE_FUZZ_SEED'] ?? 1))
    const attack = await NodeAttack.prepare({ net, victim, source, store, random })
    let least = Number.POSITIVE_INFINITY
    for (let sessions = 1; attack.sent < total; sessions++) {
      await attack.run()
      if (sessions % SESSIONS_PER_CHECK !== 0) continue
      await expectHealthy(net, victim, source)
      expect(errors).toEqual([])
      gc()
      const { heapUsed } = process.memoryUsage()
      // The first checks fill the caches.
      if (sessions > 2 * SESSIONS_PER_CHECK) least = Math.min(least, heapUsed)
      expect(heapUsed - least).toBeLessThan(MAX_GROWTH_BYTES)
    }
    await expectHealthy(net, victim, source)
    expect(errors).toEqual([])
    console.log(`${attack.sent} messages: ${JSON.stringify(attack.report)}`)
    for (const kind of ['handshake', 'hello', 'frame', 'message', 'datagram'])
      expect(attack.report[kind]).toBeGreaterThan(0)
    await net.close()
  },
  24 * 3_600_000,
)
