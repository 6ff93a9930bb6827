/**
 * Deletes the slots of erased storages from the flat view, a limited number at a time. A record names each storage until
 * its last slot has been deleted, and holds the position, so an interrupted deletion continues. Once it has begun, the flat
 * view cannot be moved back over the block that erased the storage; it is built again instead.
 * @module
 */
import { MAX_ERASED_SLOTS } from '../base/limits/pruningLimits.ts'
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { concatBytes, readUint } from '../base/primitives/bytes.ts'
import { keyToText } from '../storage/keyText.ts'
import { keyAfter } from '../storage/range.ts'
import { Column, keys, numberedKey } from '../storage/schema.ts'
import { incarnationOf } from './account.ts'
import { isUnset } from './flatView.ts'
import { readFlatPosition } from './stateContext.ts'
import type { StateStage } from './stateStage.ts'

const RECORDS = Uint8Array.of(Column.erasedStorage)
const BEGUN = Uint8Array.of(1)
const OWNER_BYTES = 32
const INCARNATION_BYTES = 6

/**
 * Stages the deletion of some slots of the storage that was erased first.
 * @param last number of the newest block whose erased storages may be deleted
 * @returns whether there may be more to delete
 * @throws {StoreMiss} before anything was staged
 */
export function deleteErasedSlots(stage: StateStage, last: number): boolean {
  // A flat view that is built again has neither these slots nor their records.
  if (isUnset(readFlatPosition(stage))) return false
  const [record] = stage.range({ prefix: RECORDS, limit: 1 })
  if (record === undefined) return false
  const [key, position] = record
  const { number, owner, incarnation } = recordKey(key)
  if (number > last) return false
  const account = stage.get(keys.flatAccount(owner))
  // The head may have moved to a version of the block that did not erase the storage (dev chain).
  if (account !== undefined && incarnationOf(account) === incarnation) {
    stage.delete(key)
    return true
  }
  const from = position.length > 1 ? { from: keyAfter(position.subarray(1)) } : {}
  const prefix = keys.flatStorageOf(owner, incarnation)
  const slots = Array.from(stage.range({ prefix, limit: MAX_ERASED_SLOTS, ...from }), ([slot]) => slot)
  for (const slot of slots) stage.delete(slot)
  const lastSlot = slots.length < MAX_ERASED_SLOTS ? undefined : slots.at(-1)
  if (lastSlot === undefined) stage.delete(key)
  else stage.put(key, concatBytes(BEGUN, lastSlot))
  return true
}

/** Prefixes, as text, of the slots that remain in the flat view after their storage was erased. */
export function erasedPrefixes(reader: KeyValueReader): ReadonlySet<string> {
  const prefixes = new Set<string>()
  for (const [key] of reader.range({ prefix: RECORDS })) {
    const { owner, incarnation } = recordKey(key)
    prefixes.add(keyToText(keys.flatStorageOf(owner, incarnation)))
  }
  return prefixes
}

function recordKey(key: Uint8Array): {
  readonly number: number
  readonly owner: Uint8Array
  readonly incarnation: number
} {
  const { number, hash: storage } = numberedKey(key)
  const incarnation = readUint(storage, OWNER_BYTES, INCARNATION_BYTES)
  return { number, owner: storage.subarray(0, OWNER_BYTES), incarnation }
}
