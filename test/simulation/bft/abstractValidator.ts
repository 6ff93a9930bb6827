/**
 * An honest validator: the machine, a disk that survives crashes, and a chain of abstract blocks.
 * @module
 */

import { BFT_REPEAT_MS } from '../../../src/base/limits/limits.ts'
import { LruCache } from '../../../src/base/primitives/lruCache.ts'
import type {
  HeightPlan,
  Lock,
  MachineEffect,
  MachineEvent,
  ReceivedMessage,
  Remembered,
  SignedRecord,
} from '../../../src/consensus/bft/machine/contract.ts'
import { initialState, type Machine, step as soundStep } from '../../../src/consensus/bft/machine/machine.ts'
import type { MachineState } from '../../../src/consensus/bft/machine/state.ts'
import type { BftBlock, Message } from '../../../src/consensus/bft/messages/payloads.ts'
import { proposerOf } from '../../../src/consensus/bft/proposer.ts'
import { quorumOf } from '../../../src/consensus/bft/quorum.ts'
import type { AbstractNetwork } from './abstractBft.ts'
import {
  addressOf,
  type Content,
  hasOwnBody,
  identity,
  indexOf,
  isWellFormed,
  sealAuthor,
  textOf,
} from './abstractBlocks.ts'
import type { Conduct } from './conduct.ts'

export const PERIOD_MS = 1000
const TIMEOUT_MS = 1000
/** Interval between two questions to a peer about its chain. */
const SYNC_MS = 1500
const LIMITS = { futureMessagesMaxDistance: 10, futureMessagesLimit: 100, futureMessagesBytes: 1_000_000 }
const START_MS = 1_000_000

/** A block with the seals that make it final. */
export interface FinalBlock {
  readonly block: BftBlock
  readonly seals: readonly Uint8Array[]
}

interface Disk {
  records: readonly SignedRecord[]
  height: number
  chain: readonly FinalBlock[]
}

export class AbstractValidator {
  readonly index: number
  readonly #network: AbstractNetwork
  readonly #machine: Machine
  readonly #skewMs: number
  /** Of a Byzantine validator. */
  readonly #conduct: Conduct | undefined
  readonly #step: typeof soundStep
  readonly #disk: Disk = { records: [], height: 0, chain: [] }
  #state: MachineState = initialState(undefined)
  /** Changes with each start; callbacks of an earlier life do nothing. */
  #life = 0
  #isAlive = false
  #isBusy = false
  readonly #events: MachineEvent[] = []
  #seen = new LruCache<Message, true>(100)
  #passedOn = new LruCache<Message, true>(1000)
  /** Blocks that were executed since the start: a block with such a header is taken for valid. */
  #executed = new Set<number>()
  #blockTimer = 0
  #roundTimer = 0
  crashes = 0

  constructor(network: AbstractNetwork, index: number, skewMs: number, conduct?: Conduct) {
    this.#network = network
    this.index = index
    this.#skewMs = skewMs
    this.#conduct = conduct
    this.#step = network.fault.step?.(soundStep) ?? soundStep
    const own = identity(index)
    this.#machine = { context: network.fault.context?.(own) ?? own, limits: LIMITS }
  }

  get height(): number {
    return this.#disk.chain.length
  }

  get round(): number {
    return this.#state.work?.round ?? 0
  }

  get chain(): readonly FinalBlock[] {
    return this.#disk.chain
  }

  /** The set for other parties of the simulation: the plan without any fault. */
  static plan(network: Pick<AbstractNetwork, 'rulesAt' | 'blocks'>, parent: BftBlock | undefined): HeightPlan {
    const { blocks } = network
    const { height, timestamp, set } = parent === undefined ? blocks.genesis : blocks.contentOf(parent)
    const beneficiary = parent?.beneficiary ?? new Uint8Array(20)
    const validators = set.members.map(addressOf)
    return {
      height: height + 1,
      rules: network.rulesAt(height + 1),
      validators,
      quorum: quorumOf(validators.length),
      proposerOf: (round) => proposerOf(validators, beneficiary, round),
      leastTimestamp: timestamp + PERIOD_MS / 1000,
      dueMs: timestamp * 1000 + PERIOD_MS,
      emptyDueMs: timestamp * 1000 + PERIOD_MS,
      requestTimeoutMs: TIMEOUT_MS,
    }
  }

