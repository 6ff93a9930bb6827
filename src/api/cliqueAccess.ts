import type { ChainHeader } from '../chain/contract.ts'
import type { VoteIntents } from '../consensus/voteIntents.ts'

/** Clique as the API sees it. */
export interface CliqueAccess {
  /**
   * Signers that may seal the block after this one, ascending; 20 bytes each.
   * @throws {NodeError} NO_SUCH_BLOCK when the block does not belong to Clique
   */
  signersAfter(block: ChainHeader): readonly Uint8Array[]
  /** @throws {NodeError} READ_ONLY_NODE from methods that change it, on a read-only node */
  readonly proposals: Pick<VoteIntents, 'list' | 'propose' | 'discard'>
}
