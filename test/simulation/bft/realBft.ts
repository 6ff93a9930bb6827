/**
 * Networks of complete nodes that validate with IBFT 2.0 or QBFT: real blocks, keys, stores and import, on virtual time.
 * A faulty validator is a pair of nodes with one key, each of which is honest: together they propose two blocks, vote
 * for both, and claim different things.
 * @module
 */
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import type { Message } from '../../../src/consensus/bft/messages/payloads.ts'
import { createNode, type IsoNode, type NodeGenesis } from '../../../src/node/node.ts'
import { settingsOf } from '../../../src/node/settings.ts'
import type { Logger } from '../../../src/ports/host.ts'
import { silentLogger } from '../../../src/ports/logging.ts'
import type { Signer } from '../../../src/ports/signer.ts'
import { bytesToHex, equalBytes } from '../../../src/primitives/bytes.ts'
import type { BftNetwork, BftPacket, PacketRecipients } from '../../../src/sealing/bft/contract.ts'
import { decodePayload, kindOf, PROTOCOLS } from '../../../src/sealing/bft/protocols.ts'
import { ALICE, signed } from '../../support/devChain.ts'
import { TEST_SENDERS } from '../../support/testChain.ts'
import { BlockExchange } from '../blockExchange.ts'
import { FAIR_NETWORK, SimulatedNetwork } from '../network.ts'
import { type CrashPoint, SimulatedStore } from '../store.ts'
import { Life, SimulatedWorld } from '../world.ts'
import { type BftMode, bftGenesis, validatorKeys } from './bftGenesis.ts'

export interface RealBftOptions {
  readonly seed: number
  readonly evmModule: WebAssembly.Module
  /** Default: chosen by the seed. */
  readonly mode?: BftMode
  readonly validators?: number
}

export interface RealBftReport {
  readonly seed: number
  readonly mode: BftMode
  readonly validators: number
  readonly faulty: number
  readonly problem: string | undefined
  readonly trace: string
  readonly height: number
  readonly crashes: number
  readonly messages: number
  readonly recoveryMs: number
}

const START_SECONDS = 1_760_000_000
const TROUBLE_MS = 8000
const RECOVERY_MS = 150_000
const MAX_CRASHES = 4
const TRANSACTIONS = 6
const MODES: readonly BftMode[] = ['ibft2', 'qbft', 'contract', 'migration']
const SETTINGS = settingsOf({ ...defaultOptions(false), 'min-gas-price': 0n }, false)

export function runRealBft(options: RealBftOptions): Promise<RealBftReport> {
  return new RealNetwork(options).run()
}

class RealNetwork {
  readonly world: SimulatedWorld
  readonly network: SimulatedNetwork
  readonly genesis: NodeGenesis
  readonly evmModule: WebAssembly.Module
  readonly hosts: readonly string[]
  readonly machines: readonly Machine[]
  readonly loss: number
  readonly crashRate: number
  readonly #options: RealBftOptions
  readonly #mode: BftMode
  readonly #faulty: number
  readonly #count: number
  readonly #signed = new Map<string, string>()
  readonly #final = new Map<bigint, string>()
  problem: string | undefined
  crashes = 0
  messages = 0