  boot(): void {
    this.#life++
    this.#isAlive = true
    this.#isBusy = false
    this.#events.length = 0
    this.#seen = new LruCache(100)
    this.#passedOn = new LruCache(1000)
    this.#executed = new Set()
    this.#state = initialState(this.#remembered())
    this.#newHead()
    this.#later(this.#network.world.random.between(0, SYNC_MS), () => this.#sync())
    this.#later(BFT_REPEAT_MS, () => this.#repeat())
    this.#network.joined(this.index)
  }

  /** A connection to a validator was made. */
  connected(peer: number): void {
    if (this.#isAlive) this.#enqueue({ kind: 'repeat', validator: addressOf(peer) })
  }

  crash(): void {
    if (!this.#isAlive) return
    this.#isAlive = false
    this.crashes++
    const { world } = this.#network
    world.schedule(world.random.between(100, 2500), () => this.boot())
  }

  receive(received: ReceivedMessage): void {
    if (!this.#isAlive || this.#seen.get(received.message)) return
    if (!isWellFormed(received.message) && this.#network.fault.acceptsAnyBody !== true) return
    this.#seen.set(received.message, true)
    this.#enqueue({ kind: 'message', received })
  }

  /** Stores final blocks of a peer that continue its chain. */
  import(chain: readonly FinalBlock[]): void {
    if (!this.#isAlive || chain.length <= this.height) return
    this.#disk.chain = chain
    this.#newHead()
  }

  #remembered(): Remembered | undefined {
    const { records, height } = this.#disk
    const { protocol } = this.#network.rulesAt(height)
    if (records.length === 0) return undefined
    const lock = records.reduce<Lock | undefined>((newest, record) => record.lock ?? newest, undefined)
    const remembered = { height, protocol, messages: records.map(({ message }) => message), lock }
    return this.#network.fault.read?.(remembered) ?? remembered
  }

  #newHead(): void {
    const plan = AbstractValidator.plan(this.#network, this.chain.at(-1)?.block)
    this.#enqueue({ kind: 'newHead', plan: this.#network.fault.plan?.(plan) ?? plan })
  }

  /** Asks a peer for its chain, again and again. */
  #sync(): void {
    const { world, count, sendChain } = this.#network
    const peer = world.random.below(count)
    if (peer !== this.index) sendChain(peer, this.index)
    this.#later(SYNC_MS, () => this.#sync())
  }

  #repeat(): void {
    this.#enqueue({ kind: 'repeat', validator: undefined })
    this.#later(BFT_REPEAT_MS, () => this.#repeat())
  }

  #later(delayMs: number, run: () => void): void {
    const life = this.#life
    this.#network.world.schedule(delayMs, () => {
      if (this.#isAlive && this.#life === life) run()
    })
  }

  #enqueue(event: MachineEvent): void {
    this.#events.push(event)
    if (!this.#isBusy) this.#next()
  }

