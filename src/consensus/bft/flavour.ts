/**
 * The encodings in which IBFT 2.0 and QBFT differ, as data.
 * @see docs/reference/consensus-ibft-qbft.md sections 1 and 2
 * @module
 */
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { RlpItem } from '../../base/primitives/rlp.ts'

export interface BftFlavour {
  readonly name: 'ibft2' | 'qbft'
  /** Item of a header without a vote. */
  readonly noVote: RlpItem
  /** Payload that adds a validator. */
  readonly addVote: Uint8Array
  /** Payload that removes a validator. */
  readonly dropVote: Uint8Array
  /** `fixed`: always 4 bytes; `minimal`: without leading zeros, 0 is empty. */
  readonly round: 'fixed' | 'minimal'
  /**
   * How the hashed forms exclude round and seals: `omitted` leaves the items out, `emptied` encodes round 0 and an empty
   * list.
   */
  readonly excluded: 'omitted' | 'emptied'
}

const ADD_VOTE = Uint8Array.of(0xff)

export const IBFT2: BftFlavour = {
  name: 'ibft2',
  noVote: EMPTY_BYTES,
  addVote: ADD_VOTE,
  dropVote: Uint8Array.of(0),
  round: 'fixed',
  excluded: 'omitted',
}

export const QBFT: BftFlavour = {
  name: 'qbft',
  noVote: [],
  addVote: ADD_VOTE,
  dropVote: EMPTY_BYTES,
  round: 'minimal',
  excluded: 'emptied',
}
