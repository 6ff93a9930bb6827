/**
 * The votes on signers or validators that the operator of this node wants its blocks to cast. Kept in memory until they
 * are discarded; each votes until it is fulfilled.
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
  readonly #votes = new Map<string, { readonly isAdd: boolean; readonly isFulfilled: boolean }>()
  #last = 0

  /** In the order in which they were proposed, also fulfilled ones. */
  get list(): readonly VoteIntent[] {
    return [...this.#votes].map(([address, { isAdd }]) => ({ recipient: hexToBytes(address), isAdd }))
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
    this.#votes.set(key, { isAdd, isFulfilled: false })
  }

  /**
   * Notes that an account was added or removed. A proposal for it stays in the list, but votes no longer: a later change
   * by others would otherwise be undone.
   * @param recipient 20 bytes
   * @returns whether there was such a proposal
   */
  fulfil(recipient: Uint8Array, isAdd: boolean): boolean {
    const key = bytesToHex(recipient)
    const vote = this.#votes.get(key)
    if (vote === undefined || vote.isAdd !== isAdd || vote.isFulfilled) return false
    this.#votes.set(key, { isAdd, isFulfilled: true })
    return true
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
    const open = this.list.filter(({ recipient }) => this.#votes.get(bytesToHex(recipient))?.isFulfilled === false)
    const useful = open.filter(isUseful)
    if (useful.length === 0) return undefined
    this.#last = (this.#last + 1) % useful.length
    return useful[this.#last]
  }
}