  #next(): void {
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      const { state, effects } = this.#step(this.#state, event, this.#wallClock(), this.#machine)
      this.#state = state
      if (!this.#carryOut(effects)) return
    }
  }

  /** @returns false when the rest follows later */
  #carryOut(effects: readonly MachineEffect[]): boolean {
    const [first, ...rest] = effects
    if (first?.kind !== 'remember') {
      for (const effect of effects) this.#effect(effect)
      return true
    }
    const sendsFirst = this.#network.fault.sendsFirst === true
    if (sendsFirst) for (const effect of rest) this.#effect(effect)
    this.#isBusy = true
    this.#write(
      () => this.#store(first),
      () => {
        this.#isBusy = false
        if (!sendsFirst) for (const effect of rest) this.#effect(effect)
        this.#next()
      },
    )
    return false
  }

  #store({ height, records }: Extract<MachineEffect, { kind: 'remember' }>): void {
    const written = this.#network.fault.written ?? ((record: SignedRecord) => record)
    const kept = records.map(written).filter((record) => record !== undefined)
    const before = height === this.#disk.height ? this.#disk.records : []
    this.#disk.height = height
    this.#disk.records = [...before, ...kept]
  }

  /** A write takes time and may be the last one. */
  #write(store: () => void, done: () => void): void {
    const { world, mayCrash } = this.#network
    const crash = mayCrash() ? (world.random.chance(0.5) ? 'before' : 'after') : undefined
    this.#later(world.random.between(0, 4), () => {
      if (crash !== 'before') store()
      if (crash === undefined) done()
      else this.crash()
    })
  }

  #effect(effect: MachineEffect): void {
    const { world } = this.#network
    switch (effect.kind) {
      case 'send':
        this.#send(effect)
        break
      case 'gossip':
        this.#gossip(effect.received)
        break
      case 'setBlockTimer':
        this.#setBlockTimer(effect)
        break
      case 'setRoundTimer':
        this.#setRoundTimer(effect)
        break
      case 'cancelTimers':
        this.#blockTimer++
        this.#roundTimer++
        break
      case 'build':
        this.#later(world.random.between(1, 20), () => this.#build(effect))
        break
      case 'verify':
        this.#later(world.random.between(1, 20), () => this.#verify(effect))
        break
      case 'commit':
        this.#commit(effect)
        break
    }
  }

  #send({ message, validators }: Extract<MachineEffect, { kind: 'send' }>): void {
    const { payload } = message.signed
    const view = `${payload.height} ${payload.round} ${payload.kind}`
    if (this.#conduct === undefined) this.#network.noteSigned(this.index, view, textOf(payload))
    for (const peer of validators.map(indexOf)) {
      if (peer === this.index) continue
      for (const { message: sent, delayMs } of this.#conduct?.(message, peer) ?? [{ message, delayMs: 0 }])
        this.#network.send(this.index, peer, sent, delayMs)
    }
  }

  #gossip({ message, from }: ReceivedMessage): void {
    if (this.#passedOn.get(message)) return
    this.#passedOn.set(message, true)
    this.#network.notePassedOn(this.index, message, this.chain.at(-1)?.block)
    const author = indexOf(message.signed.author as Uint8Array)
    for (let peer = 0; peer < this.#network.count; peer++) {
      if (peer !== this.index && peer !== author && String(peer) !== from) this.#network.send(this.index, peer, message)
    }
  }

  #setBlockTimer({ height, atMs }: Extract<MachineEffect, { kind: 'setBlockTimer' }>): void {
    const id = ++this.#blockTimer
    this.#later(atMs - this.#wallClock(), () => {
      if (id === this.#blockTimer) this.#enqueue({ kind: 'blockTimer', height, hasTransactions: true })
    })
  }

  #setRoundTimer({ height, round, delayMs }: Extract<MachineEffect, { kind: 'setRoundTimer' }>): void {
    const id = ++this.#roundTimer
    this.#later(delayMs, () => {
      if (id === this.#roundTimer) this.#enqueue({ kind: 'roundTimer', height, round })
    })
  }

  #build({ height, round, timestamp }: Extract<MachineEffect, { kind: 'build' }>): void {
    const parent = this.#head
    const { blocks, sets, world } = this.#network
    const draft = { parent: parent.id, timestamp, isValid: true, vote: sets.wish(parent.set, world.now) }
    const block = height === this.height + 1 ? blocks.create(draft, 0, addressOf(this.index)) : undefined
    if (block !== undefined) this.#executed.add(blocks.contentOf(block).id)
    this.#enqueue({ kind: 'built', height, round, block })
  }

  #verify({ height, round, block }: Extract<MachineEffect, { kind: 'verify' }>): void {
    const { id, isValid, parent, timestamp } = this.#network.blocks.contentOf(block)
    const isNow = timestamp * 1000 <= this.#wallClock() + 1000
    const isExecuted = this.#executed.has(id)
    const isRight = isExecuted || (isValid && hasOwnBody(block) && isNow)
    if (isRight) this.#executed.add(id)
    const problem = isRight && parent === this.#head.id ? undefined : 'invalid block'
    this.#enqueue({ kind: 'verified', height, round, problem })
  }

  #commit({ height, block, seals }: Extract<MachineEffect, { kind: 'commit' }>): void {
    const final = { block, seals }
    if (this.#conduct === undefined) this.#network.noteFinal(this.index, final)
    this.#write(
      () => {
        if (height === this.height + 1) this.#disk.chain = [...this.chain, final]
      },
      () => {
        this.#newHead()
        if (this.#conduct === undefined) this.#network.announce(this.index)
      },
    )
  }

  get #head(): Content {
    const head = this.chain.at(-1)?.block
    const { blocks } = this.#network
    return head === undefined ? blocks.genesis : blocks.contentOf(head)
  }

  #wallClock(): number {
    return START_MS + this.#network.world.now + this.#skewMs
  }
}

/** Why a final block is not sealed by a quorum. */
export function sealsProblem({ block, seals }: FinalBlock, members: readonly number[]): string | undefined {
  const authors = new Set(seals.map((seal) => indexOf(sealAuthor(block.digest, seal) ?? new Uint8Array(20))))
  const count = members.filter((member) => authors.has(member)).length
  return count >= quorumOf(members.length) ? undefined : `${count} seals`
}
