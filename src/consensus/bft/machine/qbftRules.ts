/**
 * QBFT: a round change claims round and digest in its payload; the prepares that prove it are outside, and a proposal
 * needs only those of the newest claim.
 * @see docs/reference/consensus-ibft-qbft.md sections 4, 6 and 9
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { Proposal, RoundChange, RoundChangePayload, Signed } from '../messages/payloads.ts'
import {
  claimedBlockProblem,
  newBlockProblem,
  newestClaim,
  preparesProblem,
  proposalFormProblem,
  roundChangesProblem,
} from './certificates.ts'
import type { ProtocolRules, RuleContext } from './contract.ts'

export const QBFT_RULES: ProtocolRules = {
  protocol: 'qbft',
  roundZeroBegins: 'blockTimer',
  proposerPrepares: true,
  preparesNeeded: (quorum) => quorum,
  proposalProblem,
  roundChangeProblem,
  roundChange(lock) {
    if (lock === undefined) return { prepared: undefined, block: undefined, prepares: [] }
    const { signed, block } = lock.proposal
    const { round, digest } = signed.payload
    return { prepared: { round, digest, certificate: undefined }, block, prepares: lock.prepares }
  },
  certificate(roundChanges) {
    const signed = roundChanges.map((message) => message.signed)
    const newest = newestClaim(signed)
    const source = roundChanges.find((message) => message.signed.payload.prepared === newest)
    return { roundChanges: signed, prepares: newest === undefined ? [] : (source?.prepares ?? []) }
  },
}

/** Section 9, QBFT proposal. */
function proposalProblem(message: Proposal, rule: RuleContext): string | undefined {
  const { plan } = rule
  const { roundChanges, prepares, signed, block } = message
  const { height, round } = signed.payload
  const form = proposalFormProblem(message, plan)
  if (form !== undefined) return form
  if (round === 0)
    return roundChanges.length + prepares.length > 0 ? 'round 0 has no certificate' : newBlockProblem(message)
  const problem = roundChangesProblem(roundChanges, signed.payload, plan) ?? claimsProblem(roundChanges)
  if (problem !== undefined) return problem
  const newest = newestClaim(roundChanges)
  if (newest === undefined)
    return prepares.length > 0 ? 'prepares without a claim of a prepared round' : newBlockProblem(message)
  return (
    claimedBlockProblem(block, newest, rule) ??
    preparesProblem(prepares, { height, round: newest.round, digest: newest.digest }, plan.quorum, plan)
  )
}

/** Claims are of rounds below the target; those of one round agree on the block. */
function claimsProblem(roundChanges: readonly Signed<RoundChangePayload>[]): string | undefined {
  const digests = new Map<number, Uint8Array>()
  for (const { payload } of roundChanges) {
    const { prepared, round } = payload
    if (prepared === undefined) continue
    if (prepared.round >= round) return 'a prepared round is not below the target'
    const other = digests.get(prepared.round)
    if (other !== undefined && !equalBytes(other, prepared.digest)) return 'two prepared blocks in one round'
    digests.set(prepared.round, prepared.digest)
  }
  return undefined
}

/** Section 9, QBFT round-change message. */
function roundChangeProblem({ signed, block, prepares }: RoundChange, rule: RuleContext): string | undefined {
  const { prepared, round, height } = signed.payload
  if (round === 0) return 'the target is round 0'
  if ((prepared === undefined) !== (block === undefined)) return 'block and prepared round do not occur together'
  if (prepared === undefined || block === undefined)
    return prepares.length > 0 ? 'prepares without a prepared round' : undefined
  if (prepared.round >= round) return 'the prepared round is not below the target'
  if (block.height !== height) return `the block has the number ${block.height}`
  const voted = { height, round: prepared.round, digest: prepared.digest }
  return claimedBlockProblem(block, prepared, rule) ?? preparesProblem(prepares, voted, rule.plan.quorum, rule.plan)
}
