/**
 * Checks of the signed payloads that other messages carry as proof.
 * @see docs/reference/consensus-ibft-qbft.md section 9
 * @module
 */
import { bytesToHexUnprefixed, equalBytes } from '../../../base/primitives/bytes.ts'
import { hasAddress } from '../addresses.ts'
import type { Payload, PreparePayload, Proposal, RoundChangePayload, Signed } from '../messages/payloads.ts'
import type { HeightPlan, Members, RuleContext } from './contract.ts'

/** Height, round and digest that a vote must match. */
export interface Voted {
  readonly height: number
  readonly round: number
  readonly digest: Uint8Array
}

/** Authors are at least `least` distinct validators. */
function authorsProblem(
  signed: readonly Signed<Payload>[],
  least: number,
  { validators }: Pick<Members, 'validators'>,
): string | undefined {
  if (signed.length < least) return `${signed.length} of ${least} messages`
  if (signed.length > validators.length) return `${signed.length} messages of ${validators.length} validators`
  const authors = new Set<string>()
  for (const { author } of signed) {
    if (author === undefined || !hasAddress(validators, author)) return 'an author is not a validator'
    authors.add(bytesToHexUnprefixed(author))
  }
  return authors.size < signed.length ? 'two messages of one author' : undefined
}

/** Prepares of one block in one round by distinct validators, at least `least` of them. */
export function preparesProblem(
  prepares: readonly Signed<PreparePayload>[],
  voted: Voted,
  least: number,
  plan: HeightPlan,
): string | undefined {
  const isSame = prepares.every(({ payload }) => isVoteFor(payload, voted))
  if (!isSame) return 'a prepare is for another block, height or round'
  const problem = authorsProblem(prepares, least, plan)
  return problem && `prepares: ${problem}`
}

function isVoteFor(payload: Voted, { height, round, digest }: Voted): boolean {
  return payload.height === height && payload.round === round && equalBytes(payload.digest, digest)
}

/** Rules of a proposal that do not depend on certificates; the block itself is executed elsewhere. */
export function proposalFormProblem(
  { signed: { author, payload }, block }: Proposal,
  plan: HeightPlan,
): string | undefined {
  const { height, round, digest } = payload
  if (author === undefined || !equalBytes(author, plan.proposerOf(round))) return 'the author is not the proposer'
  if (!equalBytes(digest, block.digest)) return 'the digest is not that of the block'
  if (block.height !== height) return `the block has the number ${block.height}`
  if (block.round !== round) return `the block has the round ${block.round}`
  return undefined
}

/** A block that was not prepared before must come from the proposer of the round. */
export function newBlockProblem({ signed, block }: Proposal): string | undefined {
  return signed.author !== undefined && equalBytes(block.beneficiary, signed.author)
    ? undefined
    : 'the proposer has not created the block'
}

/** Round changes of a proposal: distinct validators, a quorum, all for its height and round. */
export function roundChangesProblem(
  roundChanges: readonly Signed<RoundChangePayload>[],
  { height, round }: Pick<Voted, 'height' | 'round'>,
  plan: HeightPlan,
): string | undefined {
  const isSame = roundChanges.every(({ payload }) => payload.height === height && payload.round === round)
  if (!isSame) return 'a round change is for another height or round'
  const problem = authorsProblem(roundChanges, plan.quorum, plan)
  return problem && `round changes: ${problem}`
}

/** The prepared claim of the newest round. */
export function newestClaim(
  roundChanges: readonly Signed<RoundChangePayload>[],
): NonNullable<RoundChangePayload['prepared']> | undefined {
  let newest: RoundChangePayload['prepared']
  for (const { payload } of roundChanges) {
    const { prepared } = payload
    if (prepared !== undefined && (newest === undefined || prepared.round > newest.round)) newest = prepared
  }
  return newest
}

/** The block, with the claimed round, has the claimed digest. */
export function claimedBlockProblem(
  block: Proposal['block'],
  { round, digest }: Pick<Voted, 'round' | 'digest'>,
  { context }: RuleContext,
): string | undefined {
  return equalBytes(context.withRound(block, round).digest, digest) ? undefined : 'the block is not the prepared one'
}
