/**
 * The beginning of a height, also after a restart.
 * @see docs/reference/consensus-ibft-qbft.md section 6
 * @module
 */
import type { Message } from '../messages/payloads.ts'
import type { HeightPlan, Remembered } from './contract.ts'
import { setBlockTimer } from './proposing.ts'
import { receive } from './receive.ts'
import { newestSigned } from './roundSync.ts'
import { enterRound } from './roundTimer.ts'
import { send } from './signing.ts'
import { type HeightState, NO_ROUND, type Step, signedKey } from './state.ts'

/** @param remembered what this node signed before it was restarted */
export function newHeight(plan: HeightPlan, remembered: Remembered | undefined): HeightState {
  const isSame =
    remembered !== undefined && remembered.height === plan.height && remembered.protocol === plan.rules.protocol
  return {
    plan,
    round: NO_ROUND,
    proposal: undefined,
    examined: new Map(),
    failures: new Map(),
    prepares: new Map(),
    commits: new Map(),
    roundChanges: new Map(),
    lock: isSame ? remembered.lock : undefined,
    isPrepared: false,
    isProposing: false,
    reproposal: undefined,
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
  const { round, messages } = newestSigned(step)
  if (round !== NO_ROUND) resume(step, round, messages)
  else if (step.plan.rules.roundZeroBegins === 'height') enterRound(step, 0)
  // In round 0 only the block timer leads to a proposal; QBFT begins it then.
  const isProposing = step.work.round === 0 && step.isProposer(0)
  if (isProposing || step.work.round === NO_ROUND) setBlockTimer(step)
}

/**
 * Signs nothing that differs, but need not wait as long as before the restart: the round has the timeout of round 0. The
 * messages are sent again, because they may never have left.
 */
function resume(step: Step, round: number, messages: readonly Message[]): void {
  enterRound(step, round, step.plan.requestTimeoutMs)
  for (const message of messages) send(step, message)
  for (const message of messages) receive(step, message)
}
