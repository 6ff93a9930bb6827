/**
 * The changes of a block in terms of the flat view: every changed account and slot with its values before and after, so
 * that the flat view can be moved over the block in both directions. Of a storage that the block erased, only the name is
 * listed: its slots stay in the flat view, where nothing reads them, until they are deleted (erasedStorage.ts). Stored as RLP.
 * @module
 */
import { bytesToHexUnprefixed, bytesToNumber, equalBytes, numberToBytes } from '../base/primitives/bytes.ts'
import {
  type DecodedItem,
  type RlpItem,
  rlpDecodeList,
  rlpEncode,
  rlpListOfEncoded,
  rlpSpan,
} from '../base/primitives/rlp.ts'
import { keys } from '../storage/schema.ts'
import { incarnationOf } from './account.ts'
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
  /** Slots of the storage after the change, or of the one before it if none was left or begun. */
  readonly slots: readonly SlotChange[]
}

/** A storage of which nothing is left after the block. */
export interface LeftStorage {
  /** keccak256(address), 32 bytes */
  readonly owner: Uint8Array
  readonly incarnation: number
  /** Erased as a whole; otherwise each of its slots was set to zero, before an amendment began another storage. */
  readonly isErased: boolean
  /** Slots that the block had changed before. */
  readonly slots: readonly SlotChange[]
}

/** The states before and after a block. */
export interface DiffEnds {
  /** Position before the block; its block is known if the flat view was there. */
  readonly parent: FlatPosition
  readonly root: StateRoot
  /** At most one for an account: that of the account before the block. */
  readonly left: readonly LeftStorage[]
}

export interface StateDiff extends DiffEnds {
  readonly accounts: readonly AccountChange[]
}

/** Accounts and slots that are handled between two pauses: a millisecond or two of work. */
export const SLOTS_PER_PAUSE = 1024

export function encodeStateDiff(diff: StateDiff): Uint8Array {
  return withoutPauses(diffEncoding(diff))
}

/** Encodes a diff, with pauses. */
export function* diffEncoding({ parent, root, accounts, left }: StateDiff): Generator<void, Uint8Array> {
  const pieces: Uint8Array[] = []
  let small: RlpItem[] = []
  let entries = 0
  for (const { hash, before, after, slots } of accounts) {
    entries += 1 + slots.length
    const isLong = slots.length > SLOTS_PER_PAUSE
    if (!isLong) small.push([hash, before, after, slotItems(slots)])
    if (entries <= SLOTS_PER_PAUSE) continue
    pieces.push(payloadOf(small))
    small = []
    entries = 0
    yield
    if (!isLong) continue
    const list = yield* slotList(slots)
    pieces.push(rlpListOfEncoded([rlpEncode(hash), rlpEncode(before), rlpEncode(after), list]))
  }
  pieces.push(payloadOf(small))
  const items = [rlpEncode(positionItem(parent)), rlpEncode(rootItem(root)), rlpListOfEncoded(pieces)]
  if (left.length > 0) items.push(rlpEncode(left.map(leftItem)))
  return rlpListOfEncoded(items)
}

function* slotList(slots: readonly SlotChange[]): Generator<void, Uint8Array> {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < slots.length; at += SLOTS_PER_PAUSE) {
    pieces.push(payloadOf(slotItems(slots.slice(at, at + SLOTS_PER_PAUSE))))
    yield
  }
  return rlpListOfEncoded(pieces)
}

/** Encoded items without the prefix of their list. */
function payloadOf(items: readonly RlpItem[]): Uint8Array {
  const list = rlpEncode(items)
  return list.subarray(rlpSpan(list, 0).payload)
}

/** Takes all steps of some work at once. */
export function withoutPauses<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

function slotItems(slots: readonly SlotChange[]): RlpItem[] {
  return slots.map((change): RlpItem => [change.hash, change.before, change.after])
}

function leftItem({ owner, incarnation, isErased, slots }: LeftStorage): RlpItem {
  return [owner, numberToBytes(incarnation), numberToBytes(isErased ? 1 : 0), slotItems(slots)]
}

/** @throws {NodeError} INVALID_STATE_RECORD */
export function decodeStateDiff(bytes: Uint8Array): StateDiff {
  const [parent, root, accounts, left = []] = rlpDecodeList(bytes)
  return {
    parent: positionOf(listOf(parent)),
    root: rootOf(listOf(root)),
    accounts: listOf(accounts).map((item) => {
      const [hash, before, after, slots] = listOf(item)
      return { hash: bytesOf(hash), before: bytesOf(before), after: bytesOf(after), slots: slotsOf(slots) }
    }),
    left: leftOf(left),
  }
}

