/**
 * The votes that the operator of this node wants its blocks to cast. Kept in memory until they are discarded.
 * @see consensus-clique.md section 5
 * @module
 */
import { MAX_SIGNER_PROPOSALS } from '../../config/limits.ts'
import { bytesToHex, equalBytes, hexToBytes } from '../../primitives/bytes.ts'
import { NodeError } from '../../primitives/errors.ts'
import { type CliqueSnapshot, type CliqueVote, includesAddress } from './snapshot.ts'

export interface Proposal {
  /** 20 bytes */
  readonly subject: Uint8Array
  /** true: the subject shall become a signer; false: it shall be removed */
  readonly adds: boolean
}

export class CliqueProposals {
  /** By address in hex. */
  readonly #proposals = new Map<string, boolean>()
  #last = 0

  /** In the order in which they were made. */
  get list(): readonly Proposal[] {
    return [...this.#proposals].map(([address, adds]) => ({ subject: hexToBytes(address), adds }))
  }

  /**
   * Replaces an earlier proposal for the same address.
   * @param subject 20 bytes, not zero
   * @throws {NodeError} TOO_MANY_PROPOSALS
   */
  propose(subject: Uint8Array, adds: boolean): void {
    const key = bytesToHex(subject)
    if (!this.#proposals.has(key) && this.#proposals.size >= MAX_SIGNER_PROPOSALS)
      throw new NodeError(
        { code: 'TOO_MANY_PROPOSALS' },
        `${MAX_SIGNER_PROPOSALS} proposals exist: discard one before adding another`,
      )
    this.#proposals.set(key, adds)
  }

  discard(subject: Uint8Array): void {
    this.#proposals.delete(bytesToHex(subject))
  }

  /**
   * The vote for the next block of a signer: those that have an effect take turns.
   * @param snapshot after the block's parent
   * @returns undefined when there is none
   */
  next(snapshot: CliqueSnapshot, voter: Uint8Array): Proposal | undefined {
    const usable = this.list.filter((proposal) => hasEffect(proposal, snapshot, voter))
    if (usable.length === 0) return undefined
    this.#last = (this.#last + 1) % usable.length
    return usable[this.#last]
  }
}

function hasEffect({ subject, adds }: Proposal, { signers, votes }: CliqueSnapshot, voter: Uint8Array): boolean {
  if (includesAddress(signers, subject) === adds) return false
  const isCast = (vote: CliqueVote): boolean =>
    vote.adds === adds && equalBytes(vote.voter, voter) && equalBytes(vote.subject, subject)
  return !votes.some(isCast)
}
