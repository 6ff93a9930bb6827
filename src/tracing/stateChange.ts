/**
 * The effect of executing something on a state, as values.
 * @module
 */
import type { Account } from '../evm/stateDb.ts'
import type { MutableState } from '../state/contract.ts'

export interface AccountChange {
  /** 20 bytes */
  readonly address: Uint8Array
  /** The account afterwards; undefined when it does not exist. */
  readonly account: Account | undefined
  /** undefined when unchanged */
  readonly code: Uint8Array | undefined
  /** Whether the earlier storage was cleared. */
  readonly isCleared: boolean
  /** slot ‖ value, 64 bytes each */
  readonly slots: Uint8Array
}

export type StateChange = readonly AccountChange[]

const SLOT_BYTES = 32
const ENTRY_BYTES = 2 * SLOT_BYTES
/** Estimated memory of an account without its code and slots, in bytes. */
const ACCOUNT_BYTES = 320

/**
 * Applies a recorded change to a state that equals the one it was recorded on. May throw `StoreMiss`; it can then be
 * repeated.
 */
export function applyChange(state: MutableState, change: StateChange): void {
  for (const { address, account, code, isCleared, slots } of change) {
    if (account === undefined) {
      state.deleteAccount(address)
      continue
    }
    if (isCleared) state.clearStorage(address)
    if (code !== undefined) state.setCode(address, code)
    state.setNonce(address, account.nonce)
    state.setBalance(address, account.balance)
    for (let at = 0; at < slots.length; at += ENTRY_BYTES) {
      state.setStorage(address, slots.subarray(at, at + SLOT_BYTES), slots.subarray(at + SLOT_BYTES, at + ENTRY_BYTES))
    }
  }
}

/** The written slots, 32 bytes each. */
export function changedSlots({ slots }: AccountChange): Uint8Array[] {
  const written: Uint8Array[] = []
  for (let at = 0; at < slots.length; at += ENTRY_BYTES) written.push(slots.subarray(at, at + SLOT_BYTES))
  return written
}

/** Estimated memory of a change, in bytes. */
export function changeBytes(change: StateChange): number {
  let bytes = 0
  for (const { code, slots } of change) bytes += ACCOUNT_BYTES + slots.length + (code?.length ?? 0)
  return bytes
}
