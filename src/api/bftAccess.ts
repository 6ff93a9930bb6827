import type { ValidatorReader } from '../consensus/bft/validatorReader.ts'
import type { VoteIntents } from '../consensus/voteIntents.ts'

/** IBFT 2.0, QBFT and legacy IBFT as the API sees them. */
export interface BftAccess {
  readonly validators: Pick<ValidatorReader, 'engineOf' | 'listedBy' | 'after' | 'proposerOf'>
  /** @throws {NodeError} READ_ONLY_NODE from methods that change them, on a read-only node */
  readonly votes: Pick<VoteIntents, 'list' | 'propose' | 'discard'>
}
