/**
 * Encodings of accounts: RLP in the trie, a compact form in the flat view.
 *
 * Over a base (state/baseState.ts) there are three more kinds of entries. An account has a flag in the flat view, and 1 as an
 * additional first item of its RLP, if slots that are not stored are those of the base. A deleted account is a flag alone, and
 * in the trie an empty account with 2 as the first item. A slot that was set to zero is the byte 0.
 * @see Yellow Paper, section 4.1
 * @module
 */

import {
  bigIntToBytes,
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  padLeft,
  readUint,
  trimLeadingZeros,
  writeUint,
} from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { rlpDecode, rlpSpan } from '../base/primitives/rlp.ts'
import { bytePool } from '../base/primitives/smallBytes.ts'
import type { Account } from '../evm/stateDb.ts'
import { type Leaf, Ref } from '../trie/node.ts'
import type { AccountState } from './contract.ts'
import { invalidStateRecord } from './errors.ts'

/** An account as stored: includes the version of its storage trie's root. */
export interface AccountRecord extends AccountState {
  /** 0 for an account without storage */
  readonly storageVersion: number
  /**
   * State version in which the storage was begun, part of the keys of its slots in the flat view: slots of a storage
   * that was erased do not belong to a later one. 0 without storage, for storage of a genesis block that was written as one
   * batch, and for storage from databases before format 3.
   */
  readonly incarnation: number
  /**
   * Set over a base: `slots` if slots that are not stored are those of the base, `account` if the account itself is not
   * stored either.
   */
  readonly fromBase?: 'slots' | 'account'
}

/** The record of an account that was deleted over a base, which is not asked for it any longer. */
export const DELETED_ACCOUNT: AccountRecord = {
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_TRIE_ROOT,
  storageVersion: 0,
  incarnation: 0,
}

/** About 40 accounts. Each block encodes some that stay in memory and some that the next block replaces. */
const SLAB_BYTES = 4096
const accountBytes = bytePool(SLAB_BYTES)
const flatAccountBytes = bytePool(SLAB_BYTES)

/**
 * Offset of the storage root from the end of an account's RLP: storage root and code hash are last, each with a prefix
 * byte.
 */
const STORAGE_ROOT_FROM_END = 65

export function storageRootOffset(rlp: Uint8Array): number {
  return rlp.length - STORAGE_ROOT_FROM_END
}

export function encodeAccount(account: Account, storageRoot: Uint8Array): Uint8Array {
  const nonce = bigIntToBytes(account.nonce)
  const balance = bigIntToBytes(account.balance)
  const payload = scalarLength(nonce) + scalarLength(balance) + 66
  const rlp = accountBytes(payload + 2)
  rlp[0] = 0xf8
  rlp[1] = payload
  const at = writeScalar(rlp, writeScalar(rlp, 2, nonce), balance)
  rlp[at] = 0xa0
  rlp.set(storageRoot, at + 1)
  rlp[at + 33] = 0xa0
  rlp.set(account.codeHash, at + 34)
  return rlp
}

/** First items of the RLP of an account over a base. */
const SLOTS_FROM_BASE = 1
const DELETED = 2

/** The RLP of an account whose slots are those of the base, as far as they are not stored. */
export function encodeAccountOverBase(account: Account, storageRoot: Uint8Array): Uint8Array {
  return withFirstItem(SLOTS_FROM_BASE, encodeAccount(account, storageRoot))
}

/** The entry of {@link DELETED_ACCOUNT} in the trie. */
export function encodeDeletedAccount(): Uint8Array {
  return withFirstItem(DELETED, encodeAccount(DELETED_ACCOUNT, EMPTY_TRIE_ROOT))
}

function withFirstItem(item: number, account: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0xf8, account.length - 1, item), account.subarray(2))
}

/** @param leaf of the account trie: `value` is RLP */
export function accountOfLeaf({ value, tag, incarnation }: Pick<Leaf, 'value' | 'tag' | 'incarnation'>): AccountRecord {
  return decodeAccount(value, tag, incarnation)
}

export function decodeAccount(rlp: Uint8Array, storageVersion: number, incarnation = 0): AccountRecord {
  return decodeItems(rlp, 2, storageVersion, incarnation) ?? decodeOverBase(rlp, storageVersion, incarnation)
}

