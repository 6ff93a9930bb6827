/**
 * Three to five Clique signers seal and exchange blocks on virtual time, while messages are lost, nodes crash during
 * commits and restart, the network is partitioned, and clocks differ and jump. Invariants: every block of the final
 * chain is valid from headers alone, no signer signs too often, and after the troubles all nodes agree and the chain
 * grows.
 * @module
 */

import type { Clock, Logger } from '../../src/base/ports/host.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import type { Signer } from '../../src/base/ports/signer.ts'
import { bytesToHex, equalBytes } from '../../src/base/primitives/bytes.ts'
import type { ChainHeader } from '../../src/chain/contract.ts'
import { parseGenesisFile } from '../../src/config/genesisFile.ts'
import { defaultOptions } from '../../src/config/options.ts'
import { CliqueEngine } from '../../src/consensus/clique/clique.ts'
import { CliqueSnapshots } from '../../src/consensus/clique/snapshots.ts'
import { createNode, type IsoNode } from '../../src/node/node.ts'
import { settingsOf } from '../../src/node/settings/nodeSettings.ts'
import type { Header } from '../../src/types/block.ts'
import { SIGNERS } from '../support/chains/cliqueHeaders.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { GENESIS_SECONDS } from '../support/nodes/genesisNode.ts'
import { BlockExchange } from './blockExchange.ts'
import { blockTree } from './blockTree.ts'
import { type NetworkQuality, SimulatedNetwork } from './network.ts'
import { type CrashPoint, SimulatedStore } from './store.ts'
import { Life, SimulatedWorld } from './world.ts'

/** Faults that are built in on purpose, to verify that they are detected. */
export type CliqueFault =
  /** Signers seal again although they have signed recently. */
  | 'signsTooOften'
  /** Signers seal too often, and no node verifies a header. */
  | 'verifiesNothing'
  /** Nodes keep the branch that they saw first among branches of equal total difficulty. */
  | 'keepsTies'

export interface CliqueRunOptions {
  readonly seed: number
  readonly fault?: CliqueFault
}

export interface CliqueReport {
  readonly seed: number
  /** The violated invariant; undefined: none. */
  readonly problem: string | undefined
  readonly trace: string
  readonly signers: number
  readonly blocks: number
  readonly reorgs: number
  readonly crashes: number
  /** Whether votes have changed the set of signers. */
  readonly isSetChanged: boolean
  /** Virtual time from the end of the troubles to the agreement. */
  readonly agreedAfterMs: number
}

const PERIOD = 2
const EPOCH = 7
/** Crashes, partitions and jumps of clocks occur before this time. */
const TROUBLE_MS = 16_000
/** The nodes must agree within this time after the troubles, and the chain must grow. */
const HEALED_MS = 30_000
const GROWTH = 3n
const MAX_CRASHES = 2
const CRASHES_PER_COMMIT = 0.05
const MAX_SKEW_MS = 1500
const MAX_JUMP_MS = 3000
const ROUGH: NetworkQuality = {
  minLatencyMs: 1,
  maxLatencyMs: 200,
  loss: 0.15,
  duplication: 0.1,
  stall: 0.03,
  cut: 0.02,
}
const START_MS = GENESIS_SECONDS * 1000
const SETTINGS = settingsOf(
  { ...defaultOptions(false), 'p2p-enabled': false, 'rpc-http-api': ['ETH', 'CLIQUE'] },
  false,
)
/** A vote that is enacted needs the turns of most signers. */
const VOTED_GROWTH = 10n

export async function runCliqueNodes({ seed, fault }: CliqueRunOptions): Promise<CliqueReport> {
  const { evmModule, senders } = await blockTree()
  const restore = fault === undefined ? () => {} : inject(fault)
  try {
    return await new CliqueNetwork(seed, { evmModule, senders }).run()
  } finally {
    restore()
  }
}

/** @returns removes the fault */
function inject(fault: CliqueFault): () => void {
  const { prototype } = CliqueEngine
  const { snapshotAfter, verifyHeader, prefers } = prototype
  if (fault === 'keepsTies') prototype.prefers = () => false
  else {
    prototype.snapshotAfter = function (...args) {
      return { ...snapshotAfter.apply(this, args), recent: [] }
    }
    if (fault === 'verifiesNothing') prototype.verifyHeader = () => undefined
  }
  return () => Object.assign(prototype, { snapshotAfter, verifyHeader, prefers })
}

type SharedParts = Pick<Awaited<ReturnType<typeof blockTree>>, 'evmModule' | 'senders'>

class CliqueNetwork {
  readonly world: SimulatedWorld
  readonly network: SimulatedNetwork
  readonly shared: SharedParts
  readonly signers: readonly Signer[]
  readonly text: string
  readonly machines: readonly Machine[]
  readonly #seed: number
  problem: string | undefined
  crashes = 0
  reorgs = 0
  #hasVotes = false
  #isSetChanged = false

