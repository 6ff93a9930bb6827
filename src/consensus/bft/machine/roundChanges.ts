/**
 * Leaving a round without a block.
 * @see docs/reference/consensus-ibft-qbft.md sections 6 and 9
 * @module
 */
import type { RoundChange } from '../messages/payloads.ts'
import { addBallot, ballotsOf } from './ballots.ts'
import { proposeAfter } from './proposing.ts'
import { enterRound } from './roundTimer.ts'
import { maySign, signRoundChange } from './signing.ts'
import type { Step } from './state.ts'

/** Section 6: the node moves to the next round and asks the others to follow. */
export function roundExpired(step: Step, round: number): void {
  if (round !== step.work.round || step.work.isFinal) return
  enterRound(step, round + 1)
  const message = signRoundChange(step, round + 1)
  if (message !== undefined) keepRoundChange(step, message)
}

export function receiveRoundChange(step: Step, message: RoundChange): void {
  const { plan } = step
  if (message.signed.payload.round < step.work.round) return
  const problem = plan.rules.roundChangeProblem(message, { plan, context: step.context })
  if (problem === undefined) keepRoundChange(step, message)
  else step.refuse(message, problem)
}

/**
 * Section 6: a quorum of one target starts that round; its proposer proposes once. A validator that follows others into
 * a round asks for it too: otherwise messages that reached only this node could keep the others below the quorum.
 */
function keepRoundChange(step: Step, message: RoundChange): void {
  const { round } = message.signed.payload
  const before = ballotsOf(step.work.roundChanges, round).length
  addRoundChange(step, message)
  const count = ballotsOf(step.work.roundChanges, round).length
  if (count === before || count !== step.plan.quorum) return
  if (round > step.work.round) {
    enterRound(step, round)
    const ownRoundChange = signRoundChange(step, round)
    if (ownRoundChange !== undefined) addRoundChange(step, ownRoundChange)
  }
  const isFree = step.work.proposal === undefined && maySign(step, round, 'proposal')
  if (step.isProposer(round) && isFree) proposeAfter(step, ballotsOf(step.work.roundChanges, round))
}

function addRoundChange(step: Step, message: RoundChange): void {
  const { author, payload } = message.signed
  if (author !== undefined)
    step.set({ roundChanges: addBallot(step.work.roundChanges, author, payload.round, message) })
}
