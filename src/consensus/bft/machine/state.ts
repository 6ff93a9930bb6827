/**
 * The state of the agreement. Immutable: an event yields a new one.
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { Addresses } from '../addresses.ts'
import type { Commit, Message, MessageKind, Prepare, Proposal, RoundChange } from '../messages/payloads.ts'
import type { Ballots } from './ballots.ts'
import type { AgreementContext, HeightPlan, Lock, MachineEffect, Remembered, SignedRecord } from './contract.ts'
import type { FutureMessages } from './futureMessages.ts'

/** The round while the first round of a height has not begun. */
export const NO_ROUND = -1

/** A prepared block and the reason to propose it. */
export interface Reproposal extends Pick<Proposal, 'block' | 'roundChanges' | 'prepares'> {}

/** A validator's work on one height. */
export interface HeightState {
  readonly plan: HeightPlan
  /** NO_ROUND before round 0 of QBFT begins. */
  readonly round: number
  /** The accepted proposal of the round. */
  readonly proposal: Proposal | undefined
  /** Proposals whose blocks are being verified or are valid: one per round. */
  readonly examined: ReadonlyMap<number, Proposal>
  /** Number of proposals whose blocks were invalid, by round. */
  readonly failures: ReadonlyMap<number, number>
  readonly prepares: Ballots<Prepare>
  readonly commits: Ballots<Commit>
  readonly roundChanges: Ballots<RoundChange>
  readonly lock: Lock | undefined
  /** Whether the accepted proposal is prepared. */
  readonly isPrepared: boolean
  /** Whether this node has begun to propose after the round changes of the round. */
  readonly isProposing: boolean
  /** The block that this node will propose again once it is verified. */
  readonly reproposal: Reproposal | undefined
  /** Whether the block timer has expired but there was nothing to put into a block. */
  readonly awaitsTransactions: boolean
  /** Whether the block is agreed on. */
  readonly isFinal: boolean
  /** Messages that this node has signed: never two different ones of one round and kind. */
  readonly signed: ReadonlyMap<string, Message>
  /** Whether nothing may be signed, because this node has signed messages of a higher height. */
  readonly isSilent: boolean
}

export interface MachineState {
  /** The height in progress. */
  readonly height: number
  /** Validators of the height, 20 bytes each. */
  readonly validators: Addresses
  /** undefined: this node is not a validator of the height, or only observes it */
  readonly work: HeightState | undefined
  /** Whether this node may begin to vote at this height. */
  readonly isObserved: boolean
  readonly future: FutureMessages
  /** Messages signed before the restart; undefined once they are of no use. */
  readonly remembered: Remembered | undefined
}

export function signedKey(round: number, kind: MessageKind): string {
  return `${round} ${kind}`
}

/** A step in progress: the changing state of a height, and the effects so far. */
export class Step {
  readonly context: AgreementContext
  readonly nowMs: number
  work: HeightState
  readonly #effects: MachineEffect[] = []
  readonly #records: SignedRecord[] = []

  constructor(work: HeightState, context: AgreementContext, nowMs: number) {
    this.work = work
    this.context = context
    this.nowMs = nowMs
  }

  get plan(): HeightPlan {
    return this.work.plan
  }

  set(change: Partial<HeightState>): void {
    this.work = { ...this.work, ...change }
  }

  effect(effect: MachineEffect): void {
    this.#effects.push(effect)
  }

  remember(record: SignedRecord): void {
    this.#records.push(record)
  }

  refuse({ kind, signed }: Message, reason: string): void {
    const { height, round } = signed.payload
    this.effect({ kind: 'refused', message: kind, height, round, author: signed.author, reason })
  }

  /** Signed messages are stored before any other effect. */
  effects(): readonly MachineEffect[] {
    if (this.#records.length === 0) return this.#effects
    return [{ kind: 'remember', height: this.plan.height, records: this.#records }, ...this.#effects]
  }

  isLocal(address: Uint8Array): boolean {
    return equalBytes(address, this.context.local)
  }

  isProposer(round: number): boolean {
    return this.isLocal(this.plan.proposerOf(round))
  }
}
