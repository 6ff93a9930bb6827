/**
 * Proposal, prepare, commit: the agreement within a round.
 * @see consensus-ibft-qbft.md sections 4, 6 and 9
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { Commit, Prepare, Proposal } from '../messages/payloads.ts'
import { addBallot, ballotsOf } from './ballots.ts'
import type { Lock } from './contract.ts'
import { enterRound } from './roundTimer.ts'
import { signCommit, signPrepare } from './signing.ts'
import type { Turn } from './state.ts'

/** Section 6: one proposal per round, for this round or a later one. Its block is executed before it is accepted. */
export function receiveProposal(turn: Turn, message: Proposal): void {
  const { examined, plan, proposal } = turn.work
  const { round } = message.signed.payload
  if (round < turn.work.round || examined.has(round)) return
  if (round === turn.work.round && proposal !== undefined) return
  const problem = plan.rules.proposalProblem(message, { plan, context: turn.context })
  if (problem === undefined) examine(turn, message)
  else turn.refuse(message, problem)
}

/** Requests the execution of a proposal's block. */
export function examine(turn: Turn, message: Proposal): void {
  const { height, round } = message.signed.payload
  turn.set({ examined: new Map(turn.work.examined).set(round, message) })
  turn.effect({ kind: 'verify', height, round, block: message.block })
}

/** The block of a proposal has been executed. */
export function proposalVerified(turn: Turn, round: number, problem: string | undefined): void {
  const message = turn.work.examined.get(round)
  if (message === undefined || round < turn.work.round) return
  if (problem !== undefined) {
    turn.refuse(message, problem)
    return
  }
  if (round > turn.work.round) enterRound(turn, round)
  if (turn.work.proposal === undefined) acceptProposal(turn, message)
}

/** The node votes for a valid proposal, and counts the votes that have arrived before it. */
export function acceptProposal(turn: Turn, message: Proposal): void {
  const { round } = message.signed.payload
  turn.set({ proposal: message })
  if (turn.plan.rules.proposerPrepares || !turn.isProposer(round)) {
    const prepare = signPrepare(turn, message.block)
    if (prepare !== undefined) keepPrepare(turn, prepare)
  }
  countPrepares(turn)
  countCommits(turn)
}

export function receivePrepare(turn: Turn, message: Prepare): void {
  const { author, payload } = message.signed
  const { rules } = turn.plan
  if (payload.round < turn.work.round || author === undefined) return
  if (!rules.proposerPrepares && equalBytes(author, turn.plan.proposerOf(payload.round))) {
    turn.refuse(message, 'the author is the proposer')
    return
  }
  keepPrepare(turn, message)
  countPrepares(turn)
}

function keepPrepare(turn: Turn, message: Prepare): void {
  const { author, payload } = message.signed
  if (author !== undefined) turn.set({ prepares: addBallot(turn.work.prepares, author, payload.round, message) })
}

/** Section 9: the seal must be the author's over the digest. */
export function receiveCommit(turn: Turn, message: Commit): void {
  const { author, payload } = message.signed
  if (payload.round < turn.work.round || author === undefined) return
  const sealAuthor = turn.context.sealAuthor(payload.digest, payload.seal)
  if (sealAuthor === undefined || !equalBytes(sealAuthor, author)) {
    turn.refuse(message, 'the commit seal is not by the author')
    return
  }
  keepCommit(turn, message)
  countCommits(turn)
}

function keepCommit(turn: Turn, message: Commit): void {
  const { author, payload } = message.signed
  if (author !== undefined) turn.set({ commits: addBallot(turn.work.commits, author, payload.round, message) })
}

/** Section 4, prepared: the node locks the block and commits to it. */
function countPrepares(turn: Turn): void {
  const { proposal, isPrepared, prepares, round, plan } = turn.work
  if (proposal === undefined || isPrepared) return
  const matching = ballotsOf(prepares, round).filter((vote) => isFor(vote, proposal))
  if (matching.length < plan.rules.preparesNeeded(plan.quorum)) return
  const lock: Lock = { proposal, prepares: matching.map(({ signed }) => signed) }
  turn.set({ isPrepared: true, lock })
  const commit = signCommit(turn, proposal.block, lock)
  if (commit !== undefined) keepCommit(turn, commit)
  countCommits(turn)
}

/** Section 4, committed: the block is final. */
function countCommits(turn: Turn): void {
  const { proposal, isFinal, commits, round, plan } = turn.work
  if (proposal === undefined || isFinal) return
  const matching = ballotsOf(commits, round).filter((vote) => isFor(vote, proposal))
  if (matching.length < plan.quorum) return
  turn.set({ isFinal: true })
  const seals = matching.map(({ signed }) => signed.payload.seal)
  turn.effect({ kind: 'cancelTimers' })
  turn.effect({ kind: 'commit', height: plan.height, block: proposal.block, seals })
}

function isFor({ signed }: Prepare | Commit, proposal: Proposal): boolean {
  return equalBytes(signed.payload.digest, proposal.block.digest)
}
