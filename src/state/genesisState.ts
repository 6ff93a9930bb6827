import { isZeroBytes } from '../base/primitives/bytes.ts'
import type { StateRoot } from './contract.ts'
import { EMPTY_STATE_ROOT } from './emptyRoot.ts'
import type { StateStage } from './stateStage.ts'
import { StateStore } from './stateStore.ts'

export interface GenesisAccount {
  /** 20 bytes */
  readonly address: Uint8Array
  /** wei */
  readonly balance: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  /** 32-byte slot and 32-byte value */
  readonly storage?: Iterable<readonly [slot: Uint8Array, value: Uint8Array]>
}

export type GenesisAlloc = Iterable<GenesisAccount>

/**
 * Writes the state of block 0. Accounts exist even when they are empty.
 * @param version with which its nodes are stored; later blocks use higher ones
 */
export function genesisState(stage: StateStage, alloc: GenesisAlloc, version = 0, keepsPreimages = true): StateRoot {
  const state = new StateStore(stage, { keepsPreimages }).mutable(EMPTY_STATE_ROOT)
  for (const { address, balance, nonce, code, storage } of alloc) {
    state.createAccount(address)
    state.setBalance(address, balance)
    if (nonce !== undefined) state.setNonce(address, nonce)
    if (code !== undefined) state.setCode(address, code)
    for (const [slot, value] of storage ?? []) {
      if (!isZeroBytes(value)) state.setStorage(address, slot, value)
    }
  }
  return state.persist({ version, stage })
}
