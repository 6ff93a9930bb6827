/**
 * What a simulated call changes of its state and block.
 * @see execution-apis, eth_simulateV1
 * @module
 */
import type { Withdrawal } from '../../types/block.ts'

/** Slots and their values. The entries of a large override are decoded while it is iterated over. */
export interface StorageOverride extends Iterable<readonly [slot: Uint8Array, value: Uint8Array]> {
  readonly length: number
}

export interface AccountOverride {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** The whole storage. */
  readonly state: StorageOverride | undefined
  /** Slots to set in the storage that is there. */
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

/** Nothing overridden. */
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
