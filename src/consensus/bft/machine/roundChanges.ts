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

/**
 * Section 6: a quorum of one target starts that round; its proposer proposes once. A validator that follows others into
 * a round asks for it too: otherwise messages that reached only this node could keep the others below the quorum.
 */
function keepRoundChange(turn: Turn, message: RoundChange): void {
  const { round } = message.signed.payload
  const before = ballotsOf(turn.work.roundChanges, round).length
  addRoundChange(turn, message)
  const count = ballotsOf(turn.work.roundChanges, round).length
  if (count === before || count !== turn.plan.quorum) return
  if (round > turn.work.round) {
    enterRound(turn, round)
    const own = signRoundChange(turn, round)
    if (own !== undefined) addRoundChange(turn, own)
  }
  const isFree = turn.work.proposal === undefined && maySign(turn, round, 'proposal')
  if (turn.isProposer(round) && isFree) proposeAfter(turn, ballotsOf(turn.work.roundChanges, round))
}

function addRoundChange(turn: Turn, message: RoundChange): void {
  const { author, payload } = message.signed
  if (author !== undefined)
    turn.set({ roundChanges: addBallot(turn.work.roundChanges, author, payload.round, message) })
}
