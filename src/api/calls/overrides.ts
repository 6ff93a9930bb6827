/**
 * Overrides of state and block in a simulated call.
 * @see execution-apis, eth_simulateV1
 * @module
 */
import type { Withdrawal } from '../../types/block.ts'

/** Slots and their values. The entries of a large override are decoded lazily during iteration. */
export interface StorageOverride extends Iterable<readonly [slot: Uint8Array, value: Uint8Array]> {
  readonly length: number
}

export interface AccountOverride {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** Replaces the whole storage. */
  readonly state: StorageOverride | undefined
  /** Slots to set in the existing storage. */
  readonly stateDiff: StorageOverride | undefined
  readonly movePrecompileTo: Uint8Array | undefined
}

export interface BlockOverrides {
  readonly number: bigint | undefined
  readonly time: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly feeRecipient: Uint8Array | undefined
  readonly prevRandao: Uint8Array | undefined
  readonly difficulty: bigint | undefined
  readonly baseFeePerGas: bigint | undefined
  readonly blobBaseFee: bigint | undefined
  readonly parentBeaconBlockRoot: Uint8Array | undefined
  readonly withdrawals: readonly Withdrawal[] | undefined
}

/** No overrides. */
export const NO_BLOCK_OVERRIDES: BlockOverrides = {
  number: undefined,
  time: undefined,
  gasLimit: undefined,
  feeRecipient: undefined,
  prevRandao: undefined,
  difficulty: undefined,
  baseFeePerGas: undefined,
  blobBaseFee: undefined,
  parentBeaconBlockRoot: undefined,
  withdrawals: undefined,
}
