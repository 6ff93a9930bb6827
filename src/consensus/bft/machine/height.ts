/**
 * The beginning of a height, also after a restart.
 * @see docs/reference/consensus-ibft-qbft.md section 6
 * @module
 */
import type { Message } from '../messages/payloads.ts'
import type { HeightPlan, Remembered } from './contract.ts'
import { setBlockTimer } from './proposing.ts'
import { receiveRoundChange } from './roundChanges.ts'
import { enterRound } from './roundTimer.ts'
import { send } from './signing.ts'
import { type HeightState, NO_ROUND, type Step, signedKey } from './state.ts'
import { receiveCommit, receivePrepare, receiveProposal } from './voting.ts'

/** @param remembered what this node signed before it was restarted */
export function newHeight(plan: HeightPlan, remembered: Remembered | undefined): HeightState {
  const isSame =
    remembered !== undefined && remembered.height === plan.height && remembered.protocol === plan.rules.protocol
  return {
    plan,
    round: NO_ROUND,
    proposal: undefined,
    examined: new Map(),
    prepares: new Map(),
    commits: new Map(),
    roundChanges: new Map(),
    lock: isSame ? remembered.lock : undefined,
    isPrepared: false,
    awaitsTransactions: false,
    isFinal: false,
    signed: new Map((isSame ? remembered.messages : []).map((message) => [keyOf(message), message])),
    isSilent: remembered !== undefined && !isSame && remembered.height >= plan.height,
  }
}

function keyOf({ signed }: Message): string {
  return signedKey(signed.payload.round, signed.payload.kind)
}

/** Section 6, start of a height. After a restart, the last round in which this node signed anything starts instead. */
export function beginHeight(step: Step): void {
  const { plan, signed } = step.work
  const last = Math.max(NO_ROUND, ...[...signed.values()].map((message) => message.signed.payload.round))
  if (last !== NO_ROUND) resume(step, last)
  else if (plan.rules.roundZeroBegins === 'height') {
    enterRound(step, 0)
    if (step.isProposer(0)) setBlockTimer(step)
  } else setBlockTimer(step)
}

/** Sends the messages of the last round again: they may never have left. */
function resume(step: Step, round: number): void {
  enterRound(step, round)
  const ownMessages = [...step.work.signed.values()].filter(({ signed }) => signed.payload.round === round)
  for (const message of ownMessages) send(step, message)
  for (const message of ownMessages) receive(step, message)
  // In round 0 only the block timer leads to a proposal.
  if (round === 0 && step.isProposer(0)) setBlockTimer(step)
}

/** Section 9: a message of the current height, by a validator. */
export function receive(step: Step, message: Message): void {
  if (step.work.isFinal) return
  switch (message.kind) {
    case 'proposal':
      receiveProposal(step, message)
      break
    case 'prepare':
      receivePrepare(step, message)
      break
    case 'commit':
      receiveCommit(step, message)
      break
    case 'roundChange':
      receiveRoundChange(step, message)
      break
  }
}
