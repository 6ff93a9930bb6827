/**
 * The votes that the operator of this node wants its blocks to cast. Kept in memory until they are discarded.
 * @see consensus-ibft-qbft.md sections 10 and 11; consensus-clique.md section 5
 * @module
 */
import { MAX_SIGNER_PROPOSALS } from '../../config/limits.ts'
import { bytesToHex, hexToBytes } from '../../primitives/bytes.ts'
import { NodeError } from '../../primitives/errors.ts'
import type { BftVote } from './extraData.ts'
import { isUsefulVote, type VoteTally } from './votes.ts'

export class ValidatorVotes {
  /** By address in hex. */
  readonly #votes = new Map<string, boolean>()
  #last = 0

  /** In the order in which they were proposed. */
  get list(): readonly BftVote[] {
    return [...this.#votes].map(([address, isAdd]) => ({ recipient: hexToBytes(address), isAdd }))
  }

  /**
   * Replaces an earlier proposal for the same address.
   * @param recipient 20 bytes
   * @throws {NodeError} TOO_MANY_PROPOSALS
   */
  propose(recipient: Uint8Array, isAdd: boolean): void {
    const key = bytesToHex(recipient)
    if (!this.#votes.has(key) && this.#votes.size >= MAX_SIGNER_PROPOSALS) {
      throw new NodeError(
        { code: 'TOO_MANY_PROPOSALS' },
        `${MAX_SIGNER_PROPOSALS} proposals exist: discard one before adding another`,
      )
    }
    this.#votes.set(key, isAdd)
  }

  discard(recipient: Uint8Array): void {
    this.#votes.delete(bytesToHex(recipient))
  }

  /**
   * The vote for the next block of a proposer: those that have an effect take turns.
   * @param tally after the block's parent
   * @returns undefined when there is none
   */
  next(tally: VoteTally, proposer: Uint8Array): BftVote | undefined {
    const useful = this.list.filter((vote) => isUsefulVote(tally, vote, proposer))
    if (useful.length === 0) return undefined
    this.#last = (this.#last + 1) % useful.length
    return useful[this.#last]
  }
}
