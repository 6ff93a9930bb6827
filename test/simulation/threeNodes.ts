/**
 * Three complete nodes import blocks and exchange them, while they crash during commits, the network is partitioned,
 * and everything restarts. Invariants: data that a node has acknowledged survive, its chain is intact, and finally all
 * nodes agree on the heaviest block.
 * @module
 */

import type { Logger } from '../../src/base/ports/host.ts'
import { createSigner } from '../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import type { Signer } from '../../src/base/ports/signer.ts'
import { bytesToHex, equalBytes } from '../../src/base/primitives/bytes.ts'
import type { ChainHeader } from '../../src/chain/contract.ts'
import { importBlocks } from '../../src/chain/import.ts'
import { defaultOptions } from '../../src/config/options.ts'
import { createNode, type IsoNode } from '../../src/node/node.ts'
import { settingsOf } from '../../src/node/settings/nodeSettings.ts'
import { BlockExchange } from './blockExchange.ts'
import { type BlockTree, blockTree, type SourceBlock } from './blockTree.ts'
import { SimulatedNetwork } from './network.ts'
import { type CrashPoint, SimulatedStore, type StoreFault } from './store.ts'
import { Life, SimulatedWorld } from './world.ts'

export interface ThreeNodesOptions {
  readonly seed: number
  readonly fault?: StoreFault
}

export interface SimulationReport {
  readonly seed: number
  /** The violated invariant; undefined: none. */
  readonly problem: string | undefined
  readonly trace: string
  readonly events: number
  readonly crashes: number
  readonly virtualMs: number
}

const HOSTS = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
/** Crashes and partitions occur before this time. */
const TROUBLE_MS = 4000
const END_MS = 60_000
const START_MS = Date.UTC(2026, 0, 1)
const MAX_CRASHES = 3
const CRASHES_PER_COMMIT = 0.08
const NO_HASH = new Uint8Array(0)
const SETTINGS = settingsOf(defaultOptions(false), false)

export async function runThreeNodes({ seed, fault }: ThreeNodesOptions): Promise<SimulationReport> {
  const simulation = new ThreeNodes(seed, await blockTree(), fault)
  return simulation.run()
}

class ThreeNodes {
  readonly world: SimulatedWorld
  readonly network: SimulatedNetwork
  readonly tree: BlockTree
  readonly machines: readonly Machine[]
  readonly #seed: number
  problem: string | undefined
  crashes = 0

  constructor(seed: number, tree: BlockTree, fault: StoreFault | undefined) {
    this.#seed = seed
    this.tree = tree
    this.world = new SimulatedWorld(seed)
    this.network = new SimulatedNetwork(this.world)
    this.machines = HOSTS.map((host) => new Machine(this, host, fault))
  }

  async run(): Promise<SimulationReport> {
    for (const machine of this.machines) machine.boot()
    this.#publish()
    this.#plan()
    const agrees = await this.world.run(() => this.problem !== undefined || this.#isOver(), END_MS)
    if (!agrees) this.fail(`no agreement: heads are ${this.machines.map(({ height }) => height).join(', ')}`)
    for (const { node } of this.machines)
      if (node !== undefined && this.problem === undefined) await this.#checkAnswers(node)
    const { world, problem, crashes } = this
    return { seed: this.#seed, problem, trace: world.trace, events: world.events, crashes, virtualMs: world.now }
  }

  fail(problem: string): void {
    this.problem ??= problem
  }

  #isOver(): boolean {
    return (
      this.world.now >= TROUBLE_MS &&
      this.machines.every(({ node }) => equalBytes(node?.chain.head.hash ?? NO_HASH, this.tree.tip.hash))
    )
  }

  /** Each branch grows at one node, which receives the next block repeatedly until it has stored it. */
  #publish(): void {
    const { random } = this.world
    const times = new Map<string, number>()
    const homes = [0, 1, 2].map(() => this.machines[random.below(this.machines.length)] as Machine)
    for (const block of this.tree.blocks) {
      const at = (times.get(block.parentHash) ?? 0) + random.between(10, TROUBLE_MS / 8)
      times.set(block.hash, at)
      const machine = homes[block.branch] as Machine
      this.world.schedule(at, `publish ${block.hash}`, () => this.#give(block, machine))
    }
  }

  #give(block: SourceBlock, machine: Machine): void {
    if (machine.has(block.hash)) return
    machine.take(block)
    this.world.schedule(150, `publish ${block.hash}`, () => this.#give(block, machine))
  }

  /** Schedules power cuts and partitions. */
  #plan(): void {
    const { random } = this.world
    for (let i = random.below(3); i > 0; i--) {
      const machine = this.machines[random.below(this.machines.length)] as Machine
      this.world.schedule(random.between(0, TROUBLE_MS), `power cut ${machine.host}`, () => machine.crash())
    }
    for (let i = random.below(4); i > 0; i--) {
      const alone = HOSTS[random.below(HOSTS.length)] as string
      const at = random.between(0, TROUBLE_MS)
      const groups = [[alone], HOSTS.filter((host) => host !== alone)]
      this.world.schedule(at, 'partition', () => this.network.partition(groups))
      this.world.schedule(at + random.between(100, 2000), 'heal', () => this.network.heal())
    }
    this.world.schedule(TROUBLE_MS, 'heal', () => this.network.heal())
  }

