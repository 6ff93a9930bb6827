/**
 * Stored results of private transactions. They are keyed by block hash: a reorganisation does not change them; a reader
 * uses only those of its own chain's blocks.
 * @module
 */

import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { bytesToNumber, concatBytes, EMPTY_BYTES, equalBytes, numberToBytes } from '../../base/primitives/bytes.ts'
import { type DecodedItem, type RlpItem, rlpDecodeList, rlpEncode } from '../../base/primitives/rlp.ts'
import { corrupt } from '../../chain/blockRecord.ts'
import type { StateRoot } from '../../state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../state/emptyRoot.ts'
import { keys, numberedParts, PRIVATE_ROOTS_SUFFIX_BYTES } from '../../storage/schema.ts'
import type { Log } from '../../types/receipt.ts'

/** A marker that changed the state of a group. */
export interface GroupChange {
  /** Hash of the marker, 32 bytes. */
  readonly marker: Uint8Array
  /** The state of the group after it. */
  readonly root: StateRoot
}

/** The changes of a group in one block. */
export interface GroupRecord {
  /** In the order of the block; at least one. */
  readonly changes: readonly GroupChange[]
  /** Enclave key of the history that the latest addition of a member carried (flexible groups), 32 bytes. */
  readonly historyKey: Uint8Array | undefined
}

export interface RecordedBlock extends GroupRecord {
  readonly number: number
  readonly hash: Uint8Array
}

/** `success`: 1, `failed`: 0, `invalid` (wrong nonce, for example): 2 */
export type PrivateStatus = 0 | 1 | 2

export interface PrivateReceipt {
  readonly status: PrivateStatus
  readonly logs: readonly Log[]
  /** Return data, or the deployed code. */
  readonly output: Uint8Array
  /** Data of a revert, if the node keeps it. */
  readonly revertReason: Uint8Array | undefined
}

/** Whether a block is on the chain that is read, at or below its end. */
export type OnChain = (number: number, hash: Uint8Array) => boolean

/**
 * The newest changes of a group on a chain, newest first.
 * @param to number of the newest block
 */
export function* groupBlocks(
  reader: KeyValueReader,
  groupId: Uint8Array,
  to: number,
  onChain: OnChain,
): Generator<RecordedBlock, void, undefined> {
  const prefix = keys.privateRootsOf(groupId)
  const from = concatBytes(keys.privateRoots(groupId, to, EMPTY_BYTES), LAST_HASH)
  for (const [key, value] of reader.range({ prefix, from, reverse: true })) {
    const { number, hash } = numberedParts(key, key.length - PRIVATE_ROOTS_SUFFIX_BYTES)
    if (onChain(number, hash)) yield { number, hash, ...decodeGroupRecord(value) }
  }
}

const LAST_HASH: Uint8Array = new Uint8Array(32).fill(0xff)

/** The state of a group at the end of a chain; the empty state before its first change. */
export function groupRoot(reader: KeyValueReader, groupId: Uint8Array, to: number, onChain: OnChain): StateRoot {
  for (const { changes } of groupBlocks(reader, groupId, to, onChain)) {
    return (changes[changes.length - 1] as GroupChange).root
  }
  return EMPTY_STATE_ROOT
}

/** The groups of a store that ever changed, in order of their ids, 32 bytes each. */
export function* recordedGroups(reader: KeyValueReader): Generator<Uint8Array, void, undefined> {
  const prefix = keys.privateRootsOf(EMPTY_BYTES)
  for (let from = prefix; ; ) {
    const [first] = reader.range({ prefix, from, limit: 1 })
    if (first === undefined) return
    const groupId = first[0].slice(1, first[0].length - PRIVATE_ROOTS_SUFFIX_BYTES)
    yield groupId
    // Sorts after every block of the group.
    from = concatBytes(keys.privateRoots(groupId, 2 ** 48 - 1, EMPTY_BYTES), LAST_HASH, LAST_HASH)
  }
}

export function encodeGroupRecord({ changes, historyKey }: GroupRecord): Uint8Array {
  const items = changes.map(({ marker, root }) => [marker, root.hash, numberToBytes(root.version)])
  return rlpEncode([items, historyKey ?? EMPTY_BYTES])
}

function decodeGroupRecord(bytes: Uint8Array): GroupRecord {
  const [changes, historyKey] = rlpDecodeList(bytes)
  return {
    changes: list(changes).map((item) => {
      const [marker, hash, version] = list(item)
      return { marker: text(marker), root: { hash: text(hash), version: bytesToNumber(text(version)) } }
    }),
    historyKey: text(historyKey).length === 0 ? undefined : text(historyKey),
  }
}

/** The changes of a group in one block. */
export function readGroupRecord(
  reader: KeyValueReader,
  groupId: Uint8Array,
  { number, hash }: { readonly number: number; readonly hash: Uint8Array },
): GroupRecord | undefined {
  const bytes = reader.get(keys.privateRoots(groupId, number, hash))
  return bytes === undefined ? undefined : decodeGroupRecord(bytes)
}

export function encodePrivateReceipt({ status, logs, output, revertReason }: PrivateReceipt): Uint8Array {
  const items: RlpItem[] = [
    numberToBytes(status),
    logs.map(({ address, topics, data }) => [address, topics, data]),
    output,
  ]
  if (revertReason !== undefined) items.push(revertReason)
  return rlpEncode(items)
}

export function readPrivateReceipt(
  reader: KeyValueReader,
  blockHash: Uint8Array,
  marker: Uint8Array,
): PrivateReceipt | undefined {
  const bytes = reader.get(keys.privateReceipt(blockHash, marker))
  if (bytes === undefined) return undefined
  const [status, logs, output, revertReason] = rlpDecodeList(bytes)
  return {
    status: bytesToNumber(text(status)) as PrivateStatus,
    logs: list(logs).map((item) => {
      const [address, topics, data] = list(item)
      return { address: text(address), topics: list(topics).map(text), data: text(data) }
    }),
    output: text(output),
    revertReason: revertReason === undefined ? undefined : text(revertReason),
  }
}

function list(item: DecodedItem | undefined): DecodedItem[] {
  if (Array.isArray(item)) return item
  throw corrupt('a record of private transactions is damaged')
}

function text(item: DecodedItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw corrupt('a record of private transactions is damaged')
}

/** Headers along parent links. */
export interface HeaderLinks {
  canonicalHash(number: number): Uint8Array | undefined
  parentHash(hash: Uint8Array): Uint8Array | undefined
}

/** The chain that ends with a block, canonical or not. */
export function chainTo(end: { readonly number: number; readonly hash: Uint8Array }, links: HeaderLinks): OnChain {
  /** Hashes of the blocks from `end` down that are not canonical. */
  const branch: Uint8Array[] = []
  let next: Uint8Array | undefined = end.hash
  const isCanonicalFrom = (number: number, hash: Uint8Array): boolean => {
    const canonical = links.canonicalHash(number)
    return canonical !== undefined && equalBytes(canonical, hash)
  }
  const hashAt = (number: number): Uint8Array | undefined => {
    for (;;) {
      const lowest: number = end.number - branch.length
      if (number > lowest) return branch[end.number - number]
      if (next === undefined || isCanonicalFrom(lowest, next)) return next && links.canonicalHash(number)
      branch.push(next)
      next = links.parentHash(next)
    }
  }
  return (number, hash) => {
    if (number > end.number) return false
    const canonicalHash = hashAt(number)
    return canonicalHash !== undefined && equalBytes(canonicalHash, hash)
  }
}
