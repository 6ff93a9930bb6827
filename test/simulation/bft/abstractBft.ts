/**
 * Networks of validators that agree on abstract blocks, with the real state machine. Invariants: never two final blocks
 * at a height, nothing final without a quorum of seals, never two different signatures of an honest validator for one
 * height, round and kind, and progress within a bounded time after the network has healed.
 * @module
 */

import { MAX_BFT_ROUND_MS } from '../../../src/base/limits/limits.ts'
import { bytesToHexUnprefixed } from '../../../src/base/primitives/bytes.ts'
import type { ProtocolRules, ReceivedMessage } from '../../../src/consensus/bft/machine/contract.ts'
import { IBFT2_RULES } from '../../../src/consensus/bft/machine/ibft2Rules.ts'
import { QBFT_RULES } from '../../../src/consensus/bft/machine/qbftRules.ts'
import type { BftBlock, Message } from '../../../src/consensus/bft/messages/payloads.ts'
import { faultyOf } from '../../../src/consensus/bft/quorum.ts'
import type { SeededRandom } from '../seededRandom.ts'
import { AbstractBlocks, withRound } from './abstractBlocks.ts'
import { fixedSets, listedSets, type SetPlan, votedSets } from './abstractSets.ts'
import { AbstractValidator, type FinalBlock, sealsProblem } from './abstractValidator.ts'
import { type AbstractQuality, AbstractWorld } from './abstractWorld.ts'
import { Adversary } from './adversary.ts'
import { CONDUCTS, type ConductName, conductOf } from './conduct.ts'
import type { BftFault } from './faults.ts'

export interface AbstractBftOptions {
  readonly seed: number
  readonly fault?: BftFault
}

export interface AbstractBftReport {
  readonly seed: number
  readonly protocol: 'ibft2' | 'qbft' | 'migration'
  readonly validators: number
  readonly byzantine: number
  /** How the Byzantine validators act. */
  readonly conduct: ConductName | 'forging'
  /** The violated invariant; undefined: none. */
  readonly problem: string | undefined
  readonly height: number
  readonly maxRound: number
  readonly crashes: number
  readonly events: number
  /** From the end of all faults to the second new block at every honest validator. */
  readonly recoveryMs: number
  /** Whether blocks have changed the set of validators. */
  readonly isSetChanged: boolean
}

/** Crashes, partitions and losses occur before this time; an outage of hours may follow. */
const TROUBLE_MS = 12_000
const MAX_OUTAGE_MS = 3 * 3_600_000
/** After any outage: three of the longest rounds, and time for a second block. */
const RECOVERY_MS = 3 * MAX_BFT_ROUND_MS + 20_000
const HEALTHY: AbstractQuality = { loss: 0, duplication: 0, maxLatencyMs: 50 }
const NO_BYTES = new Uint8Array(0)
const MAX_CRASHES = 6

export function runAbstractBft(options: AbstractBftOptions): AbstractBftReport {
  return new AbstractNetwork(options).run()
}

export class AbstractNetwork {
  readonly world: AbstractWorld
  readonly blocks: AbstractBlocks
  readonly count: number
  readonly sets: SetPlan
  readonly fault: BftFault
  readonly #seed: number
  /** The protocols of the chain; the second one begins at a height. */
  readonly #rules: readonly [ProtocolRules, ProtocolRules]
  /** Infinity: never. */
  readonly #migrationHeight: number
  readonly #honest: readonly AbstractValidator[]
  /** Machines of Byzantine validators: two of one identity are twins. */
  readonly #puppets: readonly AbstractValidator[]
  readonly #adversary: Adversary
  readonly #conduct: ConductName | 'forging'
  /** Whether Byzantine validators have faster links than others. */
  readonly #isSwift: boolean
  readonly #byzantine: number
  readonly #crashRate: number
  readonly #maxSyncMs: number
  readonly #lossOfCommits: number
  readonly #isolation: number
  /** Time after the trouble in which no validator reaches another. */
  readonly #outageMs: number
  readonly #signed = new Map<string, string>()
  readonly #final = new Map<number, string>()
  #problem: string | undefined
  /** Whether no validator reaches another, for hours. */
  isOut = false
  #crashes = 0
  #maxRound = 0