  /** Checks that the node's JSON-RPC answers agree. */
  async #checkAnswers({ endpoints }: IsoNode): Promise<void> {
    const { tip, nonces, sender } = this.tree
    const { exchange } = endpoints.get('http')
    const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
      const { body } = await exchange.handle({
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return JSON.parse(body).result
    }
    const hash = bytesToHex(tip.hash)
    const block = (await ask('eth_getBlockByNumber', 'latest', false)) as { hash?: string } | null
    if (block?.hash !== hash) this.fail(`eth_getBlockByNumber says ${block?.hash}`)
    const nonce = await ask('eth_getTransactionCount', bytesToHex(sender), 'latest')
    if (nonce !== `0x${nonces.get(hash)?.toString(16)}`) this.fail(`eth_getTransactionCount says ${nonce}`)
  }
}

/** A computer with a node; its disk outlives its crashes. */
class Machine {
  readonly host: string
  readonly #simulation: ThreeNodes
  readonly #store: SimulatedStore
  readonly #signer: Signer
  #life: Life
  node: IsoNode | undefined
  /** The last announced head, and blocks whose import was acknowledged: they must survive. */
  #announced: ChainHeader | undefined
  readonly #acknowledged = new Set<string>()
  #crashes = 0

  constructor(simulation: ThreeNodes, host: string, fault: StoreFault | undefined) {
    this.#simulation = simulation
    this.host = host
    this.#store = new SimulatedStore({ fault, crashIn: () => this.#crashIn(), onCrash: () => this.crash() })
    this.#signer = createSigner(simulation.world.random)
    this.#life = this.#newLife()
  }

  get height(): bigint | undefined {
    return this.node?.chain.head.header.number
  }

  has(hash: string): boolean {
    return this.#acknowledged.has(hash)
  }

  boot(): void {
    this.#life = this.#newLife()
    this.#open(this.#life).catch((error: unknown) => this.#simulation.fail(`${this.host} does not open: ${error}`))
  }

