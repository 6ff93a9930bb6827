/**
 * Storage of an account in the middle of a block: the storage before the block, overlaid with later writes.
 * @module
 */
import { bytesToHex, compareBytes, equalBytes, isZeroBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import type { MutableState, StateReader, StorageEntry } from '../state/contract.ts'
import { changedSlots, type StateChange } from '../tracing/stateChange.ts'

/** Start and length of a page. */
export interface StorageRange {
  readonly account: Uint8Array
  /** 32 bytes */
  readonly fromHash: Uint8Array
  readonly limit: number
}

/**
 * Returns entries that are not zero, ascending by hash from `fromHash`, at most `limit`.
 * @param before the state before the changes
 * @param after the state after the changes
 */
export function storageInBlock(
  before: StateReader,
  after: MutableState,
  changes: readonly StateChange[],
  { account, fromHash, limit }: StorageRange,
): StorageEntry[] {
  const accountChanges = changes.flat().filter(({ address }) => equalBytes(address, account))
  const entryOf = (slot: Uint8Array, hash: Uint8Array): StorageEntry => {
    return { hash, slot, value: after.getStorage(account, slot) }
  }
  const written = new Map<string, StorageEntry>()
  for (const slot of accountChanges.flatMap(changedSlots)) {
    const hash = keccak256(slot)
    written.set(bytesToHex(hash), entryOf(slot, hash))
  }
  const isLost = accountChanges.some(({ isCleared }) => isCleared)
  const keptChanges = isLost
    ? []
    : before.storage(account, fromHash, limit + written.size).filter(({ hash }) => !written.has(bytesToHex(hash)))
  return [...keptChanges, ...written.values()]
    .filter((entry) => !isZeroBytes(entry.value) && compareBytes(entry.hash, fromHash) >= 0)
    .sort((a, b) => compareBytes(a.hash, b.hash))
    .slice(0, limit)
}