  constructor(options: RealBftOptions) {
    this.#options = options
    this.evmModule = options.evmModule
    this.world = new SimulatedWorld(options.seed)
    const { random } = this.world
    this.#mode = options.mode ?? (MODES[random.below(MODES.length)] as BftMode)
    this.#count = options.validators ?? ([1, 4, 4, 5][random.below(4)] as number)
    this.loss = random.chance(0.6) ? random.between(0, 0.25) : 0
    this.crashRate = random.chance(0.6) ? 0.03 : 0
    this.network = new SimulatedNetwork(this.world, { ...FAIR_NETWORK, loss: this.loss })
    const keys = validatorKeys(this.#count)
    this.#faulty = random.chance(0.5) ? Math.floor((this.#count - 1) / 3) : 0
    const places = keys.flatMap((signer, i) => (i < this.#faulty ? [signer, signer] : [signer]))
    this.hosts = places.map((_, i) => `10.0.0.${i + 1}`)
    const alloc = { [ALICE.address]: { balance: '0x3635c9adc5dea00000' } }
    this.genesis = bftGenesis({ mode: this.#mode, validators: keys, alloc, timestamp: START_SECONDS })
    this.machines = places.map((signer, i) => new Machine(this, this.hosts[i] as string, signer, i >= 2 * this.#faulty))
  }

  get #honest(): readonly Machine[] {
    return this.machines.filter(({ isHonest }) => isHonest)
  }

  async run(): Promise<RealBftReport> {
    const { world } = this
    for (const machine of this.machines) machine.boot()
    this.#plan()
    await this.#planTransactions()
    await world.run(() => this.problem !== undefined, TROUBLE_MS)
    this.network.heal()
    const goal = BigInt(Math.max(0, ...this.#honest.map(({ height }) => height))) + 2n
    const isOver = (): boolean =>
      this.problem !== undefined || this.#honest.every(({ node }) => (node?.chain.head.header.number ?? 0n) >= goal)
    if (!(await world.run(isOver, TROUBLE_MS + RECOVERY_MS)))
      this.fail(`no progress: heights ${this.#honest.map(({ height }) => height).join(', ')}`)
    return {
      seed: this.#options.seed,
      mode: this.#mode,
      validators: this.#count,
      faulty: this.#faulty,
      problem: this.problem,
      trace: world.trace,
      height: Math.max(...this.#honest.map(({ height }) => height)),
      crashes: this.crashes,
      messages: this.messages,
      recoveryMs: world.now - TROUBLE_MS,
    }
  }

  fail(problem: string): void {
    this.problem ??= problem
  }

  /** Reads everything that an honest validator sends. */
  noteSent(packet: BftPacket, from: Signer): void {
    const { protocol, code, payload } = packet
    const kind = kindOf(code, PROTOCOLS[protocol])
    if (kind === undefined) {
      this.fail(`a message with the code ${code}`)
      return
    }
    const message = decodePayload(kind, payload, PROTOCOLS[protocol])
    const { author } = message.signed
    if (author === undefined || !equalBytes(author, from.address)) return
    const { height, round } = message.signed.payload
    const view = `${bytesToHex(author)} ${height} ${round} ${kind}`
    const content = contentOf(message)
    const before = this.#signed.get(view)
    if (before !== undefined && before !== content) this.fail(`signed twice: ${view}`)
    this.#signed.set(view, content)
  }

  noteHead({ header, hash }: ChainHeader): void {
    const text = bytesToHex(hash)
    const before = this.#final.get(header.number)
    if (before !== undefined && before !== text) this.fail(`two final blocks ${header.number}`)
    this.#final.set(header.number, text)
  }

  #plan(): void {
    const { random } = this.world
    for (let i = random.below(2); i > 0; i--) {
      const machine = this.machines[random.below(this.machines.length)]
      this.world.schedule(random.between(0, TROUBLE_MS / 2), 'power cut', () => machine?.crash())
    }
    if (!random.chance(0.4)) return
    const groups = [0, 1].map((group) => this.hosts.filter((_, i) => (random.below(2) + i) % 2 === group))
    const at = random.between(0, TROUBLE_MS / 2)
    this.world.schedule(at, 'partition', () => this.network.partition(groups))
  }

  async #planTransactions(): Promise<void> {
    for (let nonce = 0; nonce < TRANSACTIONS; nonce++) {
      const raw = bytesToHex(await signed(ALICE, { nonce, value: 1n, maxFeePerGas: 10n ** 10n }))
      this.world.schedule(nonce * 1000, 'transaction', () => {
        for (const { node } of this.machines) submit(node, raw)
      })
    }
  }
}

function submit(node: IsoNode | undefined, raw: string): void {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }
  void node?.endpoints.get('http').exchange.handle(JSON.stringify(request), undefined, () => {})
}

function contentOf(message: Message): string {
  const { payload } = message.signed
  if (payload.kind !== 'roundChange') return bytesToHex(payload.digest)
  const { prepared } = payload
  return prepared === undefined ? 'nothing' : `${prepared.round} ${bytesToHex(prepared.digest)}`
}

/** A computer with a validator; its disk outlives its crashes. */
class Machine {
  readonly isHonest: boolean
  readonly signer: Signer
  readonly #simulation: RealNetwork
  readonly #host: string
  readonly #store: SimulatedStore
  readonly #skewMs: number
  #life: Life
  #receive: ((packet: BftPacket, peer: string) => void) | undefined
  node: IsoNode | undefined

  constructor(simulation: RealNetwork, host: string, signer: Signer, isHonest: boolean) {
    this.#simulation = simulation
    this.#host = host
    this.signer = signer
    this.isHonest = isHonest
    this.#skewMs = simulation.world.random.between(-300, 300)
    this.#store = new SimulatedStore({ crashIn: () => this.#crashIn(), onCrash: () => this.crash() })
    this.#life = this.#newLife()
  }

  get height(): number {
    return Number(this.node?.chain.head.header.number ?? 0n)
  }

  boot(): void {
    this.#life = this.#newLife()
    this.#open(this.#life).catch((error: unknown) => this.#simulation.fail(`${this.#host} does not open: ${error}`))
  }

  crash(): void {
    if (!this.#life.isAlive) return
    const { world, network } = this.#simulation
    this.#simulation.crashes++
    this.#life.end()
    this.node = undefined
    this.#receive = undefined
    network.detach(this.#host)
    world.schedule(world.random.between(100, 1500), `boot ${this.#host}`, () => this.boot())
  }

  receive(packet: BftPacket, peer: string): void {
    this.#receive?.(packet, peer)
  }

  #newLife(): Life {
    return new Life(this.#simulation.world, this.#host, START_SECONDS * 1000 + this.#skewMs)
  }

  #crashIn(): CrashPoint | undefined {
    const { world, crashes, crashRate } = this.#simulation
    const point = world.random.chance(0.5) ? 'before' : 'after'
    const isDue = world.random.chance(crashRate)
    return isDue && crashes < MAX_CRASHES && world.now < TROUBLE_MS ? point : undefined
  }

  async #open(life: Life): Promise<void> {
    const { world, network, genesis, hosts, evmModule } = this.#simulation
    const sockets = network.attach(life, this.#host)
    const { clock, timers, yieldToHost } = life
    const ports = {
      clock,
      timers,
      random: world.random.fork(),
      yieldToHost,
      senders: TEST_SENDERS,
      evmModule,
      ...sockets,
    }
    const { signer } = this
    const host = { ...ports, signer, store: this.#store.open(life), logger: this.#logger(), platform: 'simulation' }
    const node = await createNode({ ...host, bftNetwork: this.#network(life) }, genesis, SETTINGS)
    this.node = node
    node.chain.events.on('head', ({ added }) => {
      if (this.isHonest) for (const block of added) this.#simulation.noteHead(block)
    })
    const exchange = new BlockExchange({
      ...ports,
      chain: node.chain,
      host: this.#host,
      peers: hosts.filter((peer) => peer !== this.#host),
      verifySeal: true,
      onError: (error) => this.#simulation.fail(`${this.#host}: exchange: ${error}`),
    })
    await exchange.start()
    await node.startMining()
  }

  #network(life: Life): BftNetwork {
    return {
      open: (receive) => {
        if (life.isAlive) this.#receive = receive
      },
      send: (packet, recipients) => {
        if (life.isAlive) this.#send(packet, recipients)
      },
      sawHeight: () => {},
      close: () => {},
    }
  }

  #send(packet: BftPacket, { validators, except, exceptPeer }: PacketRecipients): void {
    const { world, network, machines, loss } = this.#simulation
    if (this.isHonest) this.#simulation.noteSent(packet, this.signer)
    for (const machine of machines) {
      const { address } = machine.signer
      const isIn = (list: readonly Uint8Array[]): boolean => list.some((other) => equalBytes(other, address))
      if (machine === this || machine.#host === exceptPeer || !isIn(validators) || isIn(except)) continue
      if (world.now < TROUBLE_MS && world.random.chance(loss)) continue
      world.schedule(network.latency(), `packet ${this.#host} ${machine.#host} ${packet.code}`, () => {
        if (!network.reaches(this.#host, machine.#host)) return
        this.#simulation.messages++
        machine.receive(packet, this.#host)
      })
    }
  }

  /** An error in a node's log is a problem too. */
  #logger(): Logger {
    const error = (message: string, properties?: Record<string, unknown>): void =>
      this.#simulation.fail(`${this.#host} logs: ${message} ${properties?.['error'] ?? properties?.['reason'] ?? ''}`)
    const logger: Logger = { ...silentLogger, error, child: () => logger }
    return logger
  }
}
