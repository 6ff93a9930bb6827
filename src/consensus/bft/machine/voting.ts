/**
 * Proposal, prepare, commit: the agreement within a round.
 * @see docs/reference/consensus-ibft-qbft.md sections 4, 6 and 9
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { Commit, Prepare, Proposal } from '../messages/payloads.ts'
import { addBallot, ballotsOf } from './ballots.ts'
import type { Lock } from './contract.ts'
import { enterRound } from './roundTimer.ts'
import { signCommit, signPrepare } from './signing.ts'
import type { Step } from './state.ts'

/** Section 6: one proposal per round, for this round or a later one. Its block is executed before it is accepted. */
export function receiveProposal(step: Step, message: Proposal): void {
  const { examined, plan, proposal } = step.work
  const { round } = message.signed.payload
  if (round < step.work.round || examined.has(round)) return
  if (round === step.work.round && proposal !== undefined) return
  const problem = plan.rules.proposalProblem(message, { plan, context: step.context })
  if (problem === undefined) examine(step, message)
  else step.refuse(message, problem)
}

/** Requests the execution of a proposal's block. */
export function examine(step: Step, message: Proposal): void {
  const { height, round } = message.signed.payload
  step.set({ examined: new Map(step.work.examined).set(round, message) })
  step.effect({ kind: 'verify', height, round, block: message.block })
}

/** The block of a proposal has been executed. */
export function proposalVerified(step: Step, round: number, problem: string | undefined): void {
  const message = step.work.examined.get(round)
  if (message === undefined || round < step.work.round) return
  if (problem !== undefined) {
    step.refuse(message, problem)
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

export function receivePrepare(step: Step, message: Prepare): void {
  const { author, payload } = message.signed
  const { rules } = step.plan
  if (payload.round < step.work.round || author === undefined) return
  if (!rules.proposerPrepares && equalBytes(author, step.plan.proposerOf(payload.round))) {
    step.refuse(message, 'the author is the proposer')
    return
  }
  keepPrepare(step, message)
  countPrepares(step)
}

function keepPrepare(step: Step, message: Prepare): void {
  const { author, payload } = message.signed
  if (author !== undefined) step.set({ prepares: addBallot(step.work.prepares, author, payload.round, message) })
}

/** Section 9: the seal must be the author's over the digest. */
export function receiveCommit(step: Step, message: Commit): void {
  const { author, payload } = message.signed
  if (payload.round < step.work.round || author === undefined) return
  const sealAuthor = step.context.sealAuthor(payload.digest, payload.seal)
  if (sealAuthor === undefined || !equalBytes(sealAuthor, author)) {
    step.refuse(message, 'the commit seal is not by the author')
    return
  }
  keepCommit(step, message)
  countCommits(step)
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