  constructor(seed: number, shared: SharedParts) {
    this.#seed = seed
    this.shared = shared
    this.world = new SimulatedWorld(seed)
    this.network = new SimulatedNetwork(this.world, ROUGH)
    this.signers = SIGNERS.slice(0, 3 + this.world.random.below(3))
    this.text = cliqueGenesis(this.signers, { blockperiodseconds: PERIOD, epochlength: EPOCH })
    this.machines = this.signers.map((signer, i) => new Machine(this, `10.0.0.${i + 1}`, signer))
  }

  get hosts(): readonly string[] {
    return this.machines.map(({ host }) => host)
  }

  async run(): Promise<CliqueReport> {
    const { world } = this
    for (const machine of this.machines) machine.boot()
    this.#plan()
    this.#planVotes()
    const isBroken = (): boolean => this.problem !== undefined
    await world.run(() => isBroken() || world.now >= TROUBLE_MS, TROUBLE_MS)
    const height = this.machines.reduce((most, { head }) => maximum(most, head?.header.number ?? 0n), 0n)
    const [growth, healedMs] = this.#hasVotes ? [VOTED_GROWTH, 2 * HEALED_MS] : [GROWTH, HEALED_MS]
    const agrees = await world.run(() => isBroken() || this.#agreesAbove(height + growth), TROUBLE_MS + healedMs)
    if (!agrees) this.fail(`no agreement: ${this.machines.map(({ head }) => summary(head)).join(', ')}`)
    const [first] = this.machines
    const blocks = isBroken() || first === undefined ? 0 : this.#checkChain(first)
    for (const { node } of this.machines) await Promise.race([node?.close(), world.pass(1000)])
    const { problem, crashes, reorgs } = this
    const agreedAfterMs = Math.round(world.now - TROUBLE_MS)
    const signers = this.signers.length
    const isSetChanged = this.#isSetChanged
    return {
      seed: this.#seed,
      problem,
      trace: world.trace,
      signers,
      blocks,
      crashes,
      reorgs,
      isSetChanged,
      agreedAfterMs,
    }
  }

  fail(problem: string): void {
    this.problem ??= problem
  }

  #agreesAbove(height: bigint): boolean {
    const [first, ...others] = this.machines.map(({ head }) => head)
    if (first === undefined || first.header.number < height) return false
    return others.every((head) => head !== undefined && equalBytes(head.hash, first.hash))
  }

  /** Crashes, partitions, and clocks that are set. */
  #plan(): void {
    const { random } = this.world
    const any = (): Machine => this.machines[random.below(this.machines.length)] as Machine
    const at = (): number => random.between(0, TROUBLE_MS)
    for (let i = random.below(3); i > 0; i--) {
      const machine = any()
      this.world.schedule(at(), `power cut ${machine.host}`, () => machine.crash())
    }
    for (let i = random.below(3); i > 0; i--) {
      const machine = any()
      const jumpMs = random.between(-MAX_JUMP_MS, MAX_JUMP_MS)
      this.world.schedule(at(), `clock ${machine.host} ${jumpMs}`, () => machine.setClock(jumpMs))
    }
    for (let i = random.below(4); i > 0; i--) {
      const count = 1 + random.below(this.machines.length - 1)
      const groups = [this.hosts.slice(0, count), this.hosts.slice(count)]
      const start = at()
      this.world.schedule(start, 'partition', () => this.network.partition(groups))
      this.world.schedule(start + random.between(500, 8000), 'heal', () => this.network.heal())
    }
    this.world.schedule(TROUBLE_MS, 'heal', () => this.network.heal())
  }

  /** Sometimes a signer is voted out, and in again. */
  #planVotes(): void {
    const { random } = this.world
    if (!random.chance(0.4)) return
    this.#hasVotes = true
    const subject = bytesToHex(this.signers[random.below(this.signers.length)]?.address as Uint8Array)
    const at = random.between(0, TROUBLE_MS / 2)
    const vote = (isAdd: boolean): void => {
      for (const machine of this.machines) machine.propose(subject, isAdd)
    }
    this.world.schedule(at, 'vote', () => vote(false))
    if (random.chance(0.5)) this.world.schedule(at + random.between(4000, 12_000), 'vote', () => vote(true))
  }

  /** Verifies the chain of one node from headers alone. @returns its height */
  #checkChain({ node }: Machine): number {
    const chain = node?.chain
    if (chain === undefined) return 0
    const engine = new CliqueEngine({ periodSeconds: PERIOD, createsEmptyBlocks: true }, new CliqueSnapshots(EPOCH))
    const headers = { headerByHash: (hash: Uint8Array) => chain.headerByHash(hash)?.header }
    const store = { get: () => undefined, put: () => {} }
    const height = Number(chain.head.header.number)
    const authors: string[] = []
    for (let number = 1; number <= height; number++) {
      const header = chain.headerByNumber(number)?.header as Header
      const parent = headers.headerByHash(header.parentHash) as Header
      const context = { headers, store, verifySeal: true, isOmmer: false, nowMs: 0, parentState: () => unused() }
      const reason = engine.verifyHeader(header, parent, { ...context, rules: chain.config.rulesAt(header) })
      if (reason !== undefined) this.fail(`block ${number} is invalid: ${reason}`)
      const { signers } = engine.snapshotAfter(header.parentHash, { headers, store })
      const limit = Math.floor(signers.length / 2) + 1
      if (signers.length !== this.signers.length) this.#isSetChanged = true
      const author = bytesToHex(engine.author(header))
      if (authors.slice(1 - limit).includes(author)) this.fail(`${author} signs block ${number} too early`)
      authors.push(author)
    }
    return height
  }
}

