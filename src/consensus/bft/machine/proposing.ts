/**
 * The proposer's part: a new block in round 0 or after round changes, or a prepared block again.
 * @see docs/reference/consensus-ibft-qbft.md sections 6 and 9
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { BftBlock, RoundChange } from '../messages/payloads.ts'
import { ballotsOf } from './ballots.ts'
import { newestClaim } from './certificates.ts'
import { enterRound } from './roundTimer.ts'
import { maySign, signProposal } from './signing.ts'
import { NO_ROUND, type Reproposal, type Step } from './state.ts'
import { acceptProposal } from './voting.ts'

/** Section 6: wall clock at which round 0 may have a block. */
export function setBlockTimer(step: Step, atMs: number = step.plan.dueMs): void {
  step.effect({ kind: 'setBlockTimer', height: step.plan.height, atMs })
}

/** Section 6; without transactions, the block may have to wait for the empty block period. */
export function blockTimerExpired(step: Step, hasTransactions: boolean): void {
  const { plan, round, isFinal } = step.work
  if (isFinal || round > 0) return
  if (round === NO_ROUND && !hasTransactions && step.nowMs < plan.emptyDueMs) {
    step.set({ awaitsTransactions: true })
    setBlockTimer(step, plan.emptyDueMs)
    return
  }
  if (round === NO_ROUND) enterRound(step, 0)
  if (step.isProposer(0)) requestBlock(step, Math.round(step.nowMs / 1000))
}

/** The empty block period ends early. */
export function transactionsArrived(step: Step): void {
  if (step.work.awaitsTransactions && step.work.round === NO_ROUND) blockTimerExpired(step, true)
}

function requestBlock(step: Step, timestamp: number): void {
  const { plan, round } = step.work
  if (!maySign(step, round, 'proposal')) return
  step.effect({ kind: 'build', height: plan.height, round, timestamp: Math.max(timestamp, plan.leastTimestamp) })
}

/** Proposes the block that was built for a round. */
export function blockBuilt(step: Step, round: number, block: BftBlock): void {
  const { work, plan } = step
  if (work.isFinal || round !== work.round || work.proposal !== undefined || work.reproposal !== undefined) return
  const roundChanges = round === 0 ? [] : ballotsOf(work.roundChanges, round)
  const certificate = plan.rules.certificate(roundChanges)
  // A prepared round may have become known since the block was requested.
  if (newestClaim(certificate.roundChanges) !== undefined) {
    proposeAgain(step, roundChanges)
    return
  }
  const message = signProposal(step, step.context.withRound(block, round), certificate)
  if (message !== undefined) acceptProposal(step, message)
}

/** Section 6: a quorum of round changes has started this round, and this node is its proposer. */
export function proposeAfter(step: Step, roundChanges: readonly RoundChange[]): void {
  if (newestClaim(roundChanges.map(({ signed }) => signed)) === undefined)
    requestBlock(step, Math.floor(step.nowMs / 1000))
  else proposeAgain(step, roundChanges)
}

/**
 * Section 9: the prepared block of the newest round, with only its round replaced. It is verified before it is signed; this
 * node's copy needs no execution.
 */
function proposeAgain(step: Step, roundChanges: readonly RoundChange[]): void {
  const { work, plan } = step
  const newest = newestClaim(roundChanges.map(({ signed }) => signed))
  if (newest === undefined) return
  const claimed = roundChanges.find(({ signed }) => signed.payload.prepared === newest)?.block
  const own = work.lock?.proposal.block
  const source = own !== undefined && equalBytes(own.digest, newest.digest) ? own : claimed
  if (source === undefined) return
  const block = step.context.withRound(source, work.round)
  step.set({ reproposal: { block, ...plan.rules.certificate(roundChanges) } })
  step.effect({ kind: 'verify', height: plan.height, round: work.round, block })
}

/** The block that this node proposes again has been executed. */
export function reproposalVerified(
  step: Step,
  { block, ...certificate }: Reproposal,
  problem: string | undefined,
): void {
  step.set({ reproposal: undefined })
  if (problem !== undefined) {
    const { height, round } = block
    step.effect({ kind: 'refused', message: 'roundChange', height, round, author: undefined, reason: problem })
    return
  }
  const message = signProposal(step, block, certificate)
  if (message !== undefined) acceptProposal(step, message)
}
