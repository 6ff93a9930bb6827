/**
 * The changes of a block in terms of the flat view: every changed account and slot with its values before and after, so
 * that the flat view can be moved over the block in both directions. Stored as RLP.
 * @module
 */
import { bytesToHexUnprefixed, bytesToNumber, numberToBytes } from '../base/primitives/bytes.ts'
import { type DecodedItem, type RlpItem, rlpDecodeList, rlpEncode, rlpSpan } from '../base/primitives/rlp.ts'
import { keys } from '../storage/schema.ts'
import type { StateRoot } from './contract.ts'
import { invalidStateRecord } from './errors.ts'

export interface BlockId {
  readonly number: number
  /** 32 bytes */
  readonly hash: Uint8Array
}

/** A position of the flat view. */
export interface FlatPosition {
  readonly root: StateRoot
  /** The block that moved it there; undefined for the genesis block. */
  readonly block: BlockId | undefined
}

/** Empty bytes denote absence. */
export interface SlotChange {
  /** keccak256(slot), 32 bytes */
  readonly hash: Uint8Array
  readonly before: Uint8Array
  readonly after: Uint8Array
}

export interface AccountChange {
  /** keccak256(address), 32 bytes */
  readonly hash: Uint8Array
  readonly before: Uint8Array
  readonly after: Uint8Array
  readonly slots: readonly SlotChange[]
}

/** The states before and after a block. */
export interface DiffEnds {
  /** Position before the block; its block is known if the flat view was there. */
  readonly parent: FlatPosition
  readonly root: StateRoot
}

export interface StateDiff extends DiffEnds {
  readonly accounts: readonly AccountChange[]
}

export function encodeStateDiff({ parent, root, accounts }: StateDiff): Uint8Array {
  return rlpEncode([
    positionItem(parent),
    rootItem(root),
    accounts.map(
      ({ hash, before, after, slots }): RlpItem => [
        hash,
        before,
        after,
        slots.map((change): RlpItem => [change.hash, change.before, change.after]),
      ],
    ),
  ])
}

/** @throws {NodeError} INVALID_STATE_RECORD */
export function decodeStateDiff(bytes: Uint8Array): StateDiff {
  const [parent, root, accounts] = rlpDecodeList(bytes)
  return {
    parent: positionOf(listOf(parent)),
    root: rootOf(listOf(root)),
    accounts: listOf(accounts).map((item) => {
      const [hash, before, after, slots] = listOf(item)
      return { hash: bytesOf(hash), before: bytesOf(before), after: bytesOf(after), slots: slotsOf(slots) }
    }),
  }
}

/** Decodes the ends of a diff without the changes. @throws {NodeError} INVALID_STATE_RECORD */
export function decodeDiffEnds(bytes: Uint8Array): DiffEnds {
  const { payload } = rlpSpan(bytes, 0)
  const parent = rlpSpan(bytes, payload).end
  const root = rlpSpan(bytes, parent).end
  return {
    parent: positionOf(rlpDecodeList(bytes.subarray(payload, parent))),
    root: rootOf(rlpDecodeList(bytes.subarray(parent, root))),
  }
}

export function encodePosition(position: FlatPosition): Uint8Array {
  return rlpEncode(positionItem(position))
}

export function decodePosition(bytes: Uint8Array): FlatPosition {
  return positionOf(rlpDecodeList(bytes))
}

/** Merges two consecutive diffs into one. */
export function mergeDiffs(first: StateDiff, second: StateDiff): StateDiff {
  const merged = new Map(first.accounts.map((change) => [bytesToHexUnprefixed(change.hash), change]))
  for (const change of second.accounts) {
    const name = bytesToHexUnprefixed(change.hash)
    const known = merged.get(name)
    merged.set(
      name,
      known === undefined ? change : { ...change, before: known.before, slots: mergeSlots(known.slots, change.slots) },
    )
  }
  return { parent: first.parent, root: second.root, accounts: [...merged.values()] }
}

function mergeSlots(first: readonly SlotChange[], second: readonly SlotChange[]): SlotChange[] {
  const merged = new Map(first.map((change) => [bytesToHexUnprefixed(change.hash), change]))
  for (const change of second) {
    const known = merged.get(bytesToHexUnprefixed(change.hash))
    merged.set(bytesToHexUnprefixed(change.hash), known === undefined ? change : { ...change, before: known.before })
  }
  return [...merged.values()]
}

/** Receives flat view entries; empty bytes delete an entry. */
export interface FlatSink {
  put(key: Uint8Array, value: Uint8Array): void
  delete(key: Uint8Array): void
}

/** Writes one side of a diff into the flat view. */
export function applyDiff(diff: StateDiff, side: 'before' | 'after', sink: FlatSink): void {
  for (const account of diff.accounts) {
    write(sink, keys.flatAccount(account.hash), account[side])
    for (const slot of account.slots) write(sink, keys.flatStorage(account.hash, slot.hash), slot[side])
  }
}

function write(sink: FlatSink, key: Uint8Array, value: Uint8Array): void {
  if (value.length === 0) sink.delete(key)
  else sink.put(key, value)
}

function rootItem(root: StateRoot): RlpItem[] {
  return [root.hash, numberToBytes(root.version)]
}

function positionItem({ root, block }: FlatPosition): RlpItem[] {
  const item = rootItem(root)
  return block === undefined ? item : [...item, numberToBytes(block.number), block.hash]
}

function rootOf([hash, version]: DecodedItem[]): StateRoot {
  return { hash: bytesOf(hash), version: bytesToNumber(bytesOf(version)) }
}

function positionOf(items: DecodedItem[]): FlatPosition {
  const [, , number, hash] = items
  const block = number === undefined ? undefined : { number: bytesToNumber(bytesOf(number)), hash: bytesOf(hash) }
  return { root: rootOf(items), block }
}

function slotsOf(item: DecodedItem | undefined): SlotChange[] {
  return listOf(item).map((change) => {
    const [hash, before, after] = listOf(change)
    return { hash: bytesOf(hash), before: bytesOf(before), after: bytesOf(after) }
  })
}

function listOf(item: DecodedItem | undefined): DecodedItem[] {
  if (Array.isArray(item)) return item
  throw invalidStateRecord('state diff')
}

function bytesOf(item: DecodedItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw invalidStateRecord('state diff')
}