function unused(): never {
  throw new Error('Clique reads no state')
}

function maximum(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function summary(head: ChainHeader | undefined): string {
  return head === undefined
    ? 'down'
    : `${head.header.number} (${head.totalDifficulty}) ${bytesToHex(head.hash).slice(0, 8)}`
}

/** A signer's computer; its disk outlives its crashes. */
class Machine {
  readonly host: string
  readonly #network: CliqueNetwork
  readonly #store: SimulatedStore
  readonly #signer: Signer
  #skewMs: number
  #life: Life
  #crashes = 0
  node: IsoNode | undefined

  constructor(network: CliqueNetwork, host: string, signer: Signer) {
    this.#network = network
    this.host = host
    this.#signer = signer
    this.#skewMs = network.world.random.between(-MAX_SKEW_MS, MAX_SKEW_MS)
    this.#store = new SimulatedStore({ crashIn: () => this.#crashIn(), onCrash: () => this.crash() })
    this.#life = new Life(network.world, host, START_MS)
  }

  get head(): ChainHeader | undefined {
    return this.node?.chain.head
  }

  propose(subject: string, isAdd: boolean): void {
    const request = { jsonrpc: '2.0', id: 1, method: 'clique_propose', params: [subject, isAdd] }
    void this.node?.endpoints.get('http').exchange.handle({ body: JSON.stringify(request) })
  }

  setClock(jumpMs: number): void {
    this.#skewMs += jumpMs
  }

  boot(): void {
    this.#life = new Life(this.#network.world, this.host, START_MS)
    this.#open(this.#life).catch((error: unknown) => this.#network.fail(`${this.host} does not open: ${error}`))
  }

  crash(): void {
    if (!this.#life.isAlive) return
    const { world, network } = this.#network
    this.#network.crashes++
    this.#crashes++
    this.#life.end()
    this.node = undefined
    network.detach(this.host)
    world.note(`${this.host} is down;`)
    world.schedule(world.random.between(20, 3000), `boot ${this.host}`, () => this.boot())
  }

  #crashIn(): CrashPoint | undefined {
    const { world } = this.#network
    const point = world.random.chance(0.5) ? 'before' : 'after'
    if (!world.random.chance(CRASHES_PER_COMMIT)) return undefined
    return this.#crashes < MAX_CRASHES && world.now < TROUBLE_MS ? point : undefined
  }

  async #open(life: Life): Promise<void> {
    const { world, network, shared, text, hosts } = this.#network
    const random = world.random.fork()
    const sockets = network.attach(life, this.host)
    const clock: Clock = { now: () => life.clock.now() + this.#skewMs, monotonic: () => life.clock.monotonic() }
    const { timers, yieldToHost } = life
    const ports = { clock, timers, random, yieldToHost, ...shared, ...sockets }
    const host = { ...ports, store: this.#store.open(life), logger: this.#logger(), platform: 'simulation' }
    const genesis = { genesis: parseGenesisFile(text), text }
    const node = await createNode({ ...host, signer: this.#signer }, genesis, SETTINGS)
    this.node = node
    node.chain.events.on('head', ({ head }) => world.note(`${this.host} head ${bytesToHex(head.hash)};`))
    node.chain.events.on('reorg', () => {
      this.#network.reorgs++
    })
    node.chain.events.on('badBlock', ({ reason }) => this.#network.fail(`${this.host} refuses a block: ${reason}`))
    const exchange = new BlockExchange({
      ...ports,
      chain: node.chain,
      host: this.host,
      peers: hosts.filter((peer) => peer !== this.host),
      verifySeal: true,
      fetchesTies: true,
      onError: (error) => this.#network.fail(`${this.host}: exchange: ${error}`),
    })
    await exchange.start()
    await node.goOnline()
  }

  /** An error in a node's log is a problem too. */
  #logger(): Logger {
    const error = (message: string, properties?: Record<string, unknown>): void =>
      this.#network.fail(`${this.host} logs: ${message} ${properties?.['error'] ?? ''}`)
    const logger: Logger = { ...silentLogger, error, child: () => logger }
    return logger
  }
}
