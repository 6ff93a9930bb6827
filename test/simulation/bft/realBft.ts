/**
 * Networks of complete nodes that validate with IBFT 2.0 or QBFT: real blocks, keys, stores and import, on virtual time.
 * A faulty validator is either a pair of nodes with one key, each of which is honest (together they propose two blocks,
 * vote for both, and claim different things), or one whose messages are withheld, repeated and forged (forger.ts).
 * @module
 */

import { MAX_BFT_ROUND_MS } from '../../../src/base/limits/limits.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import { bytesToHex, equalBytes } from '../../../src/base/primitives/bytes.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import { decodeExtraData } from '../../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../../src/consensus/bft/flavour.ts'
import type { BftPacket, PacketRecipients } from '../../../src/consensus/bft/messages/packets.ts'
import type { Message } from '../../../src/consensus/bft/messages/payloads.ts'
import { faultyOf } from '../../../src/consensus/bft/quorum.ts'
import type { NodeGenesis } from '../../../src/node/node.ts'
import { type NodeSettings, settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { decodePayload, kindOf, PROTOCOLS } from '../../../src/sealing/bft/protocols.ts'
import { TEST_CLOCK } from '../../support/chains/testChain.ts'
import { loadTestNativeEvm } from '../../support/evm/testEvm.ts'
import { ALICE, signed } from '../../support/nodes/devChain.ts'
import { loadModules } from '../loadModules.ts'
import { FAIR_NETWORK, SimulatedNetwork } from '../network.ts'
import type { SeededRandom } from '../seededRandom.ts'
import { SimulatedWorld } from '../world.ts'
import { type BftMode, bftGenesis, LAST_TRANSITION, MIGRATION_BLOCK, validatorKeys } from './bftGenesis.ts'
import { Forger } from './forger.ts'
import { ProposalForger } from './proposalForger.ts'
import { injectIntoNodes, type NodeFault } from './realFaults.ts'
import { RealValidator, type RealValidatorOptions } from './realValidator.ts'

export interface RealBftOptions {
  readonly seed: number
  readonly evmModule: WebAssembly.Module
  /** Default: chosen by the seed. */
  readonly mode?: BftMode
  readonly validators?: number
  /** Default: the period is one second. */
  readonly periodMilliseconds?: number
  readonly fault?: NodeFault
  /** Nothing fails, and there are no votes. Default false. */
  readonly isCalm?: boolean
  /**
   * As in `isCalm`, but few receive commits. When one validator has the first final block, it is cut off, and the power of all
   * others fails: they must find the same block by what is on their disks.
   */
  readonly cutsPower?: boolean
  /**
   * As in `isCalm`, but few receive commits, one validator forges proposals (proposalForger.ts), and the first one with a
   * final block is cut off: the others must find the same block.
   */
  readonly forgesProposals?: boolean
  /** Rules about senders, which all validators but the first enforce. */
  readonly accountRules?: AccountRulesOption
}

export interface AccountRulesOption {
  /** Account and code of the contract. */
  readonly contract: string
  readonly code: string
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
  /** Whether votes have changed the set of validators. */
  readonly isSetChanged: boolean
  readonly maxRound: number
  readonly recoveryMs: number
  readonly durationMs: number
  /** In the longest chain of an honest validator. */
  readonly transactions: number
}

type Place = Pick<RealValidatorOptions, 'signer' | 'isHonest' | 'forger'>

const START_SECONDS = 1_760_000_000
const TROUBLE_MS = 8000
/** Three of the longest rounds. */
const RECOVERY_MS: number = 3 * MAX_BFT_ROUND_MS
const MAX_CRASHES = 4
const LATE_MS = 20_000
const MAX_CUT_MS = 90_000
const MAX_JUMP_MS = 4000
const TRANSACTIONS = 6
/** The nodes are open by then. */
const FIRST_TRANSACTION_MS = 1500
/** After the troubles, when all nodes are open again. */
const REPEAT_MS = TROUBLE_MS + 3000
const MODES: readonly BftMode[] = ['ibft2', 'qbft', 'contract', 'migration']
const OPTIONS = {
  'p2p-enabled': false,
  'min-gas-price': 0n,
  // One account sends all transactions.
  'tx-pool-limit-by-account-percentage': 1,
  'rpc-http-api': ['ETH', 'IBFT', 'QBFT'],
} as const
const SETTINGS = settingsOf({ ...defaultOptions(false), ...OPTIONS }, false)

export async function runRealBft(options: RealBftOptions): Promise<RealBftReport> {
  const restore = injectIntoNodes(options.fault ?? {})
  try {
    return await new RealNetwork(options).run()
  } finally {
    restore()
  }
}

export interface AbsenceReport {
  readonly problem: string | undefined
  /** Blocks while there was no quorum. */
  readonly blocksWithoutQuorum: number
  /** From the return of the validators to a new block at all of them. */
  readonly recoveryMs: number
}

/** Two of four validators are without power for a while. */
export function runAbsence(
  options: Pick<RealBftOptions, 'seed' | 'evmModule' | 'mode'>,
  awayMs: number,
): Promise<AbsenceReport> {
  return new RealNetwork({ ...options, validators: 4, isCalm: true }).runAbsence(awayMs)
}

export interface CutReport {
  readonly seed: number
  readonly problem: string | undefined
  readonly trace: string
  /** Blocks while there was no quorum. */
  readonly blocksWithoutQuorum: number
  /** From the end of the cut to a new block at all validators whose clocks are right. */
  readonly recoveryMs: number
}

/**
 * Seven validators, of which one is without power and one has a clock that is behind: the others are a quorum, until they are cut
 * into two parts.
 */
export function runLateCut(options: Pick<RealBftOptions, 'seed' | 'evmModule' | 'mode'>): Promise<CutReport> {
  return new RealNetwork({ ...options, validators: 7, isCalm: true }).runLateCut()
}

/** Validators whose set changes by lists and a contract. */
export function runTransitions(seed: number, evmModule: WebAssembly.Module): Promise<RealBftReport> {
  return runRealBft({ seed, evmModule, mode: 'transitions', validators: seed % 2 === 0 ? 7 : 5 })
}

/** Once per process, before the first run. */
export async function loadNodeModules(evmModule: WebAssembly.Module): Promise<void> {
  await loadTestNativeEvm(TEST_CLOCK)
  for (const mode of MODES)
    await loadModules(() => runRealBft({ seed: 0, evmModule, mode, validators: 1, isCalm: true }))
}

/** Faults of the network until it heals. */
interface Trouble {
  readonly loss: number
  /** Commits that few receive leave some validators with a final block and the others with a lock. */
  readonly lossOfCommits: number
  readonly duplication: number
  readonly maxLatencyMs: number
  readonly crashRate: number
  /** Probability that the first validator with a final block is cut off. */
  readonly isolation: number
  readonly maxSkewMs: number
}

const CALM: Trouble = {
  loss: 0,
  lossOfCommits: 0,
  duplication: 0,
  maxLatencyMs: 60,
  crashRate: 0,
  isolation: 0,
  maxSkewMs: 50,
}

const FEW_COMMITS: Trouble = { ...CALM, lossOfCommits: 0.6 }

function troubleOf(random: SeededRandom): Trouble {
  return {
    loss: random.chance(0.6) ? random.between(0, 0.25) : 0,
    lossOfCommits: random.chance(0.4) ? random.between(0.3, 0.9) : 0,
    duplication: random.between(0, 0.2),
    maxLatencyMs: random.chance(0.3) ? 1200 : 60,
    crashRate: random.chance(0.6) ? 0.03 : 0,
    isolation: random.chance(0.3) ? 0.5 : 0,
    maxSkewMs: random.chance(0.5) ? 500 : 50,
  }
}

export class RealNetwork {
  readonly world: SimulatedWorld
  readonly network: SimulatedNetwork
  readonly genesis: NodeGenesis
  readonly startMs: number = START_SECONDS * 1000
  readonly evmModule: WebAssembly.Module
  readonly hosts: readonly string[]
  readonly machines: readonly RealValidator[]
  readonly #options: RealBftOptions
  readonly #mode: BftMode
  readonly #faulty: number
  readonly #count: number
  readonly #trouble: Trouble
  readonly #signed = new Map<string, string>()
  readonly #final = new Map<bigint, string>()
  /** Numbers of validators in headers. */
  readonly #sets = new Set<number>()
  problem: string | undefined
  crashes = 0
  #messages = 0
  #hasVotes = false
  #maxRound = 0
  #counted = { height: -1, transactions: 0 }

  constructor(options: RealBftOptions) {
    this.#options = options
    this.evmModule = options.evmModule
    this.world = new SimulatedWorld(options.seed)
    const { random } = this.world
    this.#mode = options.mode ?? (MODES[random.below(MODES.length)] as BftMode)
    this.#count = options.validators ?? ([1, 4, 4, 5, 7][random.below(5)] as number)
    const { cutsPower = false, forgesProposals = false } = options
    const isAimed = cutsPower || forgesProposals
    const { isCalm = isAimed } = options
    this.#trouble = isAimed ? FEW_COMMITS : isCalm ? CALM : troubleOf(random)
    this.network = new SimulatedNetwork(this.world, { ...FAIR_NETWORK, loss: this.#trouble.loss })
    const keys = validatorKeys(this.#count)
    const least = this.#mode === 'transitions' ? this.#count - 1 : this.#count
    this.#faulty = !isCalm && random.chance(0.5) ? faultyOf(least) : 0
    const areTwins = random.chance(0.4)
    const forgerAt = forgesProposals ? options.seed % this.#count : -1
    const places = keys.flatMap<Place>((signer, i) => {
      if (i === forgerAt) return [{ signer, isHonest: false, forger: new ProposalForger(signer) }]
      const isHonest = i >= this.#faulty
      const forger = isHonest || areTwins ? undefined : new Forger(signer, random.fork())
      const place = { signer, isHonest, forger }
      return isHonest || !areTwins ? [place] : [place, place]
    })
    this.hosts = places.map((_, i) => `10.0.0.${i + 1}`)
    const { accountRules, periodMilliseconds } = options
    const contract = accountRules && { [accountRules.contract]: { balance: '0x0', code: accountRules.code } }
    const alloc = { [ALICE.address]: { balance: '0x3635c9adc5dea00000' }, ...contract }
    this.genesis = bftGenesis({
      mode: this.#mode,
      validators: keys,
      alloc,
      timestamp: START_SECONDS,
      periodMilliseconds,
    })
    const { maxSkewMs } = this.#trouble
    this.machines = places.map((place, i) => {
      const skewMs = random.between(-maxSkewMs, maxSkewMs)
      return new RealValidator(this, { ...place, host: this.hosts[i] as string, skewMs })
    })
  }

  settingsOf(host: string): NodeSettings {
    const { accountRules } = this.#options
    if (accountRules === undefined || host === this.hosts[0]) return SETTINGS
    const contract = {
      'permissions-accounts-contract-enabled': true,
      'permissions-accounts-contract-address': accountRules.contract,
    }
    return settingsOf({ ...defaultOptions(false), ...OPTIONS, ...contract }, false)
  }

  get #honest(): readonly RealValidator[] {
    return this.machines.filter(({ options }) => options.isHonest)
  }

  async run(): Promise<RealBftReport> {
    const { world } = this
    for (const machine of this.machines) machine.boot()
    const { isCalm, cutsPower, forgesProposals } = this.#options
    if (![isCalm, cutsPower, forgesProposals].includes(true)) {
      this.#plan()
      this.#planJumps()
      this.#planVotes()
    }
    await this.#planTransactions()
    await world.run(() => this.problem !== undefined, TROUBLE_MS)
    this.#heal()
    const growth = this.#hasVotes ? 2 * this.#count : 2
    const least = this.#mode === 'transitions' ? LAST_TRANSITION : 0
    const goal = BigInt(Math.max(least, ...this.#honest.map(({ height }) => height)) + growth)
    const isHigh = (): boolean => this.#honest.every(({ node }) => (node?.chain.head.header.number ?? 0n) >= goal)
    const isOver = (): boolean => this.problem !== undefined || (isHigh() && this.#hasTransactions)
    if (!(await world.run(isOver, TROUBLE_MS + RECOVERY_MS))) {
      const heights = this.#honest.map(({ height }) => height).join(', ')
      this.fail(`no progress: heights ${heights}, ${this.#countTransactions()} transactions`)
    }
    return {
      seed: this.#options.seed,
      mode: this.#mode,
      validators: this.#count,
      faulty: this.#faulty,
      problem: this.problem,
      trace: world.trace,
      height: Math.max(...this.#honest.map(({ height }) => height)),
      crashes: this.crashes,
      messages: this.#messages,
      isSetChanged: this.#sets.size > 1,
      maxRound: this.#maxRound,
      recoveryMs: world.now - TROUBLE_MS,
      durationMs: world.now,
      transactions: this.#countTransactions(),
    }
  }

  async runAbsence(awayMs: number): Promise<AbsenceReport> {
    const { world, machines } = this
    const absent = machines.slice(2)
    for (const machine of machines) machine.boot()
    const areAt = (height: number) => (): boolean =>
      this.problem !== undefined || machines.every((machine) => machine.height >= height)
    await this.#expectBefore(world.now + RECOVERY_MS, areAt(2))
    // Within a height, at whatever step the seed leads to.
    await world.pass(world.random.between(0, 2000))
    for (const machine of absent) machine.cutPower()
    await world.pass(1000)
    const before = this.#highest
    await world.pass(awayMs)
    const blocksWithoutQuorum = this.#highest - before
    const returnedAt = world.now
    for (const machine of absent) machine.boot()
    await this.#expectBefore(returnedAt + RECOVERY_MS, areAt(this.#highest + 1))
    return { problem: this.problem, blocksWithoutQuorum, recoveryMs: world.now - returnedAt }
  }

  async runLateCut(): Promise<CutReport> {
    const { world, machines, hosts } = this
    const { random } = world
    const [timely, late, dead] = [machines.slice(0, 5), machines[5] as RealValidator, machines[6] as RealValidator]
    late.setClock(-LATE_MS)
    for (const machine of machines) machine.boot()
    const areAt = (height: number) => (): boolean =>
      this.problem !== undefined || timely.every((machine) => machine.height >= height)
    await this.#expectBefore(world.now + RECOVERY_MS, areAt(3))
    dead.cutPower()
    await this.#expectBefore(world.now + RECOVERY_MS, areAt(this.#highest + 2))
    await world.pass(random.between(0, 2000))
    this.network.partition([hosts.slice(0, 3), hosts.slice(3)])
    await world.pass(1000)
    const before = this.#highest
    await world.pass(random.between(0, MAX_CUT_MS))
    const blocksWithoutQuorum = this.#highest - before
    const healedAt = world.now
    this.#heal()
    await this.#expectBefore(healedAt + 2 * MAX_BFT_ROUND_MS, areAt(before + 1))
    const recoveryMs = world.now - healedAt
    const goal = this.#highest + 5
    await this.#expectBefore(world.now + RECOVERY_MS, areAt(goal))
    const follows = (): boolean => this.problem !== undefined || late.height >= goal
    await this.#expectBefore(world.now + 2 * LATE_MS, follows)
    return { seed: this.#options.seed, problem: this.problem, trace: world.trace, blocksWithoutQuorum, recoveryMs }
  }

  get #highest(): number {
    return Math.max(...this.machines.map(({ height }) => height))
  }

  async #expectBefore(atMs: number, isReached: () => boolean): Promise<void> {
    if (await this.world.run(isReached, atMs)) return
    this.fail(`no progress: heights ${this.machines.map(({ height }) => height).join(', ')}`)
  }

  /** Whether the chain has all transactions that its rules allow. */
  get #hasTransactions(): boolean {
    if (this.#options.accountRules !== undefined) return true
    const height = Math.max(...this.#honest.map((machine) => machine.height))
    if (this.#counted.height !== height) this.#counted = { height, transactions: this.#countTransactions() }
    return this.#counted.transactions === TRANSACTIONS
  }

  #countTransactions(): number {
    const counts = this.#honest.map(({ node, height }) => {
      const hashes = Array.from({ length: height }, (_, i) => node?.chain.canonicalHash(i + 1))
      return hashes.reduce((sum, hash) => sum + ((hash && node?.chain.body(hash)?.transactions.length) || 0), 0)
    })
    return Math.max(...counts)
  }

  fail(problem: string): void {
    this.problem ??= problem
  }

  get #isTroubled(): boolean {
    return this.world.now < TROUBLE_MS
  }

  readonly mayCrash = (): boolean =>
    this.world.random.chance(this.#trouble.crashRate) && this.crashes < MAX_CRASHES && this.#isTroubled

  /** A validator has started: it connects to all that it reaches. */
  joined(validator: RealValidator): void {
    for (const other of this.machines) if (other !== validator) this.#connect(validator, other)
  }

  #heal(): void {
    this.network.heal()
    for (const [i, a] of this.machines.entries()) for (const b of this.machines.slice(i + 1)) this.#connect(a, b)
  }

  #connect(a: RealValidator, b: RealValidator): void {
    const [from, to] = [a.options.host, b.options.host]
    this.world.schedule(this.network.latency(), `connect ${from} ${to}`, () => {
      if (!this.network.reaches(from, to)) return
      a.connected(b)
      b.connected(a)
    })
  }

  recipientsOf(sender: RealValidator, { validators, except, exceptPeer }: PacketRecipients): readonly RealValidator[] {
    return this.machines.filter((machine) => {
      const { host, signer } = machine.options
      const isIn = (list: readonly Uint8Array[]): boolean => list.some((other) => equalBytes(other, signer.address))
      return machine !== sender && host !== exceptPeer && isIn(validators) && !isIn(except)
    })
  }

  transmit(packet: BftPacket, from: RealValidator, to: RealValidator): void {
    const { random } = this.world
    const { loss, lossOfCommits, duplication, maxLatencyMs } = this.#trouble
    const isCommit = kindOf(packet.code, PROTOCOLS[packet.protocol]) === 'commit'
    if (this.#isTroubled && random.chance(isCommit ? Math.max(loss, lossOfCommits) : loss)) return
    const copies = this.#isTroubled && random.chance(duplication) ? 2 : 1
    const [source, target] = [from.options.host, to.options.host]
    for (let i = 0; i < copies; i++) {
      const delayMs = this.#isTroubled ? random.between(1, maxLatencyMs) : this.network.latency()
      this.world.schedule(delayMs, `packet ${source} ${target} ${packet.code}`, () => {
        if (!this.network.reaches(source, target)) return
        this.#messages++
        to.receive(packet, source)
      })
    }
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
    this.#maxRound = Math.max(this.#maxRound, round)
    const view = `${bytesToHex(author)} ${height} ${round} ${kind}`
    const content = contentOf(message)
    const before = this.#signed.get(view)
    if (before !== undefined && before !== content) this.fail(`signed twice: ${view}`)
    this.#signed.set(view, content)
  }

  noteHead({ header, hash }: ChainHeader, { options }: RealValidator): void {
    const isIbft = this.#mode === 'ibft2' || (this.#mode === 'migration' && header.number < MIGRATION_BLOCK)
    const { validators } = decodeExtraData(header.extraData, isIbft ? IBFT2 : QBFT)
    this.#sets.add(validators.length)
    const text = bytesToHex(hash)
    const before = this.#final.get(header.number)
    if (before !== undefined && before !== text) this.fail(`two final blocks ${header.number}`)
    const { cutsPower, forgesProposals } = this.#options
    if ((cutsPower || forgesProposals) && this.#final.size === 0) this.#cutOff(options.host)
    else if (before === undefined) this.#isolate(options.host)
    this.#final.set(header.number, text)
  }

  /** Cuts off the first validator that has a final block: the others must find the same one without it. */
  #isolate(host: string): void {
    const { random, now } = this.world
    if (now > TROUBLE_MS - 2000 || !random.chance(this.#trouble.isolation)) return
    this.#partition([[host], this.hosts.filter((other) => other !== host)], random.between(1000, 5000))
  }

  #cutOff(host: string): void {
    this.#partition([[host], this.hosts.filter((other) => other !== host)], TROUBLE_MS)
    if (this.#options.cutsPower !== true) return
    // Not within the commit of the block.
    this.world.schedule(0, 'power cut', () => {
      for (const machine of this.machines) if (machine.options.host !== host) machine.crash()
    })
  }

  #partition(groups: readonly (readonly string[])[], durationMs: number): void {
    this.network.partition(groups)
    this.world.schedule(durationMs, 'heal', () => this.#heal())
  }

  #plan(): void {
    const { random } = this.world
    for (let i = random.below(3); i > 0; i--) {
      const machine = this.machines[random.below(this.machines.length)]
      this.world.schedule(random.between(0, TROUBLE_MS / 2), 'power cut', () => machine?.crash())
    }
    for (let i = random.below(3); i > 0; i--) {
      const sides = this.hosts.map(() => random.below(2))
      const groups = [0, 1].map((side) => this.hosts.filter((_, i) => sides[i] === side))
      const durationMs = random.between(500, TROUBLE_MS / 2)
      const at = random.between(0, TROUBLE_MS - 1000)
      this.world.schedule(at, 'partition', () => this.#partition(groups, durationMs))
    }
  }

  /** Clocks that jump are right again when the troubles end. */
  #planJumps(): void {
    const { random } = this.world
    for (let i = random.chance(0.3) ? 1 + random.below(2) : 0; i > 0; i--) {
      const machine = this.machines[random.below(this.machines.length)]
      const jumpMs = random.between(-MAX_JUMP_MS, MAX_JUMP_MS)
      this.world.schedule(random.between(0, TROUBLE_MS), `clock ${jumpMs}`, () => machine?.setClock(jumpMs))
      this.world.schedule(TROUBLE_MS, 'clock', () => machine?.setClock(0))
    }
  }

  /** Sometimes a validator is voted out, and in again. */
  #planVotes(): void {
    const { random } = this.world
    const isTooSmall = this.#count < 4 || this.#faulty > faultyOf(this.#count - 1)
    if (!random.chance(0.4) || isTooSmall || ['contract', 'transitions'].includes(this.#mode)) return
    this.#hasVotes = true
    const subject = bytesToHex(this.#honest[random.below(this.#honest.length)]?.options.signer.address as Uint8Array)
    const vote = (isAdd: boolean): void => {
      for (const machine of this.machines)
        for (const group of ['ibft', 'qbft']) machine.request(`${group}_proposeValidatorVote`, subject, isAdd)
    }
    const at = random.between(0, 3000)
    this.world.schedule(at, 'vote', () => vote(false))
    if (random.chance(0.5)) this.world.schedule(at + random.between(1000, 4000), 'vote', () => vote(true))
  }

  /** Every transaction is sent twice, because a node that crashes loses its pool. */
  async #planTransactions(): Promise<void> {
    const chainId = Number(this.genesis.genesis.config.chainId)
    for (let nonce = 0; nonce < TRANSACTIONS; nonce++) {
      const raw = bytesToHex(await signed(ALICE, { nonce, value: 1n, maxFeePerGas: 10n ** 10n, chainId }))
      const send = (): void => {
        for (const machine of this.machines) machine.request('eth_sendRawTransaction', raw)
      }
      this.world.schedule(FIRST_TRANSACTION_MS + nonce * 1000, 'transaction', send)
      this.world.schedule(REPEAT_MS + nonce, 'transaction', send)
    }
  }
}

function contentOf(message: Message): string {
  const { payload } = message.signed
  if (payload.kind !== 'roundChange') return bytesToHex(payload.digest)
  const { prepared } = payload
  return prepared === undefined ? 'nothing' : `${prepared.round} ${bytesToHex(prepared.digest)}`
}
