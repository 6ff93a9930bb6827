/**
 * Leaving a round without a block.
 * @see consensus-ibft-qbft.md sections 6 and 9
 * @module
 */
import type { RoundChange } from '../messages/payloads.ts'
import { addBallot, ballotsOf } from './ballots.ts'
import { proposeAfter } from './proposing.ts'
import { enterRound } from './roundTimer.ts'
import { maySign, signRoundChange } from './signing.ts'
import type { Turn } from './state.ts'

/** Section 6: the node moves to the next round and asks the others to follow. */
export function roundExpired(turn: Turn, round: number): void {
  if (round !== turn.work.round || turn.work.isFinal) return
  enterRound(turn, round + 1)
  const message = signRoundChange(turn, round + 1)
  if (message !== undefined) keepRoundChange(turn, message)
}

export function receiveRoundChange(turn: Turn, message: RoundChange): void {
  const { plan } = turn
  if (message.signed.payload.round < turn.work.round) return
  const problem = plan.rules.roundChangeProblem(message, { plan, context: turn.context })
  if (problem === undefined) keepRoundChange(turn, message)
  else turn.refuse(message, problem)
}

/** Section 6: a quorum of one target starts that round; its proposer proposes once. */
function keepRoundChange(turn: Turn, message: RoundChange): void {
  const { author, payload } = message.signed
  const { round } = payload
  const before = ballotsOf(turn.work.roundChanges, round).length
  if (author === undefined) return
  turn.set({ roundChanges: addBallot(turn.work.roundChanges, author, round, message) })
  const all = ballotsOf(turn.work.roundChanges, round)
  if (all.length === before || all.length !== turn.plan.quorum) return
  if (round > turn.work.round) enterRound(turn, round)
  const isFree = turn.work.proposal === undefined && maySign(turn, round, 'proposal')
  if (turn.isProposer(round) && isFree) proposeAfter(turn, all)
}
