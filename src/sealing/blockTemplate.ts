/**
 * What new blocks are made with: lasting settings, and values for the next block only.
 * @module
 */
import type { ChainHeader } from '../chain/contract.ts'
import { type BlockCandidates, type BlockPlan, nextGasLimit } from '../chain/transition/buildBlock.ts'
import { keccak256 } from '../primitives/keccak.ts'
import type { ChainClock } from './chainClock.ts'

/** What a snapshot keeps of the values for the next block. */
export interface NextBlockValues {
  readonly baseFeePerGas: bigint | undefined
  readonly prevRandao: Uint8Array | undefined
}

export interface TemplateSettings {
  /** 20 bytes; undefined: none chosen yet */
  readonly coinbase: Uint8Array | undefined
  /** At most 32 bytes. */
  readonly extraData: Uint8Array
  /** undefined: the gas limit stays as it is */
  readonly targetGasLimit: bigint | undefined
}

const NOBODY: Uint8Array = new Uint8Array(20)
const NOTHING: NextBlockValues = { baseFeePerGas: undefined, prevRandao: undefined }

export class BlockTemplate {
  readonly clock: ChainClock
  readonly #extraData: Uint8Array
  coinbase: Uint8Array | undefined
  targetGasLimit: bigint | undefined
  /** The gas limit of every block from the next on, whatever the parent's (dev chain). */
  gasLimit: bigint | undefined
  next: NextBlockValues = NOTHING

  constructor(clock: ChainClock, { coinbase, extraData, targetGasLimit }: TemplateSettings) {
    this.clock = clock
    this.coinbase = coinbase
    this.targetGasLimit = targetGasLimit
    this.#extraData = extraData
  }

  /** @param timestamp instead of what the clock says, seconds */
  plan(parent: ChainHeader, candidates: BlockCandidates, isEmptyAllowed: boolean, timestamp?: bigint): BlockPlan {
    const { header, hash } = parent
    const { baseFeePerGas, prevRandao } = this.next
    const setsGasLimit = this.gasLimit !== undefined && this.gasLimit !== header.gasLimit
    return {
      timestamp: timestamp ?? this.clock.after(header.timestamp),
      beneficiary: this.coinbase ?? NOBODY,
      extraData: this.#extraData,
      gasLimit: this.gasLimit ?? nextGasLimit(header.gasLimit, this.targetGasLimit),
      ...(setsGasLimit ? { setsGasLimit } : {}),
      // Whatever it is, nobody can foresee it, and the same chain gives the same.
      prevRandao: prevRandao ?? keccak256(hash),
      ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
      candidates,
      isEmptyAllowed,
    }
  }

  /** A block was made: what was for it alone is used up. */
  sealed(timestamp: bigint): void {
    this.clock.sealed(timestamp)
    this.next = NOTHING
  }
}
