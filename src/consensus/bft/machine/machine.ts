/**
 * The function of the agreement: `(state, event) → (state, effects)`.
 * @see docs/reference/consensus-ibft-qbft.md sections 6 and 7
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
import { beginHeight, newHeight } from './height.ts'
import { blockBuilt, blockTimerExpired, reproposalVerified, transactionsArrived } from './proposing.ts'
import { receive } from './receive.ts'
import { roundExpired } from './roundChanges.ts'
import { repeatNewest } from './roundSync.ts'
import { enterRound } from './roundTimer.ts'
import { type MachineState, Step } from './state.ts'
import { proposalVerified } from './voting.ts'

export interface StepResult {
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
  const unknown = { height: 0, validators: [], work: undefined, isObserved: false }
  return { ...unknown, future: NO_FUTURE_MESSAGES, remembered }
}

/** @param nowMs wall clock, milliseconds since 1970 */
export function step(state: MachineState, event: MachineEvent, nowMs: number, machine: Machine): StepResult {
  if (event.kind === 'newHead') return onNewHead(state, event, nowMs, machine)
  if (event.kind === 'message') return onMessage(state, event.received, nowMs, machine)
  const { work } = state
  if (work === undefined || ('height' in event && event.height !== state.height)) return { state, effects: [] }
  const current = new Step(work, machine.context, nowMs)
  dispatch(current, event)
  return { state: { ...state, work: current.work }, effects: current.effects() }
}

function dispatch(step: Step, event: Exclude<MachineEvent, { kind: 'newHead' | 'message' }>): void {
  switch (event.kind) {
    case 'blockTimer':
      blockTimerExpired(step, event.hasTransactions)
      break
    case 'roundTimer':
      roundExpired(step, event.round)
      break
    case 'transactions':
      transactionsArrived(step)
      break
    case 'built':
      if (event.block !== undefined) blockBuilt(step, event.round, event.block)
      break
    case 'verified':
      blockVerified(step, event.round, event.problem)
      break
    case 'repeat':
      repeatNewest(step, event.validator)
      break
    case 'commitFailed':
      retryHeight(step)
  }
}

function blockVerified(step: Step, round: number, problem: string | undefined): void {
  const { reproposal, isFinal } = step.work
  if (isFinal) return
  if (reproposal?.block.round === round) reproposalVerified(step, reproposal, problem)
  else proposalVerified(step, round, problem)
}

/** The agreed block could not be stored: the round goes on, so that its timer leads to the next one. */
function retryHeight(step: Step): void {
  if (!step.work.isFinal) return
  step.set({ isFinal: false })
  enterRound(step, step.work.round)
}

/** Section 7, new head event: a head below the height in progress is ignored. */
function onNewHead(
  state: MachineState,
  { plan, isObserved = false }: Extract<MachineEvent, { kind: 'newHead' }>,
  nowMs: number,
  machine: Machine,
): StepResult {
  const isBegun = plan.height === state.height && state.work !== undefined
  if (plan.height < state.height || isBegun) return { state, effects: [] }
  // Messages of a height that is only observed are kept, because it may be begun later.
  const { due, rest } = takeFuture(state.future, isObserved ? plan.height - 1 : plan.height)
  const kept = state.remembered
  const remembered = kept !== undefined && kept.height >= plan.height ? kept : undefined
  const { height, validators } = plan
  const next: MachineState = { height, validators, work: undefined, isObserved, future: rest, remembered }
  const stop: MachineEffect = { kind: 'cancelTimers' }
  // A node that is not a validator does not vote.
  if (isObserved || !hasAddress(plan.validators, machine.context.local)) return { state: next, effects: [stop] }
  const current = new Step(newHeight(plan, remembered), machine.context, nowMs)
  current.effect(stop)
  beginHeight(current)
  for (const received of due) receiveCurrent(current, received)
  return { state: { ...next, work: current.work }, effects: current.effects() }
}

/** Section 7, by height of the message. */
function onMessage(state: MachineState, received: ReceivedMessage, nowMs: number, machine: Machine): StepResult {
  const { height } = received.message.signed.payload
  if (height > state.height) return keepForLater(state, received, machine.limits)
  if (height < state.height) return { state, effects: [] }
  if (state.work === undefined)
    return { state: state.isObserved ? keep(state, received, machine.limits) : state, effects: [] }
  const current = new Step(state.work, machine.context, nowMs)
  receiveCurrent(current, received)
  return { state: { ...state, work: current.work }, effects: current.effects() }
}

function keepForLater(state: MachineState, received: ReceivedMessage, limits: MachineLimits): StepResult {
  const { author, payload } = received.message.signed
  if (author === undefined || !hasAddress(state.validators, author)) return { state, effects: [] }
  const ahead: MachineEffect = { kind: 'peerHeight', peer: received.from, height: payload.height - 1 }
  const isNear = payload.height <= state.height + limits.futureMessagesMaxDistance
  return { state: isNear ? keep(state, received, limits) : state, effects: [ahead] }
}

/** Only messages of validators take space. */
function keep(state: MachineState, received: ReceivedMessage, limits: MachineLimits): MachineState {
  const { author } = received.message.signed
  if (author === undefined || !hasAddress(state.validators, author)) return state
  return { ...state, future: addFuture(state.future, author, received, limits) }
}

/** Section 7, current height: messages of validators are handled, and passed on if their form is valid. */
function receiveCurrent(step: Step, received: ReceivedMessage): void {
  const { message, protocol } = received
  const { author } = message.signed
  const { validators, rules } = step.plan
  if (protocol !== rules.protocol) step.refuse(message, `the chain uses ${rules.protocol}`)
  else if (author === undefined || !hasAddress(validators, author))
    step.refuse(message, 'the author is not a validator')
  else if (!step.isLocal(author) && receive(step, message)) step.effect({ kind: 'gossip', received, validators })
}
