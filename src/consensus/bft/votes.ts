/**
 * Validators and open votes after a block.
 * @see docs/reference/consensus-ibft-qbft.md section 10; EIP-225
 * @module
 */
import { equalBytes } from '../../base/primitives/bytes.ts'
import { type RlpItem, rlpDecode, rlpEncode } from '../../base/primitives/rlp.ts'
import { type EncodedKind, FieldReader } from '../../types/fieldReader.ts'
import { type Addresses, hasAddress, sortAddresses } from './addresses.ts'
import type { BftVote } from './extraData.ts'

export interface CastVote extends BftVote {
  /** The proposer of the block that carries the vote, 20 bytes. */
  readonly voter: Uint8Array
}

export interface VoteTally {
  /** Ascending. */
  readonly validators: Addresses
  /** Oldest first. */
  readonly votes: readonly CastVote[]
}

const TALLY: EncodedKind = { code: 'INVALID_EXTRA_DATA', name: 'stored vote tally' }
const ADD = Uint8Array.of(1)
const DROP = new Uint8Array()

export function freshTally(validators: Addresses): VoteTally {
  return { validators: sortAddresses(validators), votes: [] }
}

/**
 * Counts a vote. It replaces the voter's vote on the same account. More than half of the validators decide; votes about
 * the account are then removed, and votes of a removed validator too.
 */
export function castVote({ validators, votes }: VoteTally, vote: CastVote): VoteTally {
  const { recipient, voter, isAdd } = vote
  const isAbout = (other: CastVote): boolean => equalBytes(other.recipient, recipient)
  const open = [...votes.filter((other) => !isAbout(other) || !equalBytes(other.voter, voter)), vote]
  const agreed = open.filter((other) => isAbout(other) && other.isAdd === isAdd).length
  if (agreed < Math.floor(validators.length / 2) + 1) return { validators, votes: open }
  const others = open.filter((other) => !isAbout(other))
  if (isAdd) return { validators: sortAddresses([...validators, recipient]), votes: others }
  return {
    validators: validators.filter((validator) => !equalBytes(validator, recipient)),
    votes: others.filter((other) => !equalBytes(other.voter, recipient)),
  }
}

/**
 * Whether a vote of `voter` can change the validators: votes without effect are not put into blocks.
 * @see docs/reference/consensus-clique.md section 5
 */
export function isUsefulVote(
  { validators, votes }: VoteTally,
  { recipient, isAdd }: BftVote,
  voter: Uint8Array,
): boolean {
  const open = votes.find((vote) => equalBytes(vote.recipient, recipient) && equalBytes(vote.voter, voter))
  if (open !== undefined) return open.isAdd !== isAdd
  return hasAddress(validators, recipient) !== isAdd
}

export function encodeTally({ validators, votes }: VoteTally): Uint8Array {
  const items = votes.map(({ voter, recipient, isAdd }): RlpItem => [voter, recipient, isAdd ? ADD : DROP])
  return rlpEncode([validators, items])
}

/** @throws {NodeError} INVALID_EXTRA_DATA, INVALID_RLP when the record is damaged */
export function decodeTally(bytes: Uint8Array): VoteTally {
  const fields = new FieldReader(rlpDecode(bytes), TALLY)
  const validators = fields.list('validators').map((item) => new FieldReader([item], TALLY).fixed('validator', 20))
  const votes = fields.list('votes').map((item): CastVote => {
    const vote = new FieldReader(item, TALLY)
    const [voter, recipient] = [vote.fixed('voter', 20), vote.fixed('recipient', 20)]
    return { voter, recipient, isAdd: vote.bytes('direction').length > 0 }
  })
  return { validators, votes }
}
