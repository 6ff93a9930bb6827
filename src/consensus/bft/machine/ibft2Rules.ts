/**
 * IBFT 2.0: a round change proves its claim by a signed proposal and prepares inside its payload.
 * @see docs/reference/consensus-ibft-qbft.md sections 4, 6 and 9
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { PreparedClaim, Proposal, RoundChange, RoundChangePayload } from '../messages/payloads.ts'
import {
  claimedBlockProblem,
  newBlockProblem,
  newestClaim,
  preparesProblem,
  proposalFormProblem,
  roundChangesProblem,
} from './certificates.ts'
import type { HeightPlan, ProtocolRules, RuleContext } from './contract.ts'

export const IBFT2_RULES: ProtocolRules = {
  protocol: 'ibft2',
  roundZeroBegins: 'height',
  proposerPrepares: false,
  preparesNeeded: (quorum) => quorum - 1,
  proposalProblem,
  roundChangeProblem,
  roundChange(lock) {
    if (lock === undefined) return { prepared: undefined, block: undefined, prepares: [] }
    const { signed, block } = lock.proposal
    const { round, digest } = signed.payload
    const certificate = { proposal: signed, prepares: lock.prepares }
    return { prepared: { round, digest, certificate }, block, prepares: [] }
  },
  certificate: (roundChanges) => ({ roundChanges: roundChanges.map(({ signed }) => signed), prepares: [] }),
}

/** Section 9, IBFT proposal. */
function proposalProblem(message: Proposal, rule: RuleContext): string | undefined {
  const { plan } = rule
  const { roundChanges, signed, block } = message
  const form = proposalFormProblem(message, plan)
  if (form !== undefined) return form
  if (signed.payload.round === 0)
    return roundChanges.length > 0 ? 'round 0 has no round changes' : newBlockProblem(message)
  const problem = roundChangesProblem(roundChanges, signed.payload, plan)
  if (problem !== undefined) return problem
  for (const { payload } of roundChanges) {
    const claim = claimProblem(payload, plan)
    if (claim !== undefined) return claim
  }
  const newest = newestClaim(roundChanges)
  return newest === undefined ? newBlockProblem(message) : claimedBlockProblem(block, newest, rule)
}

/** Section 9, IBFT round-change message. */
function roundChangeProblem({ signed, block }: RoundChange, rule: RuleContext): string | undefined {
  const { payload } = signed
  const { prepared, round, height } = payload
  if (round === 0) return 'the target is round 0'
  if ((prepared === undefined) !== (block === undefined)) return 'block and prepared certificate do not occur together'
  if (prepared === undefined || block === undefined) return undefined
  if (block.height !== height) return `the block has the number ${block.height}`
  return claimProblem(payload, rule.plan) ?? claimedBlockProblem(block, prepared, rule)
}

/** The prepared certificate of a round change, if it has one. */
function claimProblem({ height, round, prepared }: RoundChangePayload, plan: HeightPlan): string | undefined {
  return prepared && certificateProblem(prepared, { height, round }, plan)
}

function certificateProblem(
  { certificate, round, digest }: PreparedClaim,
  target: { readonly height: number; readonly round: number },
  plan: HeightPlan,
): string | undefined {
  if (certificate === undefined) return 'the prepared certificate is missing'
  const { proposal, prepares } = certificate
  const { height } = target
  if (round >= target.round) return 'the prepared round is not below the target'
  if (proposal.payload.height !== height) return 'the prepared proposal is of another height'
  const proposer = plan.proposerOf(round)
  if (proposal.author === undefined || !equalBytes(proposal.author, proposer))
    return 'the prepared proposal is not by the proposer of its round'
  const problem = preparesProblem(prepares, { height, round, digest }, IBFT2_RULES.preparesNeeded(plan.quorum), plan)
  if (problem !== undefined) return problem
  const isByProposer = prepares.some(({ author }) => author !== undefined && equalBytes(author, proposer))
  return isByProposer ? 'a prepare is by the proposer' : undefined
}
