/**
 * Migration steps from older database formats to the current one (run by storage/migrations.ts).
 * @module
 */
import { MIGRATION_BATCH_BYTES, MIGRATION_BATCH_KEYS } from '../base/limits/limits.ts'
import type { Entry, KeyValueReader, Mutation } from '../base/ports/keyValueStore.ts'
import { bytesToHex, concatBytes, readUint } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { type DecodedItem, type RlpItem, rlpDecodeList, rlpEncode } from '../base/primitives/rlp.ts'
import type { MigrationStep, RewriteBatch } from '../storage/migrations.ts'
import { keyAfter } from '../storage/range.ts'
import { Column, keys, numberedKey } from '../storage/schema.ts'
import { corrupt, decodeBlockRecord, decodeNumber, encodeBlockRecord } from './blockRecord.ts'

/** Columns of format 1. */
const FLAT_ACCOUNT_V1 = 0x22
const FLAT_STORAGE_V1 = 0x23
const ADDRESS_BYTES = 20

/** Result of one batch of a phase. */
interface PhaseBatch {
  readonly mutations: readonly Mutation[]
  /** Last key read; undefined when the phase is complete. */
  readonly last: Uint8Array | undefined
}

interface Phase {
  readonly prefix: number
  /** Estimated share of the total work; all shares add up to 1. */
  readonly share: number
  /** Appends the writes that replace one entry. */
  rewrite(entry: Entry, mutations: Mutation[], reader: KeyValueReader): void
  /** Completed share of the phase after a key, 0 to 1. */
  progress(key: Uint8Array, reader: KeyValueReader): number
}

const PHASES: readonly Phase[] = [
  { prefix: FLAT_ACCOUNT_V1, share: 0.1, rewrite: rewriteAccount, progress: addressProgress },
  { prefix: FLAT_STORAGE_V1, share: 0.5, rewrite: rewriteSlot, progress: addressProgress },
  { prefix: Column.stateDiff, share: 0.35, rewrite: rewriteDiff, progress: numberProgress },
  { prefix: Column.devAmendment, share: 0.05, rewrite: flagRecord, progress: numberProgress },
]

/**
 * Format 1 keyed the flat view and the state diffs by address and slot, and looked up a dev amendment for every block.
 * Format 2 keys them by Keccak-256 hashes, and the block record has a flag for amendments.
 * @param batchKeys maximum number of entries that one batch reads
 */
export function hashedKeys(batchKeys: number = MIGRATION_BATCH_KEYS): MigrationStep {
  return { name: 'hashed-keys', to: 2, rewrite: (reader, position) => rewriteHashedKeys(reader, position, batchKeys) }
}

/**
 * Format 3 gives each storage an incarnation. Data of earlier formats are valid in it as they are: their storages have
 * incarnation 0, and their diffs list all slots of an erased storage.
 */
export const INCARNATIONS: MigrationStep = {
  name: 'incarnations',
  to: 3,
  rewrite: () => ({ mutations: [], position: undefined, progress: 1 }),
}

/** All steps, in order. */
export const MIGRATIONS: readonly MigrationStep[] = [hashedKeys(), INCARNATIONS]

/** Position: phase (1) ‖ its last completed key, if any. */
function rewriteHashedKeys(reader: KeyValueReader, position: Uint8Array | undefined, batchKeys: number): RewriteBatch {
  const at = position?.[0] ?? 0
  const phase = PHASES[at]
  if (phase === undefined) throw corrupt(`position ${at} of a migration`)
  const after = position === undefined || position.length === 1 ? undefined : position.subarray(1)
  const { mutations, last } = phaseBatch(phase, reader, after, batchKeys)
  const before = PHASES.slice(0, at).reduce((sum, { share }) => sum + share, 0)
  if (last !== undefined) {
    const progress = before + phase.share * Math.min(1, phase.progress(last, reader))
    return { mutations, position: concatBytes(Uint8Array.of(at), last), progress }
  }
  const isEnd = at + 1 === PHASES.length
  return { mutations, position: isEnd ? undefined : Uint8Array.of(at + 1), progress: isEnd ? 1 : before + phase.share }
}

function phaseBatch(
  { prefix, rewrite }: Phase,
  reader: KeyValueReader,
  after: Uint8Array | undefined,
  batchKeys: number,
): PhaseBatch {
  const from = after === undefined ? {} : { from: keyAfter(after) }
  const mutations: Mutation[] = []
  let read = 0
  let bytes = 0
  for (const entry of reader.range({ prefix: Uint8Array.of(prefix), limit: batchKeys, ...from })) {
    rewrite(entry, mutations, reader)
    read++
    bytes += entry[1].length
    if (read === batchKeys || bytes >= MIGRATION_BATCH_BYTES) return { mutations, last: entry[0] }
  }
  return { mutations, last: undefined }
}

function rewriteAccount([key, value]: Entry, mutations: Mutation[]): void {
  mutations.push({ key: keys.flatAccount(keccak256(key.subarray(1))), value }, { key, value: undefined })
}

/**
 * The account hash is computed for each slot, although the slots of an account are adjacent: the commit takes much
 * longer anyway.
 */
function rewriteSlot([key, value]: Entry, mutations: Mutation[]): void {
  const owner = keccak256(key.subarray(1, 1 + ADDRESS_BYTES))
  const slot = keccak256(key.subarray(1 + ADDRESS_BYTES))
  mutations.push({ key: keys.flatStorage(owner, 0, slot), value }, { key, value: undefined })
}

/** [parent, root, [[address, before, after, [[slot, before, after], …]], …]] */
function rewriteDiff([key, value]: Entry, mutations: Mutation[]): void {
  const [parent, root, accounts] = rlpDecodeList(value)
  const rewritten = listOf(accounts).map((account): RlpItem => {
    const [address, before, after, slots] = listOf(account)
    return [hashOf(address), itemOf(before), itemOf(after), listOf(slots).map(rewriteSlotChange)]
  })
  mutations.push({ key, value: rlpEncode([itemOf(parent), itemOf(root), rewritten]) })
}

function rewriteSlotChange(change: DecodedItem): RlpItem {
  const [slot, before, after] = listOf(change)
  return [hashOf(slot), itemOf(before), itemOf(after)]
}

function flagRecord([key]: Entry, mutations: Mutation[], reader: KeyValueReader): void {
  const { number, hash } = numberedKey(key)
  const recordKey = keys.blockRecord(number, hash)
  const record = reader.get(recordKey)
  if (record === undefined) throw corrupt(`block ${bytesToHex(hash)} has no record`)
  mutations.push({ key: recordKey, value: encodeBlockRecord({ ...decodeBlockRecord(record), isAmended: true }) })
}

/** Addresses are evenly distributed. */
function addressProgress(key: Uint8Array): number {
  return readUint(key, 1, 2) / 0x10000
}

function numberProgress(key: Uint8Array, reader: KeyValueReader): number {
  const head = reader.get(keys.meta('head'))
  const number = head === undefined ? undefined : reader.get(keys.numberByHash(head))
  return number === undefined ? 0 : numberedKey(key).number / Math.max(1, decodeNumber(number))
}

function hashOf(item: DecodedItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return keccak256(item)
  throw corrupt('state diff')
}

function listOf(item: DecodedItem | undefined): DecodedItem[] {
  if (Array.isArray(item)) return item
  throw corrupt('state diff')
}

function itemOf(item: DecodedItem | undefined): RlpItem {
  if (item === undefined) throw corrupt('state diff')
  return item
}