/** An account with a first item that says what the base has to do with it. */
function decodeOverBase(rlp: Uint8Array, storageVersion: number, incarnation: number): AccountRecord {
  const record = decodeItems(rlp, 3, storageVersion, incarnation)
  if (record !== undefined && rlp[2] === SLOTS_FROM_BASE) return { ...record, fromBase: 'slots' }
  if (record !== undefined && rlp[2] === DELETED) return DELETED_ACCOUNT
  throw invalidStateRecord('account')
}

/**
 * @param at offset of the nonce
 * @returns undefined when the items are not those of an account
 */
function decodeItems(
  rlp: Uint8Array,
  at: number,
  storageVersion: number,
  incarnation: number,
): AccountRecord | undefined {
  const nonce = rlpSpan(rlp, at)
  const balance = rlpSpan(rlp, nonce.end)
  const rootAt = balance.end
  const isWhole = rlp[0] === 0xf8 && rlp.length === rootAt + 66 && rlp[1] === rlp.length - 2
  if (!isWhole || rlp[rootAt] !== 0xa0 || rlp[rootAt + 33] !== 0xa0) return undefined
  return {
    nonce: readBigInt(rlp, nonce.payload, nonce.end),
    balance: readBigInt(rlp, balance.payload, balance.end),
    codeHash: hashAt(rlp, rootAt + 34, EMPTY_CODE_HASH),
    storageRoot: hashAt(rlp, rootAt + 1, EMPTY_TRIE_ROOT),
    storageVersion,
    incarnation,
  }
}

const HAS_CODE = 1
const HAS_STORAGE = 2
const HAS_INCARNATION = 4
/** Slots that are not stored are those of the base. */
const HAS_BASE_SLOTS = 8
/** The only byte of an account that was deleted over a base. */
const IS_DELETED = 16
const VERSION_BYTES = 6

/**
 * Flags (1 byte), lengths of nonce and balance (1 each), nonce, balance, and, if present, code hash, storage root with
 * version, and incarnation.
 * @returns empty for an account that is not stored but the base's
 */
export function encodeFlatAccount(record: AccountRecord): Uint8Array {
  const { fromBase } = record
  if (fromBase === 'account') return EMPTY_BYTES
  if (record === DELETED_ACCOUNT) return Uint8Array.of(IS_DELETED)
  const nonce = bigIntToBytes(record.nonce)
  const balance = bigIntToBytes(record.balance)
  const hasCode = !equalBytes(record.codeHash, EMPTY_CODE_HASH)
  const hasStorage = !equalBytes(record.storageRoot, EMPTY_TRIE_ROOT)
  const fixed = 3 + nonce.length + balance.length
  const hasIncarnation = hasStorage && record.incarnation !== 0
  const storageBytes = hasStorage ? 32 + VERSION_BYTES + (hasIncarnation ? VERSION_BYTES : 0) : 0
  const bytes = flatAccountBytes(fixed + (hasCode ? 32 : 0) + storageBytes)
  bytes[0] =
    (hasCode ? HAS_CODE : 0) |
    (hasStorage ? HAS_STORAGE : 0) |
    (hasIncarnation ? HAS_INCARNATION : 0) |
    (fromBase === undefined ? 0 : HAS_BASE_SLOTS)
  bytes[1] = nonce.length
  bytes[2] = balance.length
  bytes.set(nonce, 3)
  bytes.set(balance, 3 + nonce.length)
  if (hasCode) bytes.set(record.codeHash, fixed)
  if (hasStorage) {
    const at = fixed + (hasCode ? 32 : 0)
    bytes.set(record.storageRoot, at)
    writeUint(bytes, at + 32, record.storageVersion, VERSION_BYTES)
    if (hasIncarnation) writeUint(bytes, at + 32 + VERSION_BYTES, record.incarnation, VERSION_BYTES)
  }
  return bytes
}

export function decodeFlatAccount(bytes: Uint8Array): AccountRecord {
  const flags = bytes[0] as number
  if (flags === IS_DELETED && bytes.length === 1) return DELETED_ACCOUNT
  const record = decodeStored(bytes, flags)
  return flags & HAS_BASE_SLOTS ? { ...record, fromBase: 'slots' } : record
}