  crash(): void {
    if (!this.#life.isAlive) return
    const { world, network } = this.#simulation
    this.#simulation.crashes++
    this.#crashes++
    this.#life.end()
    this.node = undefined
    network.detach(this.host)
    world.note(`${this.host} is down;`)
    world.schedule(world.random.between(20, 900), `boot ${this.host}`, () => this.boot())
  }

  /** Imports a block from outside the network. */
  take({ rlp, hash, parentHash }: SourceBlock): void {
    const { node } = this
    if (node === undefined || node.chain.headerByHash(bytesOf(parentHash)) === undefined) return
    const { senders } = this.#simulation.tree
    const modules = { chain: node.chain, senders, clock: this.#life.clock }
    importBlocks(modules, { blocks: [rlp], verifySeal: false })
      .then(({ end }) => {
        if (end.kind === 'done') this.#acknowledged.add(hash)
        else if (end.kind === 'failed') this.#simulation.fail(`${this.host}: ${end.reason}`)
      })
      .catch((error: unknown) => this.#simulation.fail(`${this.host}: import: ${error}`))
  }

  #newLife(): Life {
    return new Life(this.#simulation.world, this.host, START_MS)
  }

  #crashIn(): CrashPoint | undefined {
    const { world } = this.#simulation
    const { random } = world
    const point = random.chance(0.5) ? 'before' : 'after'
    if (!random.chance(CRASHES_PER_COMMIT)) return undefined
    return this.#crashes < MAX_CRASHES && world.now < TROUBLE_MS ? point : undefined
  }

  async #open(life: Life): Promise<void> {
    const { world, network, tree } = this.#simulation
    const random = world.random.fork()
    const sockets = network.attach(life, this.host)
    const { clock, timers, yieldToHost } = life
    const { senders, evmModule } = tree
    const ports = { clock, timers, random, yieldToHost, senders, evmModule, ...sockets }
    const host = { ...ports, store: this.#store.open(life), logger: this.#logger(), platform: 'simulation' }
    const node = await createNode({ ...host, signer: this.#signer }, tree.genesis, SETTINGS)
    this.#checkRecovered(node)
    this.node = node
    node.chain.events.on('head', ({ head }) => this.#onHead(head, node))
    this.#onHead(node.chain.head, node)
    const exchange = new BlockExchange({
      ...ports,
      chain: node.chain,
      host: this.host,
      peers: HOSTS.filter((peer) => peer !== this.host),
      onError: (error) => this.#simulation.fail(`${this.host}: exchange: ${error}`),
    })
    await exchange.start()
  }

  #onHead(head: ChainHeader, { chain }: IsoNode): void {
    this.#simulation.world.note(`${this.host} head ${bytesToHex(head.hash)};`)
    this.#announced = head
    const stored = chain.headerByHash(head.hash)
    if (stored === undefined) this.#simulation.fail(`${this.host} reports a head that it does not have`)
  }

  #checkRecovered({ chain }: IsoNode): void {
    const fail = (problem: string): void =>
      this.#simulation.fail(`${this.host} after ${this.#crashes} crashes: ${problem}`)
    const { head } = chain
    if (this.#announced !== undefined) {
      if (head.totalDifficulty < this.#announced.totalDifficulty)
        fail(`the head fell back to block ${head.header.number}`)
      if (chain.headerByHash(this.#announced.hash) === undefined) fail('the announced head is lost')
    }
    for (const hash of this.#acknowledged) {
      if (chain.headerByHash(bytesOf(hash)) === undefined) fail(`the imported block ${hash} is lost`)
    }
    const { nonces, sender } = this.#simulation.tree
    const nonce = chain.stateAt(head).getAccount(sender)?.nonce
    if (nonce !== nonces.get(bytesToHex(head.hash))) fail(`the state of block ${head.header.number} is wrong`)
    for (let block = head; block.header.number > 0n; ) {
      const number = Number(block.header.number)
      if (!equalBytes(chain.canonicalHash(number) ?? NO_HASH, block.hash)) fail(`the number ${number} leads elsewhere`)
      if (chain.body(block.hash)?.transactions.length !== chain.receipts(block.hash)?.length)
        fail(`block ${number} is not whole`)
      const parent = chain.headerByHash(block.header.parentHash)
      if (parent === undefined) {
        fail(`the parent of block ${number} is lost`)
        return
      }
      block = parent
    }
    if (chain.canonicalHash(Number(head.header.number) + 1) !== undefined) fail('there is a block above the head')
  }

  /** An error in a node's log is a problem too. */
  #logger(): Logger {
    const error = (message: string, properties?: Record<string, unknown>): void =>
      this.#simulation.fail(`${this.host} logs: ${message} ${properties?.['error'] ?? ''}`)
    const logger: Logger = { ...silentLogger, error, child: () => logger }
    return logger
  }
}

function bytesOf(hash: string): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(hash.slice(2 + 2 * i, 4 + 2 * i), 16))
}
