/**
 * Proof of stake in the execution layer: the consensus layer decides; only the header's form is checked here.
 * @see EIP-3675
 * @module
 */

import { bytesToHex, equalBytes, isZeroBytes } from '../base/primitives/bytes.ts'
import { EMPTY_LIST_HASH } from '../base/primitives/keccak.ts'
import type { BlockRewards, ConsensusEngine } from '../chain/engine.ts'
import type { StateDB } from '../evm/stateDb.ts'
import { draftOf, type Header } from '../types/block.ts'
import { checkExtraDataLength, fullHeaderHash } from './headerLimits.ts'

export class PosEngine implements ConsensusEngine {
  readonly name = 'pos'
  readonly finality = 'forkChoice'
  readonly allowsOmmers = false

  hash(header: Header, encoded?: Uint8Array): Uint8Array {
    return fullHeaderHash(header, encoded)
  }

  /** The consensus client decides when a block is due. */
  arrival(): 'now' {
    return 'now'
  }

  verifyHeader(header: Header): string | undefined {
    return this.verifyFields(header)
  }

  verifyFields(header: Header): string | undefined {
    const { difficulty, nonce, ommersHash } = header
    if (difficulty !== 0n) return `invalid difficulty: ${difficulty}, must be 0 under proof of stake`
    if (!isZeroBytes(nonce)) return `invalid nonce: ${bytesToHex(nonce)}, must be zero under proof of stake`
    if (!equalBytes(ommersHash, EMPTY_LIST_HASH)) {
      return `invalid ommers hash: ${bytesToHex(ommersHash)}, proof of stake allows no ommers`
    }
    return checkExtraDataLength(header)
  }

  author(header: Header): Uint8Array {
    return header.beneficiary
  }

  /** mixHash is unchanged: it is prevRandao, given by the consensus client. */
  prepare(draft: Header): Header {
    const header = draftOf(draft)
    header.difficulty = 0n
    header.nonce = new Uint8Array(8)
    return header
  }

  rewards(): BlockRewards {
    return { staticReward: 0n, ommerInclusionReward: 0n, ommerRewards: [] }
  }

  finalize(_state: StateDB): void {}
}
