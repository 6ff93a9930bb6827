/**
 * Carries out the effects of the state machine: one event at a time, effects in order, and nothing is sent before it is
 * stored.
 * @module
 */

import { BFT_REPEAT_MS, BFT_SLICE_MS, MAX_BLOCK_BUILD_MS, MAX_CLOCK_DRIFT_MS } from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Signer } from '../../base/ports/signer.ts'
import type { Timers } from '../../base/ports/timers.ts'
import { TimeSlicer, type YieldToHost } from '../../base/ports/yieldToHost.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import { hasAddress } from '../../consensus/bft/addresses.ts'
import type { MachineEffect, MachineEvent, ReceivedMessage, Remembered } from '../../consensus/bft/machine/contract.ts'
import { initialState, type Machine, step } from '../../consensus/bft/machine/machine.ts'
import type { MachineState } from '../../consensus/bft/machine/state.ts'
import type { BftNetwork, BftPacket } from '../../consensus/bft/messages/packets.ts'
import { keyToText } from '../../storage/keyText.ts'
import { BuildSignal } from '../buildSignal.ts'
import type { Attendance } from '../contract.ts'
import { AgreementTimers } from './agreementTimers.ts'
import type { BlockWork } from './blockWork.ts'
import type { ChainBlock } from './chainBlocks.ts'
import type { BftValidators } from './contract.ts'
import { limitsOf, type NextHeight, nextHeight } from './heightPlans.ts'
import { BftInbox } from './inbox.ts'
import { agreementContext, packetOf } from './protocols.ts'
import type { VoteJournal } from './voteJournal.ts'

export interface BftDriverDeps {
  readonly consensus: ConsensusSchedule
  readonly validators: BftValidators
  readonly work: BlockWork
  readonly journal: VoteJournal
  readonly network: BftNetwork
  readonly signer: Signer
  readonly clock: Clock
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
  readonly logger: Logger
}

/** Part of a round for the transactions of its block; the others have to verify it in the rest. */
const BUILD_SHARE = 0.5

type Effect<K extends MachineEffect['kind']> = Extract<MachineEffect, { readonly kind: K }>

export class BftDriver {
  readonly #deps: BftDriverDeps
  readonly #timers: AgreementTimers
  /** Time limit of the round. */
  #roundMs = MAX_BLOCK_BUILD_MS
  /** Of the newest build. */
  #signal = new BuildSignal()
  /** Events of this node; they precede messages. */
  #events: MachineEvent[] = []
  #inbox: BftInbox | undefined
  #state: MachineState
  #machine: Machine | undefined
  /** The height in progress, and the one whose event waits. */
  #next: NextHeight | undefined
  #upcoming: NextHeight | undefined
  /** Validators whose messages for the current height have arrived, as text. */
  readonly #heard = new Set<string>()
  #isBusy = false
  #isAskingPool = false
  /** Whether new heights are only observed. */
  #isObserver = false
  /** Whether the newest height is only observed. */
  #isObserved = false
  /** Warnings that have been logged. */
  #isSilent = false
  #isClockBehind = false
  #isClosed = false

  /** @param remembered what this node has signed before */
  constructor(deps: BftDriverDeps, remembered: Remembered | undefined) {
    this.#deps = deps
    this.#timers = new AgreementTimers(deps.clock, deps.timers)
    this.#state = initialState(remembered)
    deps.network.open({
      receive: (packet, peer) => this.#receive(packet, peer),
      connected: (address) => this.#connected(address),
    })
  }

  /** Whether this node is a validator of the next block and votes. */
  get isActive(): boolean {
    return this.#state.work !== undefined
  }

