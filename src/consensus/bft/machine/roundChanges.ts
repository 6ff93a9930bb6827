/**
 * Leaving a round without a block.
 * @see docs/reference/consensus-ibft-qbft.md sections 6 and 9
 * @module
 */
import type { RoundChange } from '../messages/payloads.ts'
import { addBallot, ballotsOf } from './ballots.ts'
import { proposeAfter } from './proposing.ts'
import { isShared, roundToFollow } from './roundSync.ts'
import { enterRound, setRoundTimer } from './roundTimer.ts'
import { maySign, signRoundChange } from './signing.ts'
import type { Step } from './state.ts'

/** Section 6: the node moves to the next round and asks the others to follow, unless it waits for them in this one. */
export function roundExpired(step: Step, round: number): void {
  if (round !== step.work.round || step.work.isFinal) return
  if (!isShared(step)) {
    setRoundTimer(step)
    return
  }
  askForRound(step, round + 1)
  proposeIfDue(step)
}

/** @returns whether to pass it on */
export function receiveRoundChange(step: Step, message: RoundChange): boolean {
  const { plan } = step
  if (message.signed.payload.round < step.work.round) return false
  const problem = plan.rules.roundChangeProblem(message, { plan, context: step.context })
  if (problem !== undefined) {
    step.refuse(message, problem)
    return false
  }
  addRoundChange(step, message)
  const round = roundToFollow(step)
  if (round !== undefined) askForRound(step, round)
  proposeIfDue(step)
  return true
}

/**
 * Enters a round and asks for it. A validator that follows others asks too: otherwise messages that reached only this node
 * could keep the others below the quorum.
 */
function askForRound(step: Step, round: number): void {
  enterRound(step, round)
  const own = signRoundChange(step, round)
  if (own !== undefined) addRoundChange(step, own)
}

/** Section 6: the proposer of the round proposes once it has a quorum of round changes. */
function proposeIfDue(step: Step): void {
  const { work, plan } = step
  const { round } = work
  const roundChanges = ballotsOf(work.roundChanges, round)
  if (roundChanges.length < plan.quorum || !step.isProposer(round)) return
  if (work.isProposing || work.proposal !== undefined || !maySign(step, round, 'proposal')) return
  step.set({ isProposing: true })
  proposeAfter(step, roundChanges)
}

function addRoundChange(step: Step, message: RoundChange): void {
  const { author, payload } = message.signed
  if (author !== undefined)
    step.set({ roundChanges: addBallot(step.work.roundChanges, author, payload.round, message) })
}
