/**
 * The function of the agreement: `(state, event) → (state, effects)`.
 * @see consensus-ibft-qbft.md sections 6 and 7
 * @module
 */
import { hasAddress } from '../addresses.ts'
import type {
  AgreementContext,
  MachineEffect,
  MachineEvent,
  MachineLimits,
  ReceivedMessage,
  Remembered,
} from './contract.ts'
import { addFuture, NO_FUTURE_MESSAGES, takeFuture } from './futureMessages.ts'
import { beginHeight, newHeight, receive } from './height.ts'
import { blockBuilt, blockTimerExpired, transactionsArrived } from './proposing.ts'
import { roundExpired } from './roundChanges.ts'
import { enterRound } from './roundTimer.ts'
import { type MachineState, Turn } from './state.ts'
import { proposalVerified } from './voting.ts'

export interface Step {
  readonly state: MachineState
  /** In the order in which they must be carried out. */
  readonly effects: readonly MachineEffect[]
}

export interface Machine {
  readonly context: AgreementContext
  readonly limits: MachineLimits
}

/** @param remembered what this node signed before it was restarted */
export function initialState(remembered: Remembered | undefined): MachineState {
  return { height: 0, work: undefined, future: NO_FUTURE_MESSAGES, remembered }
}

/** @param nowMs wall clock, milliseconds since 1970 */
export function step(state: MachineState, event: MachineEvent, nowMs: number, machine: Machine): Step {
  if (event.kind === 'newHead') return onNewHead(state, event, nowMs, machine)
  if (event.kind === 'message') return onMessage(state, event.received, nowMs, machine)
  const { work } = state
  if (work === undefined || ('height' in event && event.height !== state.height)) return { state, effects: [] }
  const turn = new Turn(work, machine.context, nowMs)
  dispatch(turn, event)
  return { state: { ...state, work: turn.work }, effects: turn.effects() }
}

function dispatch(turn: Turn, event: Exclude<MachineEvent, { kind: 'newHead' | 'message' }>): void {
  switch (event.kind) {
    case 'blockTimer':
      blockTimerExpired(turn, event.hasTransactions)
      break
    case 'roundTimer':
      roundExpired(turn, event.round)
      break
    case 'transactions':
      transactionsArrived(turn)
      break
    case 'built':
      if (event.block !== undefined) blockBuilt(turn, event.round, event.block)
      break
    case 'verified':
      if (!turn.work.isFinal) proposalVerified(turn, event.round, event.problem)
      break
    case 'commitFailed':
      retryHeight(turn)
  }
}

/** The agreed block could not be stored: the round goes on, so that its timer leads to the next one. */
function retryHeight(turn: Turn): void {
  if (!turn.work.isFinal) return
  turn.set({ isFinal: false })
  enterRound(turn, turn.work.round)
}

/** Section 7, new head event: a head below the height in progress is ignored. */
function onNewHead(
  state: MachineState,
  { plan, isObserved = false }: Extract<MachineEvent, { kind: 'newHead' }>,
  nowMs: number,
  machine: Machine,
): Step {
  const isBegun = plan.height === state.height && state.work !== undefined
  if (plan.height < state.height || isBegun) return { state, effects: [] }
  // Messages of a height that is only observed are kept, because it may be begun later.
  const { due, rest } = takeFuture(state.future, isObserved ? plan.height - 1 : plan.height)
  const kept = state.remembered
  const remembered = kept !== undefined && kept.height >= plan.height ? kept : undefined
  const next: MachineState = { height: plan.height, work: undefined, future: rest, remembered }
  const stop: MachineEffect = { kind: 'cancelTimers' }
  // A node that is not a validator does not vote.
  if (isObserved || !hasAddress(plan.validators, machine.context.local)) return { state: next, effects: [stop] }
  const turn = new Turn(newHeight(plan, remembered), machine.context, nowMs)
  turn.effect(stop)
  beginHeight(turn)
  for (const received of due) receiveCurrent(turn, received)
  return { state: { ...next, work: turn.work }, effects: turn.effects() }
}

/** Section 7, by height of the message. */
function onMessage(state: MachineState, received: ReceivedMessage, nowMs: number, machine: Machine): Step {
  const { height } = received.message.signed.payload
  if (height > state.height) return keepForLater(state, received, machine.limits)
  if (height < state.height || state.work === undefined) return { state, effects: [] }
  const turn = new Turn(state.work, machine.context, nowMs)
  receiveCurrent(turn, received)
  return { state: { ...state, work: turn.work }, effects: turn.effects() }
}

function keepForLater(state: MachineState, received: ReceivedMessage, limits: MachineLimits): Step {
  const { height } = received.message.signed.payload
  const ahead: MachineEffect = { kind: 'peerHeight', peer: received.from, height: height - 1 }
  const isNear = height <= state.height + limits.futureMessagesMaxDistance
  const future = isNear ? addFuture(state.future, received, limits) : state.future
  return { state: { ...state, future }, effects: [ahead] }
}

/** Section 7, current height: messages of validators are passed on, then handled; all others are dropped. */
function receiveCurrent(turn: Turn, received: ReceivedMessage): void {
  const { message, protocol } = received
  const { author } = message.signed
  const { validators, rules } = turn.plan
  if (protocol !== rules.protocol) turn.refuse(message, `the chain uses ${rules.protocol}`)
  else if (author === undefined || !hasAddress(validators, author))
    turn.refuse(message, 'the author is not a validator')
  else if (!turn.isLocal(author)) {
    turn.effect({ kind: 'gossip', received, validators })
    receive(turn, message)
  }
}