  /** undefined while this node does not validate */
  get attendance(): Attendance | undefined {
    if (!this.isActive) return undefined
    const { validators, quorum } = this.#current.plan
    const isSilent = (validator: Uint8Array): boolean =>
      !equalBytes(validator, this.#deps.signer.address) && !this.#heard.has(keyToText(validator))
    const obstacle = this.#obstacle
    return { validators: validators.length, quorum, silent: validators.filter(isSilent), obstacle }
  }

  get #obstacle(): string | undefined {
    if (this.#state.work?.isSilent !== true) return undefined
    return `this validator does not vote below block ${this.#deps.journal.height}, for which it has signed`
  }

  /** Begins the height on top of a head. */
  async begin(head: ChainHeader): Promise<void> {
    const { logger } = this.#deps
    try {
      const next = await nextHeight(head, this.#deps)
      if (next === undefined || this.#isClosed) return
      this.#inbox ??= new BftInbox(next.settings, this.#deps)
      const { plan } = next
      const reached = Math.max(this.#state.height, this.#upcoming?.plan.height ?? 0)
      const isJoining = !this.#isObserver && this.#state.work === undefined && this.#isObserved
      if (plan.height < reached || (plan.height === reached && !isJoining)) return
      this.#upcoming = next
      this.#isObserved = this.#isObserver
      this.#post({ kind: 'newHead', plan, isObserved: this.#isObserver })
    } catch (error) {
      logger.error('the validators of the next block are unknown', { number: Number(head.header.number) + 1, error })
    }
  }

  /** Stops voting from the next height on; finishes the current one. */
  observe(): void {
    if (this.isActive) this.#deps.logger.info('validator is behind: it will vote again once in sync')
    this.#isObserver = true
  }

  /** Resumes voting with the block on top of `head`. */
  async join(head: ChainHeader): Promise<void> {
    this.#isObserver = false
    await this.begin(head)
  }

  /** A transaction was added to the pool. It ends the wait of an empty block only if a block can include it. */
  transactionArrived(): void {
    if (this.#state.work?.awaitsTransactions !== true || this.#isAskingPool) return
    this.#isAskingPool = true
    void this.#askPool()
  }

  async #askPool(): Promise<void> {
    try {
      if (await this.#deps.work.hasTransactions(this.#current.head)) this.#post({ kind: 'transactions' })
    } catch (error) {
      this.#deps.logger.error('failed to read the pool', { height: this.#state.height, error })
    } finally {
      this.#isAskingPool = false
    }
  }

  close(): void {
    this.#isClosed = true
    this.#signal.abort('the node stops')
    this.#timers.close()
    this.#deps.network.close()
    this.#deps.work.clear()
  }

  /** This validator's newest messages may be new to another one that has just connected. */
  #connected(address: Uint8Array): void {
    const { validators, work } = this.#state
    if (work !== undefined && hasAddress(validators, address)) this.#post({ kind: 'repeat', validator: address })
  }

  #receive(packet: BftPacket, peer: string): void {
    if (this.#isClosed || this.#inbox?.add(packet, peer) !== true) return
    if (!this.#isBusy) void this.#run()
  }

  #post(event: MachineEvent): void {
    if (this.#isClosed) return
    this.#events.push(event)
    if (!this.#isBusy) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    const slicer = new TimeSlicer({ ...this.#deps, sliceMs: BFT_SLICE_MS })
    while (this.#hasWork && !this.#isClosed) {
      try {
        if (slicer.isDue) await slicer.yield()
        const event = this.#nextEvent()
        const stored = event && this.#handle(event)
        if (stored !== undefined) await stored
      } catch (error) {
        // A message may be sent only once it is stored, so the machine waits for the next head.
        this.#deps.logger.error('consensus is halted until the next block', { height: this.#state.height, error })
      }
    }
    this.#isBusy = false
  }

  get #hasWork(): boolean {
    return this.#events.length > 0 || this.#inbox?.isEmpty === false
  }

  /** Events of this node come first. @returns undefined for a message that is of no use */
  #nextEvent(): MachineEvent | undefined {
    const event = this.#events.shift()
    if (event !== undefined) return event
    const received = this.#inbox?.next(this.#state)
    return received && { kind: 'message', received }
  }

  /** @returns a promise when something has to be stored first */
  #handle(event: MachineEvent): Promise<void> | undefined {
    if (event.kind === 'newHead') {
      if (this.#upcoming?.plan !== event.plan) return undefined
      this.#enter(this.#upcoming)
    }
    const machine = this.#machine
    if (machine === undefined) return undefined
    if (event.kind === 'message') this.#hear(event.received)
    const { state, effects } = step(this.#state, event, this.#deps.clock.now(), machine)
    this.#state = state
    if (event.kind === 'newHead') this.#warnOfObstacles()
    const [first, ...rest] = effects
    if (first?.kind !== 'remember') {
      for (const effect of effects) this.#carryOut(effect)
      return undefined
    }
    const stored = this.#record(first)
    const carryOut = (): void => {
      for (const effect of rest) if (!this.#isClosed) this.#carryOut(effect)
    }
    if (stored instanceof Promise) return stored.then(carryOut)
    carryOut()
    return undefined
  }

  /** Once for each obstacle, until it is gone. */
  #warnOfObstacles(): void {
    const { clock, journal, logger } = this.#deps
    const { plan, head } = this.#current
    const isSilent = this.#state.work?.isSilent === true
    if (isSilent && !this.#isSilent) {
      const heights = { height: plan.height, signed: journal.height }
      logger.warn('this validator does not vote below a block for which it has signed', heights)
    }
    this.#isSilent = isSilent
    const behindMs = Number(head.header.timestamp) * 1000 - clock.now()
    const isClockBehind = behindMs > MAX_CLOCK_DRIFT_MS
    if (isClockBehind && !this.#isClockBehind) {
      const fields = { number: plan.height - 1, seconds: Math.round(behindMs / 1000) }
      logger.warn('the clock of this node is behind the newest block, so the next block has to wait', fields)
    }
    this.#isClockBehind = isClockBehind
  }

  /** Messages for later heights are counted as well: their authors lack no message of this height. */
  #hear({ message: { signed } }: ReceivedMessage): void {
    const { author, payload } = signed
    const { plan } = this.#current
    if (author === undefined || payload.height < plan.height) return
    if (plan.validators.some((validator) => equalBytes(validator, author))) this.#heard.add(keyToText(author))
  }

  #enter(next: NextHeight): void {
    const { work, signer } = this.#deps
    this.#next = next
    this.#timers.repeat(BFT_REPEAT_MS, () => this.#post({ kind: 'repeat', validator: undefined }))
    this.#heard.clear()
    work.clear()
    this.#machine = { context: agreementContext(next.protocol, signer), limits: limitsOf(next.settings) }
  }

  #record({ height, records }: Effect<'remember'>): void | Promise<void> {
    return this.#deps.journal.record(height, records, this.#current.protocol)
  }

  get #current(): NextHeight {
    return this.#next as NextHeight
  }

  #carryOut(effect: MachineEffect): void {
    const { network, logger } = this.#deps
    switch (effect.kind) {
      case 'remember':
        throw new TypeError('effects: only the first one may store')
      case 'send':
        this.#send(effect)
        break
      case 'gossip':
        this.#gossip(effect)
        break
      case 'setBlockTimer':
        this.#timers.setBlock(effect.atMs, () => void this.#blockTimer(effect.height))
        break
      case 'setRoundTimer':
        this.#setRoundTimer(effect)
        break
      case 'cancelTimers':
        this.#timers.cancel()
        break
      case 'build':
        void this.#build(effect)
        break
      case 'verify':
        void this.#verify(effect)
        break
      case 'commit':
        void this.#commit(effect)
        break
      case 'peerHeight':
        network.sawHeight(effect.peer, effect.height)
        break
      case 'refused': {
        const { message, height, round, author, reason } = effect
        logger.debug(`refused a ${message} message`, { height, round, author: author && bytesToHex(author), reason })
      }
    }
  }