function decodeStored(bytes: Uint8Array, flags: number): AccountRecord {
  const balanceAt = 3 + (bytes[1] as number)
  const codeAt = balanceAt + (bytes[2] as number)
  const rootAt = flags & HAS_CODE ? codeAt + 32 : codeAt
  const storageEnd = flags & HAS_STORAGE ? rootAt + 32 + VERSION_BYTES : rootAt
  const end = flags & HAS_INCARNATION ? storageEnd + VERSION_BYTES : storageEnd
  if (bytes.length !== end) throw invalidStateRecord('flat account')
  return {
    nonce: readBigInt(bytes, 3, balanceAt),
    balance: readBigInt(bytes, balanceAt, codeAt),
    codeHash: flags & HAS_CODE ? bytes.subarray(codeAt, codeAt + 32) : EMPTY_CODE_HASH,
    storageRoot: flags & HAS_STORAGE ? bytes.subarray(rootAt, rootAt + 32) : EMPTY_TRIE_ROOT,
    storageVersion: flags & HAS_STORAGE ? readUint(bytes, rootAt + 32, VERSION_BYTES) : 0,
    incarnation: flags & HAS_INCARNATION ? readUint(bytes, storageEnd, VERSION_BYTES) : 0,
  }
}

/**
 * The incarnation of an account's storage.
 * @param flatAccount an encoded account; empty for none
 * @returns undefined without storage
 */
export function incarnationOf(flatAccount: Uint8Array): number | undefined {
  const flags = flatAccount[0] ?? 0
  if ((flags & HAS_STORAGE) === 0) return undefined
  return flags & HAS_INCARNATION ? readUint(flatAccount, flatAccount.length - VERSION_BYTES, VERSION_BYTES) : 0
}

/** A zero that hides the value of the base: in the flat view, and as RLP in the trie. */
const STORED_ZERO = Uint8Array.of(0)

/** 32-byte value → value in the storage trie; empty for zero, unless it hides a value of the base. */
export function encodeSlot(value: Uint8Array, hidesBase = false): Uint8Array {
  const flat = encodeFlatSlot(value, hidesBase)
  const { length } = flat
  if (length === 0) return EMPTY_BYTES
  if (length === 1 && (flat[0] as number) < 0x80) return flat.slice()
  // The RLP of a short string, without the general encoder: a block can write thousands of slots.
  const rlp = new Uint8Array(1 + length)
  rlp[0] = 0x80 + length
  rlp.set(flat, 1)
  return rlp
}

/** 32-byte value → value in the flat view; empty for zero, unless it hides a value of the base. */
export function encodeFlatSlot(value: Uint8Array, hidesBase = false): Uint8Array {
  const trimmed = trimLeadingZeros(value)
  return trimmed.length === 0 && hidesBase ? STORED_ZERO : trimmed
}

/** Value in the storage trie → 32-byte value. */
export function decodeSlot(rlp: Uint8Array): Uint8Array {
  return padLeft(flatSlotOf(rlp), 32)
}

/** Value in the storage trie → value in the flat view. */
export function flatSlotOf(rlp: Uint8Array): Uint8Array {
  const value = rlpDecode(rlp)
  if (!(value instanceof Uint8Array)) throw invalidStateRecord('storage slot')
  return value
}

/** Returns the constant if it is equal, so that later comparisons are by identity. */
function hashAt(bytes: Uint8Array, at: number, constant: Uint8Array): Uint8Array {
  for (let i = 0; i < 32; i++) if (bytes[at + i] !== constant[i]) return bytes.subarray(at, at + 32)
  return constant
}

function readBigInt(bytes: Uint8Array, from: number, to: number): bigint {
  if (from === to) return 0n
  return to - from <= 6 ? BigInt(readUint(bytes, from, to - from)) : bytesToBigInt(bytes.subarray(from, to))
}

function scalarLength(scalar: Uint8Array): number {
  return scalar.length === 1 && (scalar[0] as number) < 0x80 ? 1 : scalar.length + 1
}

/** @returns the offset after the scalar */
function writeScalar(rlp: Uint8Array, at: number, scalar: Uint8Array): number {
  let next = at
  if (scalarLength(scalar) > scalar.length) rlp[next++] = 0x80 + scalar.length
  rlp.set(scalar, next)
  return next + scalar.length
}

/** The reference to an account's storage root, cached with the leaf; undefined without storage. */
export function storageRef(leaf: Leaf): Ref | undefined {
  if (leaf.link === undefined) {
    const offset = storageRootOffset(leaf.value)
    if (equalBytes(leaf.value.subarray(offset, offset + 32), EMPTY_TRIE_ROOT)) return undefined
    leaf.link = new Ref(leaf.value, offset, leaf.tag)
  }
  return leaf.link
}
