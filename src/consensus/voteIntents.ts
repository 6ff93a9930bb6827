/**
 * The votes on signers or validators that the operator of this node wants its blocks to cast. Kept in memory until they
 * are discarded.
 * @see docs/reference/consensus-clique.md section 5; docs/reference/consensus-ibft-qbft.md sections 10 and 11
 * @module
 */
import { MAX_SIGNER_PROPOSALS } from '../base/limits/limits.ts'
import { bytesToHex, hexToBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'

/** A vote on an account. */
export interface VoteIntent {
  /** The account, 20 bytes. */
  readonly recipient: Uint8Array
  /** true: the account shall become a signer or validator; false: it shall be removed */
  readonly isAdd: boolean
}

export class VoteIntents {
  /** By address in hex. */
  readonly #votes = new Map<string, boolean>()
  #last = 0

  /** In the order in which they were proposed. */
  get list(): readonly VoteIntent[] {
    return [...this.#votes].map(([address, isAdd]) => ({ recipient: hexToBytes(address), isAdd }))
  }

  /**
   * Replaces an earlier proposal for the same account.
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
   * The vote for the next block: useful ones take turns.
   * @param isUseful whether a vote would have an effect
   * @returns undefined when there is none
   */
  next(isUseful: (vote: VoteIntent) => boolean): VoteIntent | undefined {
    const useful = this.list.filter(isUseful)
    if (useful.length === 0) return undefined
    this.#last = (this.#last + 1) % useful.length
    return useful[this.#last]
  }
}
