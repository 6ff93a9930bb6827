/**
 * Parts of the node that the agreement of IBFT 2.0 and QBFT uses.
 * @module
 */

import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { Addresses } from '../../consensus/bft/addresses.ts'
import type { BftVote } from '../../consensus/bft/extraData.ts'

/** Validators and proposers of a chain. */
export interface BftValidators {
  /**
   * Validators of the block on top of another, ascending.
   * @throws {NodeError} VALIDATORS_UNKNOWN
   */
  after(block: ChainHeader): MaybePromise<Addresses>
  /** The account that created a block, 20 bytes. */
  proposerOf(block: ChainHeader): Uint8Array
}

/** Votes that the operator has proposed. */
export interface BftVotes {
  /** The vote of this node in the block on top of another. */
  next(parent: ChainHeader): BftVote | undefined
}