  constructor({ seed, fault = {} }: AbstractBftOptions) {
    this.#seed = seed
    this.fault = fault
    this.world = new AbstractWorld(seed, HEALTHY)
    const { random } = this.world
    const sound = random.chance(0.5) ? [IBFT2_RULES, QBFT_RULES] : [QBFT_RULES, IBFT2_RULES]
    this.#rules = sound.map((rules) => fault.rules?.(rules) ?? rules) as [ProtocolRules, ProtocolRules]
    this.#migrationHeight = random.chance(0.15) ? 2 + random.below(4) : Number.POSITIVE_INFINITY
    const changesSets = random.chance(0.25)
    const counts = changesSets ? [4, 5, 5, 7, 8] : [1, 4, 4, 5, 7]
    this.count = counts[random.below(counts.length)] as number
    this.sets = changesSets ? setPlanOf(this.count, random) : fixedSets(this.count)
    this.blocks = new AbstractBlocks(this.sets.first, this.sets.rule)
    this.world.quality = {
      loss: random.chance(0.7) ? random.between(0, 0.35) : 0,
      duplication: random.between(0, 0.2),
      maxLatencyMs: random.chance(0.3) ? 1500 : random.between(20, 400),
    }
    this.#maxSyncMs = random.chance(0.5) ? 5000 : 500
    this.#lossOfCommits = random.chance(0.5) ? random.between(0.3, 0.9) : 0
    this.#isolation = random.chance(0.5) ? 0.6 : 0
    this.#outageMs = this.count > 1 && random.chance(0.03) ? random.between(60_000, MAX_OUTAGE_MS) : 0
    this.#crashRate = random.chance(0.6) ? random.between(0, 0.08) : 0
    const most = faultyOf(changesSets ? this.count - 1 : this.count)
    this.#byzantine = random.chance(0.75) ? most : random.below(most + 1)
    const skew = random.chance(0.5) ? 400 : 20
    const first = random.below(this.count)
    const members = Array.from({ length: this.#byzantine }, (_, i) => (first + i) % this.count)
    this.#conduct = random.chance(0.6) ? 'forging' : (CONDUCTS[random.below(CONDUCTS.length)] as ConductName)
    this.#isSwift = random.chance(0.2)
    const conduct = this.#conduct
    this.#adversary = new Adversary(this, members, this.#isSwift)
    this.#puppets = conduct === 'forging' ? [] : members.flatMap((index) => this.#puppetsOf(index, conduct))
    this.#honest = Array.from({ length: this.count }, (_, i) => i)
      .filter((i) => !members.includes(i))
      .map((i) => new AbstractValidator(this, i, random.between(-skew, skew)))
  }

  #puppetsOf(index: number, conduct: ConductName): AbstractValidator[] {
    const machines = conduct === 'twins' ? [0, 1] : [0]
    return machines.map((twin) => new AbstractValidator(this, index, 0, conductOf(conduct, this.world.random, twin)))
  }

  /** The rules of a height, with the fault if it is one of the rules. */
  readonly rulesAt = (height: number): ProtocolRules => this.#rules[height < this.#migrationHeight ? 0 : 1]

  run(): AbstractBftReport {
    const { world } = this
    const machines = [...this.#honest, ...this.#puppets]
    for (const validator of machines) world.schedule(world.random.between(0, 500), () => validator.boot())
    if (this.#puppets.length === 0) this.#adversary.start()
    this.#plan()
    world.run(() => this.#problem !== undefined, TROUBLE_MS)
    this.isOut = this.#outageMs > 0
    if (this.isOut) world.groups = Array.from({ length: this.count }, (_, i) => i)
    world.run(() => this.#problem !== undefined, TROUBLE_MS + this.#outageMs)
    this.isOut = false
    world.quality = HEALTHY
    this.#heal()
    const healedAt = TROUBLE_MS + this.#outageMs
    const goal = Math.max(...this.#honest.map(({ height }) => height)) + 2
    const isOver = (): boolean => this.#problem !== undefined || this.#honest.every(({ height }) => height >= goal)
    if (!world.run(isOver, healedAt + RECOVERY_MS)) this.#fail(`no progress: ${this.#describe()}`)
    return {
      seed: this.#seed,
      protocol: this.#isMigrated ? 'migration' : this.#rules[0].protocol,
      validators: this.count,
      byzantine: this.#byzantine,
      conduct: this.#conduct,
      problem: this.#problem,
      height: this.longestChain().length,
      maxRound: this.#maxRound,
      crashes: this.#crashes,
      events: world.events,
      recoveryMs: world.now - healedAt,
      isSetChanged: this.longestChain().some(({ block }) => this.#isSetOf(block)),
    }
  }

  get #isMigrated(): boolean {
    return this.longestChain().length >= this.#migrationHeight
  }

  #isSetOf(block: BftBlock): boolean {
    return this.blocks.contentOf(block).set.members.length !== this.blocks.genesis.set.members.length
  }

  readonly sendChain = (from: number, to: number): void => {
    const source = this.#validator(from)
    const targets = this.#machinesOf(to)
    if (source === undefined || targets.length === 0) return
    const { chain } = source
    const { random, now } = this.world
    // Synchronisation is slower than agreement, which leaves time for a second block at a height.
    const delayMs = now < TROUBLE_MS ? random.between(0, this.#maxSyncMs) : 0
    const deliver = (): void => {
      for (const target of targets) target.import(chain)
    }
    this.world.transmit(from, to, deliver, { delayMs })
  }

  readonly mayCrash = (): boolean => {
    const { random, now } = this.world
    if (now > TROUBLE_MS || this.#crashes >= MAX_CRASHES || !random.chance(this.#crashRate)) return false
    this.#crashes++
    return true
  }

  /** @param delayMs in addition to the network's */
  send(from: number, to: number, message: Message, delayMs = 0): void {
    const { protocol } = this.rulesAt(message.signed.payload.height)
    const received: ReceivedMessage = { protocol, message, encoded: NO_BYTES, from: String(from) }
    const targets = this.#machinesOf(to)
    // Commits that few receive leave some validators with a final block and the others with a lock.
    if (message.kind === 'commit' && this.world.random.chance(this.#commitLoss())) return
    const deliver = (): void => {
      if (targets.length === 0) this.#adversary.hear(message)
      for (const target of targets) target.receive(received)
    }
    const isSwift = this.#isSwift && (targets.length === 0 || this.#validator(from) === undefined)
    this.world.transmit(from, to, deliver, { delayMs, isSwift })
  }

  #commitLoss(): number {
    return this.world.now < TROUBLE_MS ? this.#lossOfCommits : 0
  }

  /** A validator has started: it connects to those that it reaches. */
  joined(index: number): void {
    for (let peer = 0; peer < this.count; peer++) if (peer !== index) this.#connect(index, peer)
  }

  #connect(a: number, b: number): void {
    this.world.transmit(a, b, () => {
      for (const machine of this.#machinesOf(a)) machine.connected(b)
      for (const machine of this.#machinesOf(b)) machine.connected(a)
    })
  }

  /** The partition ends: those that it has cut off from each other connect again. */
  #heal(): void {
    if (this.isOut) return
    const { groups } = this.world
    this.world.groups = undefined
    if (groups === undefined) return
    for (let a = 0; a < this.count; a++)
      for (let b = a + 1; b < this.count; b++) if (groups[a] !== groups[b]) this.#connect(a, b)
  }

  announce(from: number): void {
    for (let peer = 0; peer < this.count; peer++) if (peer !== from) this.sendChain(from, peer)
  }

  longestChain(): readonly FinalBlock[] {
    return this.#honest.reduce<readonly FinalBlock[]>(
      (longest, { chain }) => (chain.length > longest.length ? chain : longest),
      [],
    )
  }

  /** The chain of the middle one of the honest validators: those ahead of it have a final block that others lack. */
  commonChain(): readonly FinalBlock[] {
    const chains = this.#honest.map(({ chain }) => chain).sort((a, b) => a.length - b.length)
    return chains[Math.floor((chains.length - 1) / 2)] ?? []
  }

  noteSigned(author: number, view: string, content: string): void {
    const key = `${author} ${view}`
    const before = this.#signed.get(key)
    if (before !== undefined && before !== content) this.#fail(`validator ${author} signed twice: ${view}`)
    this.#signed.set(key, content)
  }

  /** Only what is valid may be passed on: otherwise a validator could make all others work for one message. */
  notePassedOn(author: number, message: Message, head: BftBlock | undefined): void {
    const plan = AbstractValidator.plan(this, head)
    if (message.signed.payload.height !== plan.height) return
    const rule = { plan, context: { withRound } }
    const problem =
      message.kind === 'proposal'
        ? plan.rules.proposalProblem(message, rule)
        : message.kind === 'roundChange'
          ? plan.rules.roundChangeProblem(message, rule)
          : undefined
    if (problem !== undefined) this.#fail(`validator ${author} passed on a ${message.kind}: ${problem}`)
  }

  noteFinal(author: number, final: FinalBlock): void {
    const { block } = final
    const { set } = this.blocks.parentOf(this.blocks.contentOf(block))
    const problem = sealsProblem(final, set.members)
    if (problem !== undefined) this.#fail(`validator ${author} took block ${block.height} with ${problem}`)
    const hash = bytesToHexUnprefixed(block.hash)
    const other = this.#final.get(block.height)
    if (other !== undefined && other !== hash) this.#fail(`two final blocks at height ${block.height}`)
    if (other === undefined) this.#isolate(author)
    this.#final.set(block.height, hash)
    this.#maxRound = Math.max(this.#maxRound, block.round)
  }

  /** Cuts off the first validator that has a final block: the others must find the same one without it. */
  #isolate(author: number): void {
    const { world } = this
    if (world.now > TROUBLE_MS - 2000 || !world.random.chance(this.#isolation)) return
    const groups = Array.from({ length: this.count }, (_, i) => (i === author ? 1 : 0))
    world.groups = groups
    world.schedule(world.random.between(1000, 6000), () => {
      if (world.groups === groups) this.#heal()
    })
  }

  /** Power cuts and partitions. */
  #plan(): void {
    const { world } = this
    const { random } = world
    for (let i = random.below(3); i > 0; i--) {
      const validator = this.#honest[random.below(this.#honest.length)]
      world.schedule(random.between(0, TROUBLE_MS - 3000), () => validator?.crash())
    }
    for (let i = random.below(3); i > 0; i--) {
      const groups = Array.from({ length: this.count }, () => random.below(2))
      const at = random.between(0, TROUBLE_MS - 2000)
      world.schedule(at, () => {
        world.groups = groups
      })
      world.schedule(at + random.between(300, 6000), () => this.#heal())
    }
  }

  #validator(index: number): AbstractValidator | undefined {
    return this.#honest.find((validator) => validator.index === index)
  }

  /** Those that have the identity and run the state machine. */
  #machinesOf(index: number): readonly AbstractValidator[] {
    const honest = this.#validator(index)
    return honest === undefined ? this.#puppets.filter((puppet) => puppet.index === index) : [honest]
  }

  #fail(problem: string): void {
    this.#problem ??= problem
  }

  #describe(): string {
    return this.#honest.map(({ index, height, round }) => `${index}: height ${height} round ${round}`).join(', ')
  }
}

function setPlanOf(count: number, random: SeededRandom): SetPlan {
  return random.chance(0.6) ? votedSets(count, random, TROUBLE_MS) : listedSets(count, random)
}
