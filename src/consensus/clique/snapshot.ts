/**
 * The signers after a block, with the votes that are open and the signers of the last blocks. A pure function of the
 * headers up to the block.
 * @see EIP-225; docs/reference/consensus-clique.md section 4
 * @module
 */
import { compareBytes, equalBytes } from '../../base/primitives/bytes.ts'
import type { VoteIntent } from '../voteIntents.ts'

export interface CliqueVote {
  /** 20 bytes */
  readonly voter: Uint8Array
  /** 20 bytes */
  readonly subject: Uint8Array
  /** true: the subject shall become a signer; false: it shall be removed */
  readonly adds: boolean
}

/** Immutable. All addresses have 20 bytes. */
export interface CliqueSnapshot {
  /** Ascending by bytes. */
  readonly signers: readonly Uint8Array[]
  /** Signers of this block and its ancestors, newest first: as many as the next block's check needs. */
  readonly recent: readonly Uint8Array[]
  /** In the order in which they were cast; at most one per voter and subject. */
  readonly votes: readonly CliqueVote[]
}

/** The data of a header that change a snapshot. */
export interface SnapshotStep {
  /** undefined when the header has no valid seal */
  readonly signer: Uint8Array | undefined
  /** undefined: the header casts no vote */
  readonly vote: Pick<CliqueVote, 'subject' | 'adds'> | undefined
  /** Signers that the header lists, ascending; undefined when it is not an epoch block */
  readonly checkpoint: readonly Uint8Array[] | undefined
}

/** Each signer may seal one of this number of consecutive blocks; this number of votes also changes the signers. */
export function signerLimit(count: number): number {
  return Math.floor(count / 2) + 1
}

export function includesAddress(list: readonly Uint8Array[], address: Uint8Array): boolean {
  return list.some((entry) => equalBytes(entry, address))
}

/** Whether the block is the signer's turn. */
export function isInTurn({ signers }: CliqueSnapshot, number: bigint, signer: Uint8Array): boolean {
  if (signers.length === 0) return false
  return equalBytes(signers[Number(number % BigInt(signers.length))] as Uint8Array, signer)
}

/** Number of blocks since the last turn of a signer; undefined for other accounts. */
export function blocksSinceTurn({ signers }: CliqueSnapshot, number: bigint, signer: Uint8Array): number | undefined {
  const index = signers.findIndex((entry) => equalBytes(entry, signer))
  return index < 0 ? undefined : (Number(number % BigInt(signers.length)) - index + signers.length) % signers.length
}

/** Whether a signer sealed one of the last blocks, so that it may not seal the next one. */
export function hasSignedRecently({ signers, recent }: CliqueSnapshot, signer: Uint8Array): boolean {
  return includesAddress(recent.slice(0, signerLimit(signers.length) - 1), signer)
}

export function applyStep(before: CliqueSnapshot, { signer, vote, checkpoint }: SnapshotStep): CliqueSnapshot {
  const voted =
    checkpoint !== undefined
      ? { signers: checkpoint, votes: [] }
      : signer === undefined || vote === undefined || !includesAddress(before.signers, signer)
        ? before
        : applyVote(before, { voter: signer, ...vote })
  const recent = signer === undefined ? before.recent : [signer, ...before.recent]
  // The next block may add one signer, which raises the limit by at most one.
  return { ...voted, recent: recent.slice(0, signerLimit(voted.signers.length)) }
}

type Tally = Pick<CliqueSnapshot, 'signers' | 'votes'>

function applyVote({ signers, votes: before }: CliqueSnapshot, vote: CliqueVote): Tally {
  const { voter, subject, adds } = vote
  const others = before.filter((cast) => !(equalBytes(cast.voter, voter) && equalBytes(cast.subject, subject)))
  // A vote that cannot change the set is not counted (EIP-225).
  if (includesAddress(signers, subject) === adds) return { signers, votes: others }
  const votes = [...others, vote]
  const count = votes.filter((cast) => cast.adds === adds && equalBytes(cast.subject, subject)).length
  if (count < signerLimit(signers.length)) return { signers, votes }
  const open = votes.filter((cast) => !equalBytes(cast.subject, subject))
  if (adds) return { signers: [...signers, subject].sort(compareBytes), votes: open }
  return {
    signers: signers.filter((entry) => !equalBytes(entry, subject)),
    votes: open.filter((cast) => !equalBytes(cast.voter, subject)),
  }
}

/**
 * Whether a vote of `voter` can change the signers: votes without effect are not put into blocks.
 * @see docs/reference/consensus-clique.md section 5
 */
export function isUsefulVote(
  { signers, votes }: CliqueSnapshot,
  { recipient, isAdd }: VoteIntent,
  voter: Uint8Array,
): boolean {
  if (includesAddress(signers, recipient) === isAdd) return false
  return !votes.some(
    ({ adds, ...vote }) => adds === isAdd && equalBytes(vote.voter, voter) && equalBytes(vote.subject, recipient),
  )
}
