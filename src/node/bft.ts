/**
 * BFT engines as the API sees them, over a chain that uses one.
 * @module
 */
import type { BftAccess } from '../api/bftAccess.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { BftVote } from '../consensus/bft/extraData.ts'
import { ValidatorReader, type ValidatorReaderDeps } from '../consensus/bft/validatorReader.ts'
import { isUsefulVote } from '../consensus/bft/votes.ts'
import type { VoteIntents } from '../consensus/voteIntents.ts'
import { BFT_KINDS, usesEngine } from './engineKinds.ts'
import type { SignerGroup } from './signerWatch.ts'

/** @returns undefined when the chain uses none of the engines */
export function bftAccess(deps: ValidatorReaderDeps, votes: BftAccess['votes']): BftAccess | undefined {
  return usesEngine(deps.chain.config, BFT_KINDS) ? { validators: new ValidatorReader(deps), votes } : undefined
}

/** The validators as a group to follow; undefined when the chain uses none of the engines. */
export function validatorGroup(deps: ValidatorReaderDeps, votes: VoteIntents): SignerGroup | undefined {
  if (!usesEngine(deps.chain.config, BFT_KINDS)) return undefined
  const reader = new ValidatorReader(deps)
  const after: SignerGroup['after'] = (block) =>
    reader.engineAfter(block) === undefined ? undefined : reader.after(block)
  return { member: 'validator', votes, after }
}

/**
 * The vote of a validator in the block on top of another: none in an epoch block, where it would have no effect, and
 * where a contract lists the validators.
 * @param proposer 20 bytes
 * @throws {NodeError} VALIDATORS_UNKNOWN
 */
export function nextVote(
  parent: ChainHeader,
  votes: VoteIntents,
  validators: ValidatorReader,
  proposer: Uint8Array,
): BftVote | undefined {
  const settings = validators.engineAfter(parent)?.settings
  if (settings === undefined || settings.validatorContract !== undefined || votes.list.length === 0) return undefined
  if ((parent.header.number + 1n) % BigInt(settings.epochLength) === 0n) return undefined
  const tally = validators.tallyAfter(parent)
  return votes.next((vote) => isUsefulVote(tally, vote, proposer))
}
