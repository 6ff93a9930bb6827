/**
 * Steps of the state machine with one mistake each: rules by which validators meet after an outage, and by which one
 * message costs the others little, are left out.
 * @module
 */
import { ballotsFrom } from '../../../src/consensus/bft/machine/ballots.ts'
import type { MachineEffect } from '../../../src/consensus/bft/machine/contract.ts'
import type { StepResult, step } from '../../../src/consensus/bft/machine/machine.ts'
import type { HeightState } from '../../../src/consensus/bft/machine/state.ts'

export type StepFunction = typeof step
type StepFault = (sound: StepFunction) => StepFunction

/** Validators do not follow the round changes of f + 1 others: round changes above the round in progress are kept, but not looked at. */
export const neverFollows: StepFault = (sound) => (state, event, nowMs, machine) => {
  const { work } = state
  if (work === undefined || event.kind !== 'message') return sound(state, event, nowMs, machine)
  const { message } = event.received
  const isHigher = message.kind === 'roundChange' && message.signed.payload.round > work.round
  // As if the round in progress were the one that is asked for: nothing is higher then.
  const hidden = isHigher ? { ...work, round: message.signed.payload.round } : { ...work, roundChanges: upTo(work) }
  const next = sound({ ...state, work: hidden }, event, nowMs, machine)
  if (next.state.work === undefined) return next
  const { roundChanges } = next.state.work
  const restored: HeightState = isHigher
    ? { ...work, roundChanges }
    : { ...next.state.work, roundChanges: merged(roundChanges, work.roundChanges, next.state.work.round) }
  const effects = isHigher ? next.effects.filter(({ kind }) => kind === 'gossip' || kind === 'refused') : next.effects
  return { state: { ...next.state, work: restored }, effects }
}

type RoundChanges = HeightState['roundChanges']

/** The round changes that are not above the round in progress. */
function upTo({ roundChanges, round }: HeightState): RoundChanges {
  const kept = [...roundChanges].map(
    ([author, rounds]) => [author, new Map([...rounds].filter(([one]) => one <= round))] as const,
  )
  return new Map(kept.filter(([, rounds]) => rounds.size > 0))
}

function merged(some: RoundChanges, others: RoundChanges, least: number): RoundChanges {
  const authors = new Set([...some.keys(), ...others.keys()])
  const all = [...authors].map(
    (author) => [author, new Map([...(others.get(author) ?? []), ...(some.get(author) ?? [])])] as const,
  )
  return ballotsFrom(new Map(all), least)
}

/** Nothing is sent twice. */
export const neverRepeats: StepFault = (sound) => (state, event, nowMs, machine) =>
  event.kind === 'repeat' ? { state, effects: [] } : sound(state, event, nowMs, machine)

/** The time of rounds doubles for ever. */
export const roundsUncapped: StepFault = (sound) => (state, event, nowMs, machine) => {
  const next = sound(state, event, nowMs, machine)
  const timeoutMs = next.state.work?.plan.requestTimeoutMs ?? 0
  return withEffects(next, (effect) =>
    effect.kind === 'setRoundTimer' ? { ...effect, delayMs: timeoutMs * 2 ** Math.max(effect.round, 0) } : effect,
  )
}

/** A validator leaves each round when its time is over, although it may be alone. */
export const runsAhead: StepFault = (sound) => (state, event, nowMs, machine) => {
  const { work } = state
  if (work === undefined || event.kind !== 'roundTimer') return sound(state, event, nowMs, machine)
  const prepares = new Map(work.prepares)
  for (const validator of work.plan.validators) prepares.set(`seen ${validator}`, new Map())
  return sound({ ...state, work: { ...work, prepares } }, event, nowMs, machine)
}

/** All rules about outages are missing. */
export const staysApart: StepFault = (sound) => runsAhead(roundsUncapped(neverRepeats(neverFollows(sound))))

/** A proposal whose block is invalid occupies its round. */
export const failureTakesPlace: StepFault = (sound) => (state, event, nowMs, machine) => {
  const next = sound(state, event, nowMs, machine)
  const message = event.kind === 'verified' && event.problem !== undefined && state.work?.examined.get(event.round)
  if (!message || next.state.work === undefined) return next
  const examined = new Map(next.state.work.examined).set(message.signed.payload.round, message)
  return { ...next, state: { ...next.state, work: { ...next.state.work, examined } } }
}

/** Messages of validators are passed on whatever the rules say of them. */
export const passesOnAnything: StepFault = (sound) => (state, event, nowMs, machine) => {
  const next = sound(state, event, nowMs, machine)
  const { work } = state
  if (event.kind !== 'message' || work === undefined) return next
  if (!next.effects.some(({ kind }) => kind === 'refused')) return next
  const { validators } = work.plan
  return { ...next, effects: [...next.effects, { kind: 'gossip', received: event.received, validators }] }
}

function withEffects(next: StepResult, change: (effect: MachineEffect) => MachineEffect): StepResult {
  return { ...next, effects: next.effects.map(change) }
}