/** Decodes the ends of a diff without the changes. @throws {NodeError} INVALID_STATE_RECORD */
export function decodeDiffEnds(bytes: Uint8Array): DiffEnds {
  const { payload } = rlpSpan(bytes, 0)
  const parent = rlpSpan(bytes, payload).end
  const root = rlpSpan(bytes, parent).end
  const accounts = rlpSpan(bytes, root).end
  return {
    parent: positionOf(rlpDecodeList(bytes.subarray(payload, parent))),
    root: rootOf(rlpDecodeList(bytes.subarray(parent, root))),
    left: accounts === bytes.length ? [] : leftOf(rlpDecodeList(bytes.subarray(accounts))),
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
  const accounts = new Map(first.accounts.map((change) => [bytesToHexUnprefixed(change.hash), change]))
  const left = leftByOwner(first)
  const leftLater = leftByOwner(second)
  for (const change of second.accounts) {
    const name = bytesToHexUnprefixed(change.hash)
    const known = accounts.get(name)
    const later = leftLater.get(name)
    if (known === undefined) {
      accounts.set(name, change)
      if (later !== undefined) left.set(name, later)
      continue
    }
    const storage = storageOf(known, left.get(name))
    const next = storageOf(change, later)
    const isSame = later === undefined && (storage === undefined || next === undefined || storage === next)
    const slots = isSame ? mergeSlots(known.slots, change.slots) : change.slots
    const incarnation = incarnationOf(known.before)
    if (!isSame && incarnation !== undefined && !left.has(name)) {
      left.set(name, { owner: change.hash, incarnation, isErased: later !== undefined, slots: known.slots })
    }
    accounts.set(name, { ...change, before: known.before, slots })
  }
  return { parent: first.parent, root: second.root, accounts: [...accounts.values()], left: [...left.values()] }
}

function leftByOwner({ left }: DiffEnds): Map<string, LeftStorage> {
  return new Map(left.map((storage) => [bytesToHexUnprefixed(storage.owner), storage]))
}

/** The incarnation of the storage to which the slots of a change belong; undefined: they had no value before or after. */
function storageOf({ before, after }: AccountChange, left: LeftStorage | undefined): number | undefined {
  return incarnationOf(after) ?? (left === undefined ? incarnationOf(before) : undefined)
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

/**
 * Writes one side of a diff into the flat view.
 * @param number of the block
 */
export function applyDiff(diff: StateDiff, side: 'before' | 'after', number: number, sink: FlatSink): void {
  withoutPauses(diffWrites(diff, side, number, sink))
}

/** Does the work of {@link applyDiff}, with pauses. */
export function* diffWrites(
  diff: StateDiff,
  side: 'before' | 'after',
  number: number,
  sink: FlatSink,
): Generator<void> {
  const left = diff.left.length === 0 ? undefined : leftByOwner(diff)
  let written = 0
  for (const account of diff.accounts) {
    const { hash } = account
    if (++written % SLOTS_PER_PAUSE === 0) yield
    write(sink, keys.flatAccount(hash), account[side])
    const incarnation = storageOf(account, left?.get(bytesToHexUnprefixed(hash)))
    if (incarnation === undefined) continue
    for (const slot of account.slots) {
      write(sink, keys.flatStorage(hash, incarnation, slot.hash), slot[side])
      if (++written % SLOTS_PER_PAUSE === 0) yield
    }
  }
  for (const { owner, incarnation, isErased, slots } of diff.left) {
    for (const slot of slots) write(sink, keys.flatStorage(owner, incarnation, slot.hash), slot[side])
    if (!isErased) continue
    const key = keys.erasedStorage(number, owner, incarnation)
    if (side === 'after') sink.put(key, ERASED)
    else sink.delete(key)
  }
}

/** Record of an erased storage whose slots are all in the flat view. */
const ERASED = Uint8Array.of(0)

/** Whether a storage that a block erased can be used again: none of its slots has been deleted. */
export function isErasedWhole(record: Uint8Array | undefined): boolean {
  return record !== undefined && equalBytes(record, ERASED)
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

function leftOf(item: DecodedItem | undefined): LeftStorage[] {
  return listOf(item).map((storage) => {
    const [owner, incarnation, isErased, slots] = listOf(storage)
    return {
      owner: bytesOf(owner),
      incarnation: bytesToNumber(bytesOf(incarnation)),
      isErased: bytesToNumber(bytesOf(isErased)) === 1,
      slots: slotsOf(slots),
    }
  })
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
