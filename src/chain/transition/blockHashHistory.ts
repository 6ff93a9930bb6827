/**
 * The contract of EIP-2935 after a run of derived blocks, which make no system calls: the block after the run stores
 * the hashes of all of them, and until then they are read from the run.
 * @module
 */

import type { Residency } from '../../base/ports/keyValueStore.ts'
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { type MaybePromise, mapMaybe } from '../../base/primitives/maybePromise.ts'
import type { MutableState, StorageRecall } from '../../state/contract.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import type { BlockRun, ParentLink } from '../contract.ts'
import { HISTORY_STORAGE_ADDRESS } from './systemAddresses.ts'
import { HISTORY_LENGTH, storePastHashes } from './systemContracts.ts'

const LENGTH = Number(HISTORY_LENGTH)

/** Blocks whose hashes the contract lacks. */
export interface PastHashes {
  readonly first: number
  readonly last: number
  hashOf(number: number): Uint8Array
}

/**
 * The hashes that the contract lacks before the child of a block, without that of the block itself.
 * @returns undefined unless the block belongs to a run
 */
export function pastHashesOf({ header, run: position }: ParentLink): PastHashes | undefined {
  if (position === undefined) return undefined
  const { run } = position
  const number = Number(header.number)
  const first = Math.max(run.first - 1, number + 1 - LENGTH)
  return { first, last: number - 1, hashOf: (at) => run.hashOf(at) }
}

export function recordPastHashes(
  { first, last, hashOf }: PastHashes,
  state: MutableState,
  residency: Residency | undefined,
): MaybePromise<void> {
  const numbers = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  state.beginTransaction()
  const stored = retryMissesMaybe(() => storePastHashes(HISTORY_STORAGE_ADDRESS, numbers, hashOf, state), residency)
  return mapMaybe(stored, () => state.endTransaction({ selfDestructs: [], clearEmpty: true }))
}

/** The slots of the contract after a block of a run, as far as the run decides about them. */
export function recalledHashes(run: Pick<BlockRun, 'first' | 'hashOf'>, number: number): StorageRecall {
  return {
    address: HISTORY_STORAGE_ADDRESS,
    value: (slot) => {
      const place = bytesToBigInt(slot)
      if (place >= HISTORY_LENGTH) return undefined
      const newest = number - 1
      // The newest block with this slot.
      const block = newest - ((((newest - Number(place)) % LENGTH) + LENGTH) % LENGTH)
      return block >= run.first - 1 ? run.hashOf(block) : undefined
    },
  }
}
