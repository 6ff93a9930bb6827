/**
 * Proposal, prepare, commit: the agreement within a round.
 * @see docs/reference/consensus-ibft-qbft.md sections 4, 6 and 9
 * @module
 */
import { MAX_BFT_FAILED_PROPOSALS } from '../../../base/limits/limits.ts'
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { Commit, Prepare, Proposal } from '../messages/payloads.ts'
import { addBallot, ballotsOf } from './ballots.ts'
import type { Lock } from './contract.ts'
import { enterRound } from './roundTimer.ts'
import { signCommit, signPrepare } from './signing.ts'
import type { Step } from './state.ts'

/**
 * Section 6: one proposal per round, for this round or a later one. Its block is executed before it is accepted.
 * @returns whether to pass it on
 */
export function receiveProposal(step: Step, message: Proposal): boolean {
  const { examined, failures, plan, proposal } = step.work
  const { height, round } = message.signed.payload
  if (round < step.work.round || examined.has(round)) return false
  if (round === step.work.round && proposal !== undefined) return false
  if ((failures.get(round) ?? 0) >= MAX_BFT_FAILED_PROPOSALS) return false
  const problem = plan.rules.proposalProblem(message, { plan, context: step.context })
  if (problem !== undefined) {
    step.refuse(message, problem)
    return false
  }
  step.set({ examined: new Map(examined).set(round, message) })
  step.effect({ kind: 'verify', height, round, block: message.block })
  return true
}

/** The block of a proposal has been executed. An invalid one leaves its place to another proposal of the round. */
export function proposalVerified(step: Step, round: number, problem: string | undefined): void {
  const { examined, failures } = step.work
  const message = examined.get(round)
  if (message === undefined || round < step.work.round) return
  if (problem !== undefined) {
    step.refuse(message, problem)
    step.set({
      examined: new Map([...examined].filter(([other]) => other !== round)),
      failures: new Map(failures).set(round, (failures.get(round) ?? 0) + 1),
    })
    return
  }
  if (round > step.work.round) enterRound(step, round)
  if (step.work.proposal === undefined) acceptProposal(step, message)
}

/** The node votes for a valid proposal, and counts the votes that have arrived before it. */
export function acceptProposal(step: Step, message: Proposal): void {
  const { round } = message.signed.payload
  step.set({ proposal: message })
  if (step.plan.rules.proposerPrepares || !step.isProposer(round)) {
    const prepare = signPrepare(step, message.block)
    if (prepare !== undefined) keepPrepare(step, prepare)
  }
  countPrepares(step)
  countCommits(step)
}

/** @returns whether to pass it on */
export function receivePrepare(step: Step, message: Prepare): boolean {
  const { author, payload } = message.signed
  const { rules } = step.plan
  if (payload.round < step.work.round || author === undefined) return false
  if (!rules.proposerPrepares && equalBytes(author, step.plan.proposerOf(payload.round))) {
    step.refuse(message, 'the author is the proposer')
    return false
  }
  keepPrepare(step, message)
  countPrepares(step)
  return true
}

function keepPrepare(step: Step, message: Prepare): void {
  const { author, payload } = message.signed
  if (author !== undefined) step.set({ prepares: addBallot(step.work.prepares, author, payload.round, message) })
}

/**
 * Section 9: the seal must be the author's over the digest.
 * @returns whether to pass it on
 */
export function receiveCommit(step: Step, message: Commit): boolean {
  const { author, payload } = message.signed
  if (payload.round < step.work.round || author === undefined) return false
  const sealAuthor = step.context.sealAuthor(payload.digest, payload.seal)
  if (sealAuthor === undefined || !equalBytes(sealAuthor, author)) {
    step.refuse(message, 'the commit seal is not by the author')
    return false
  }
  keepCommit(step, message)
  countCommits(step)
  return true
}

function keepCommit(step: Step, message: Commit): void {
  const { author, payload } = message.signed
  if (author !== undefined) step.set({ commits: addBallot(step.work.commits, author, payload.round, message) })
}

/** Section 4, prepared: the node locks the block and commits to it. */
function countPrepares(step: Step): void {
  const { proposal, isPrepared, prepares, round, plan } = step.work
  if (proposal === undefined || isPrepared) return
  const matching = ballotsOf(prepares, round).filter((vote) => isFor(vote, proposal))
  if (matching.length < plan.rules.preparesNeeded(plan.quorum)) return
  const lock: Lock = { proposal, prepares: matching.map(({ signed }) => signed) }
  step.set({ isPrepared: true, lock })
  const commit = signCommit(step, proposal.block, lock)
  if (commit !== undefined) keepCommit(step, commit)
  countCommits(step)
}

/** Section 4, committed: the block is final. */
function countCommits(step: Step): void {
  const { proposal, isFinal, commits, round, plan } = step.work
  if (proposal === undefined || isFinal) return
  const matching = ballotsOf(commits, round).filter((vote) => isFor(vote, proposal))
  if (matching.length < plan.quorum) return
  step.set({ isFinal: true })
  const seals = matching.map(({ signed }) => signed.payload.seal)
  step.effect({ kind: 'cancelTimers' })
  step.effect({ kind: 'commit', height: plan.height, block: proposal.block, seals })
}

function isFor({ signed }: Prepare | Commit, proposal: Proposal): boolean {
  return equalBytes(signed.payload.digest, proposal.block.digest)
}
