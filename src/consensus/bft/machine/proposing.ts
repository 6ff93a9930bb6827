/**
 * The proposer's part: a new block in round 0 or after round changes, or a prepared block again.
 * @see consensus-ibft-qbft.md sections 6 and 9
 * @module
 */
import type { BftBlock, RoundChange } from '../messages/payloads.ts'
import { ballotsOf } from './ballots.ts'
import { newestClaim } from './certificates.ts'
import { enterRound } from './roundTimer.ts'
import { maySign, signProposal } from './signing.ts'
import { NO_ROUND, type Turn } from './state.ts'
import { acceptProposal, examine } from './voting.ts'

/** Section 6: wall clock at which round 0 may have a block. */
export function setBlockTimer(turn: Turn, atMs: number = turn.plan.parentTimestamp * 1000 + turn.plan.periodMs): void {
  turn.effect({ kind: 'setBlockTimer', height: turn.plan.height, atMs })
}

/** Section 6; without transactions, the block may have to wait for the empty block period. */
export function blockTimerExpired(turn: Turn, hasTransactions: boolean): void {
  const { plan, round, isFinal } = turn.work
  if (isFinal || round > 0) return
  const emptyAtMs = plan.parentTimestamp * 1000 + plan.emptyPeriodMs
  if (round === NO_ROUND && !hasTransactions && turn.nowMs < emptyAtMs) {
    turn.set({ awaitsTransactions: true })
    setBlockTimer(turn, emptyAtMs)
    return
  }
  if (round === NO_ROUND) enterRound(turn, 0)
  if (turn.isProposer(0)) requestBlock(turn, Math.round(turn.nowMs / 1000))
}

/** The empty block period ends early. */
export function transactionsArrived(turn: Turn): void {
  if (turn.work.awaitsTransactions && turn.work.round === NO_ROUND) blockTimerExpired(turn, true)
}

function requestBlock(turn: Turn, timestamp: number): void {
  const { plan, round } = turn.work
  if (!maySign(turn, round, 'proposal')) return
  const least = plan.parentTimestamp + Math.ceil(plan.periodMs / 1000)
  turn.effect({ kind: 'build', height: plan.height, round, timestamp: Math.max(timestamp, least) })
}

/** Proposes the block that was built for a round. */
export function blockBuilt(turn: Turn, round: number, block: BftBlock): void {
  const { work, plan } = turn
  if (work.isFinal || round !== work.round || work.proposal !== undefined) return
  const roundChanges = round === 0 ? [] : ballotsOf(work.roundChanges, round)
  const certificate = plan.rules.certificate(roundChanges)
  // A prepared round may have become known since the block was requested.
  if (newestClaim(certificate.roundChanges) !== undefined) {
    proposeAgain(turn, roundChanges)
    return
  }
  const message = signProposal(turn, turn.context.withRound(block, round), certificate)
  if (message !== undefined) acceptProposal(turn, message)
}

/** Section 6: a quorum of round changes has started this round, and this node is its proposer. */
export function proposeAfter(turn: Turn, roundChanges: readonly RoundChange[]): void {
  if (newestClaim(roundChanges.map(({ signed }) => signed)) === undefined)
    requestBlock(turn, Math.floor(turn.nowMs / 1000))
  else proposeAgain(turn, roundChanges)
}

/** Section 9: the prepared block of the newest round, with only its round replaced. */
function proposeAgain(turn: Turn, roundChanges: readonly RoundChange[]): void {
  const newest = newestClaim(roundChanges.map(({ signed }) => signed))
  const block = roundChanges.find(({ signed }) => signed.payload.prepared === newest)?.block
  if (block === undefined) return
  const { round, plan } = turn.work
  const message = signProposal(turn, turn.context.withRound(block, round), plan.rules.certificate(roundChanges))
  if (message !== undefined) examine(turn, message)
}
