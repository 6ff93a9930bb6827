/**
 * Proof of stake as the execution layer sees it: the consensus layer decides, the header only has to say so.
 * @see EIP-3675
 * @module
 */
import type { ForkRules } from '../../config/forks.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import { bytesToHex, equalBytes, isZeroBytes } from '../../primitives/bytes.ts'
import { EMPTY_LIST_HASH } from '../../primitives/keccak.ts'
import type { Header } from '../../types/block.ts'
import type { BlockRewards, ConsensusEngine } from '../engine.ts'

const MAX_EXTRA_DATA_BYTES = 32

export class PosEngine implements ConsensusEngine {
  readonly kind = 'pos'

  verifyHeader(header: Header): string | undefined {
    const { difficulty, nonce, ommersHash, extraData } = header
    if (difficulty !== 0n) return `invalid difficulty: ${difficulty}, must be 0 under proof of stake`
    if (!isZeroBytes(nonce)) return `invalid nonce: ${bytesToHex(nonce)}, must be zero under proof of stake`
    if (!equalBytes(ommersHash, EMPTY_LIST_HASH)) {
      return `invalid ommers hash: ${bytesToHex(ommersHash)}, proof of stake allows no ommers`
    }
    return extraData.length <= MAX_EXTRA_DATA_BYTES
      ? undefined
      : `invalid extra data: ${extraData.length} bytes, the maximum is ${MAX_EXTRA_DATA_BYTES}`
  }

  author(header: Header): Uint8Array {
    return header.beneficiary
  }

  /** The mixHash is prevRandao, which the consensus layer gives; the caller puts it in. */
  prepare(_parent: Header, _timestamp: bigint, _rules: ForkRules): Pick<Header, 'difficulty' | 'mixHash' | 'nonce'> {
    return { difficulty: 0n, mixHash: new Uint8Array(32), nonce: new Uint8Array(8) }
  }

  rewards(): BlockRewards {
    return { staticReward: 0n, ommerInclusionReward: 0n, ommerRewards: [] }
  }

  finalize(_state: StateDB): void {}
}
