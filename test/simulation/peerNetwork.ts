/**
 * Complete Clique signers that know each other as peers, over TCP on virtual time: sessions, Status, synchronisation and
 * gossip are the node's own. Partitions cut the connections. In the end all nodes agree.
 */

import type { Clock, Logger } from '../../src/base/ports/host.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import type { Signer } from '../../src/base/ports/signer.ts'
import { bytesToHex, bytesToHexUnprefixed } from '../../src/base/primitives/bytes.ts'
import { parseGenesisFile } from '../../src/config/genesisFile.ts'
import { defaultOptions } from '../../src/config/options.ts'
import { createNode, type IsoNode } from '../../src/node/node.ts'
import { settingsOf } from '../../src/node/settings/nodeSettings.ts'
import { SIGNERS } from '../support/chains/cliqueHeaders.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { ALICE, signed } from '../support/nodes/devChain.ts'
import { GENESIS_SECONDS } from '../support/nodes/genesisNode.ts'
import { blockTree } from './blockTree.ts'
import { type NetworkQuality, SimulatedNetwork } from './network.ts'
import { SimulatedStore } from './store.ts'
import { Life, SimulatedWorld } from './world.ts'

export interface PeerNetworkReport {
  readonly seed: number
  readonly problem: string | undefined
  readonly height: number
  readonly agreedAfterMs: number
}

const PERIOD = 2
const TROUBLE_MS = 60_000
/** Maintained peers are dialled every minute. */
const HEALED_MS = 180_000
const QUALITY: NetworkQuality = { minLatencyMs: 1, maxLatencyMs: 80, loss: 0, duplication: 0, stall: 0.02, cut: 0.0005 }
const SETTINGS = settingsOf(
  { ...defaultOptions(false), 'discovery-enabled': false, 'rpc-http-api': ['ETH', 'ADMIN'] },
  false,
)
const PORT = 30_303

export async function runPeerNetwork(seed: number): Promise<PeerNetworkReport> {
  const { evmModule, senders } = await blockTree()
  const world = new SimulatedWorld(seed)
  const network = new SimulatedNetwork(world, QUALITY)
  const signers = SIGNERS.slice(0, 3 + world.random.below(2))
  const text = cliqueGenesis(signers, { blockperiodseconds: PERIOD, epochlength: 30_000 })
  let problem: string | undefined
  const fail = (text: string): void => {
    problem ??= text
  }
  const hosts = signers.map((_, i) => `10.0.0.${i + 1}`)
  const nodes: IsoNode[] = []

  const open = async (signer: Signer, host: string): Promise<IsoNode> => {
    const life = new Life(world, host, (GENESIS_SECONDS + 1000) * 1000)
    const error = (message: string, properties?: Record<string, unknown>): void =>
      fail(`${host} logs: ${message} ${String(properties?.['error'] ?? '')}`)
    const logger: Logger = { ...silentLogger, error, child: () => logger }
    const clock: Clock = { now: () => Math.floor(life.clock.now()), monotonic: life.clock.monotonic }
    const { timers, yieldToHost } = life
    const store = new SimulatedStore({ crashIn: () => undefined, onCrash: () => {} }).open(life)
    const ports = { clock, timers, yieldToHost, random: world.random.fork(), evmModule, senders }
    const sockets = network.attach(life, host)
    const genesis = { genesis: parseGenesisFile(text), text }
    return createNode({ ...ports, ...sockets, store, signer, logger, platform: 'simulation' }, genesis, SETTINGS)
  }
  const done = async <T>(work: T | Promise<T>): Promise<T> => {
    const promise = Promise.resolve(work)
    let isOver = false
    void promise.finally(() => {
      isOver = true
    })
    await world.run(() => isOver, world.now + 10_000)
    return promise
  }
  const ask = async (node: IsoNode, method: string, ...params: unknown[]): Promise<unknown> => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { body } = await done(node.endpoints.get('http').exchange.handle({ body: request }))
    return JSON.parse(body).result
  }

  for (const [i, signer] of signers.entries()) nodes.push(await done(open(signer, hosts[i] as string)))
  for (const node of nodes) await done(node.goOnline())
  for (const [i, node] of nodes.entries()) {
    for (let k = 0; k < i; k++) {
      const id = bytesToHexUnprefixed((signers[k] as Signer).publicKey)
      if ((await ask(node, 'admin_addPeer', `enode://${id}@${hosts[k]}:${PORT}`)) !== true) fail('no peer was added')
    }
  }
  const { random } = world
  for (let i = 1 + random.below(3); i > 0; i--) {
    const count = 1 + random.below(hosts.length - 1)
    const start = random.between(5000, TROUBLE_MS - 5000)
    world.schedule(start, 'partition', () => network.partition([hosts.slice(0, count), hosts.slice(count)]))
    world.schedule(start + random.between(1000, 40_000), 'heal', () => network.heal())
  }
  world.schedule(TROUBLE_MS, 'heal', () => network.heal())
  const raw = bytesToHex(await signed(ALICE, { nonce: 0, chainId: 2128 } as never))
  await world.run(() => world.now >= 10_000, 10_000)
  const hash = await ask(nodes[random.below(nodes.length)] as IsoNode, 'eth_sendRawTransaction', raw)
  await world.run(() => problem !== undefined || world.now >= TROUBLE_MS, TROUBLE_MS)
  const goal = Math.max(...nodes.map(heightOf)) + 3
  const agree = (): boolean => {
    const heads = nodes.map(({ chain }) => bytesToHex(chain.head.hash))
    return nodes.every((node) => heightOf(node) >= goal) && new Set(heads).size === 1
  }
  if (!(await world.run(() => problem !== undefined || agree(), TROUBLE_MS + HEALED_MS))) {
    fail(
      `no agreement: ${nodes.map(({ chain }) => `${chain.head.header.number} ${bytesToHex(chain.head.hash).slice(2, 10)}`).join(', ')}`,
    )
  }
  const agreedAfterMs = Math.round(world.now - TROUBLE_MS)
  for (const node of nodes) {
    if ((await ask(node, 'eth_getTransactionReceipt', hash)) === null) fail('the transaction was not mined')
  }
  for (const node of nodes) await done(node.close())
  return { seed, problem, height: heightOf(nodes[0] as IsoNode), agreedAfterMs }
}

function heightOf({ chain }: IsoNode): number {
  return Number(chain.head.header.number)
}
