/**
 * How validators that have lost each other meet in one round again. Without these rules, a chain that lost its quorum
 * needs about as long as the outage lasted until it makes a block.
 * @see docs/reference/consensus-ibft-qbft.md section 6
 * @see "The Istanbul BFT Consensus Algorithm" (Moniz, 2020), algorithm 3: f + 1 round changes
 * @module
 */
import { bytesToHexUnprefixed } from '../../../base/primitives/bytes.ts'
import type { Message } from '../messages/payloads.ts'
import { faultyOf } from '../quorum.ts'
import { send } from './signing.ts'
import { NO_ROUND, type Step } from './state.ts'

/** The messages that this node has signed in the newest round in which it has signed any; NO_ROUND: in none. */
export function newestSigned({ work }: Step): { readonly round: number; readonly messages: readonly Message[] } {
  const all = [...work.signed.values()]
  const round = Math.max(NO_ROUND, ...all.map(({ signed }) => signed.payload.round))
  return { round, messages: all.filter(({ signed }) => signed.payload.round === round) }
}

/**
 * Sends the newest messages of this node again.
 * @param validator the only recipient, 20 bytes; undefined: all validators
 */
export function repeatNewest(step: Step, validator: Uint8Array | undefined): void {
  if (step.work.isFinal || step.work.isSilent) return
  for (const message of newestSigned(step).messages) send(step, message, validator && [validator])
}

/**
 * The round to follow others to. One of f + 1 validators is honest, so the highest round that as many have asked for, or
 * a higher one, is one that an honest validator has reached.
 * @returns undefined when it is not above the round in progress
 */
export function roundToFollow({ work, plan }: Step): number | undefined {
  const newest = [...work.roundChanges.values()].map((rounds) => Math.max(...rounds.keys())).sort((a, b) => b - a)
  const round = newest[faultyOf(plan.validators.length)]
  return round !== undefined && round > work.round ? round : undefined
}

/**
 * Whether a quorum has reached the round in progress. Only then is a round left: a validator that is cut off would otherwise
 * run ahead, and at a height that the others have yet to reach, fewer than f + 1 round changes would show them its round.
 */
export function isShared({ work, plan, context }: Step): boolean {
  if (work.round <= 0 || work.proposal !== undefined) return true
  const authors = new Set([bytesToHexUnprefixed(context.local)])
  // Those of lower rounds were dropped.
  for (const ballots of [work.roundChanges, work.prepares, work.commits])
    for (const author of ballots.keys()) authors.add(author)
  return authors.size >= plan.quorum
}