  #send({ message, validators }: Effect<'send'>): void {
    const { network, signer } = this.#deps
    const packet = packetOf(message, this.#current.protocol)
    network.send(packet, { validators, except: [signer.address], exceptPeer: undefined })
  }

  #gossip({ received, validators }: Effect<'gossip'>): void {
    const { network, signer } = this.#deps
    if (this.#inbox?.mayPassOn(received) !== true) return
    const { message, protocol, encoded, from } = received
    const { codec } = this.#current.protocol
    const packet: BftPacket = { protocol, code: codec.codes[message.kind], payload: encoded }
    const { author } = message.signed
    const except = author === undefined ? [signer.address] : [signer.address, author]
    network.send(packet, { validators, except, exceptPeer: from })
  }

  #setRoundTimer({ height, round, delayMs }: Effect<'setRoundTimer'>): void {
    this.#roundMs = delayMs
    if (round > 0) this.#deps.logger.info(`round ${round} of block ${height}`, { height, round, timeoutMs: delayMs })
    this.#timers.setRound(delayMs, () => this.#post({ kind: 'roundTimer', height, round }))
  }

  async #blockTimer(height: number): Promise<void> {
    const { work, logger } = this.#deps
    const { head, plan } = this.#current
    let hasTransactions = true
    try {
      if (plan.emptyDueMs > plan.dueMs) hasTransactions = await work.hasTransactions(head)
    } catch (error) {
      logger.error('failed to read the pool', { height, error })
    }
    this.#post({ kind: 'blockTimer', height, hasTransactions })
  }

  async #build({ height, round, timestamp }: Effect<'build'>): Promise<void> {
    const { work, logger } = this.#deps
    const { head, protocol } = this.#current
    this.#signal.abort('another block is due')
    const signal = new BuildSignal()
    this.#signal = signal
    try {
      const block = await work.build(head, timestamp, protocol, { deadlineMs: this.#roundMs * BUILD_SHARE, signal })
      this.#post({ kind: 'built', height, round, block })
    } catch (error) {
      if (signal.aborted) return
      logger.error(`failed to build block ${height}`, { round, error })
    }
  }

  async #verify({ height, round, block }: Effect<'verify'>): Promise<void> {
    const { work, logger } = this.#deps
    let problem: string | undefined
    try {
      problem = await work.verify(block as ChainBlock, this.#current.head)
    } catch (error) {
      logger.error(`failed to verify block ${height}`, { round, error })
      problem = 'it could not be verified'
    }
    this.#post({ kind: 'verified', height, round, problem })
  }

  async #commit({ height, block, seals }: Effect<'commit'>): Promise<void> {
    const { work, logger } = this.#deps
    try {
      const problem = await work.commit(block as ChainBlock, seals, this.#current.protocol)
      if (problem === undefined) {
        this.#logCommitted(block as ChainBlock)
        return
      }
      logger.error(`block ${height} was agreed on but could not be stored`, { reason: problem })
    } catch (error) {
      logger.error(`block ${height} was agreed on but could not be stored`, { error })
    }
    this.#post({ kind: 'commitFailed', height })
  }

  #logCommitted({ block, hash, height, round, beneficiary }: ChainBlock): void {
    const { logger, signer } = this.#deps
    const isOwn = equalBytes(beneficiary, signer.address)
    const transactions = block.transactions.length
    logger.info('committed a block', { number: height, hash: bytesToHex(hash), transactions, round, isOwn })
  }
}
