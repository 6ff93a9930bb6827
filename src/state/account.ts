/**
 * Accounts in the trie (RLP) and in the flat view (compact).
 * @see Yellow Paper, section 4.1
 * @module
 */
import type { Account } from '../evm/stateDb.ts'
import {
  bigIntToBytes,
  bytesToBigInt,
  EMPTY_BYTES,
  equalBytes,
  padLeft,
  readUint,
  trimLeadingZeros,
  writeUint,
} from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../primitives/keccak.ts'
import { rlpDecode, rlpDecodeList, rlpEncode } from '../rlp/rlp.ts'
import type { AccountState } from './contract.ts'
import { invalidStateRecord } from './errors.ts'

/** An account as it is stored: with the version of its storage trie's root. */
export interface AccountRecord extends AccountState {
  /** 0 without storage */
  readonly storageVersion: number
}

export const ZERO_WORD: Uint8Array = new Uint8Array(32)

/** Where the storage root is in an account's RLP: it and the code hash come last, each with a prefix byte. */
const STORAGE_ROOT_FROM_END = 65

export function storageRootOffset(rlp: Uint8Array): number {
  return rlp.length - STORAGE_ROOT_FROM_END
}

export function encodeAccount(account: Account, storageRoot: Uint8Array): Uint8Array {
  return rlpEncode([bigIntToBytes(account.nonce), bigIntToBytes(account.balance), storageRoot, account.codeHash])
}

export function decodeAccount(rlp: Uint8Array, storageVersion: number): AccountRecord {
  const [nonce, balance, storageRoot, codeHash] = rlpDecodeList(rlp)
  if (
    !(nonce instanceof Uint8Array && balance instanceof Uint8Array) ||
    !(storageRoot instanceof Uint8Array && codeHash instanceof Uint8Array)
  )
    throw invalidStateRecord('account')
  return {
    nonce: bytesToBigInt(nonce),
    balance: bytesToBigInt(balance),
    codeHash: shared(codeHash, EMPTY_CODE_HASH),
    storageRoot: shared(storageRoot, EMPTY_TRIE_ROOT),
    storageVersion,
  }
}

const HAS_CODE = 1
const HAS_STORAGE = 2
const VERSION_BYTES = 6

/** Flags (1), lengths of nonce and balance (1 each), nonce, balance, code hash and storage root with version if any. */
export function encodeFlatAccount(record: AccountRecord): Uint8Array {
  const nonce = bigIntToBytes(record.nonce)
  const balance = bigIntToBytes(record.balance)
  const hasCode = !equalBytes(record.codeHash, EMPTY_CODE_HASH)
  const hasStorage = !equalBytes(record.storageRoot, EMPTY_TRIE_ROOT)
  const fixed = 3 + nonce.length + balance.length
  const bytes = new Uint8Array(fixed + (hasCode ? 32 : 0) + (hasStorage ? 32 + VERSION_BYTES : 0))
  bytes[0] = (hasCode ? HAS_CODE : 0) | (hasStorage ? HAS_STORAGE : 0)
  bytes[1] = nonce.length
  bytes[2] = balance.length
  bytes.set(nonce, 3)
  bytes.set(balance, 3 + nonce.length)
  if (hasCode) bytes.set(record.codeHash, fixed)
  if (hasStorage) {
    const at = fixed + (hasCode ? 32 : 0)
    bytes.set(record.storageRoot, at)
    writeUint(bytes, at + 32, record.storageVersion, VERSION_BYTES)
  }
  return bytes
}

export function decodeFlatAccount(bytes: Uint8Array): AccountRecord {
  const flags = bytes[0] as number
  const balanceAt = 3 + (bytes[1] as number)
  const codeAt = balanceAt + (bytes[2] as number)
  const rootAt = flags & HAS_CODE ? codeAt + 32 : codeAt
  const end = flags & HAS_STORAGE ? rootAt + 32 + VERSION_BYTES : rootAt
  if (bytes.length !== end) throw invalidStateRecord('flat account')
  return {
    nonce: bytesToBigInt(bytes.subarray(3, balanceAt)),
    balance: bytesToBigInt(bytes.subarray(balanceAt, codeAt)),
    codeHash: flags & HAS_CODE ? bytes.subarray(codeAt, codeAt + 32) : EMPTY_CODE_HASH,
    storageRoot: flags & HAS_STORAGE ? bytes.subarray(rootAt, rootAt + 32) : EMPTY_TRIE_ROOT,
    storageVersion: flags & HAS_STORAGE ? readUint(bytes, rootAt + 32, VERSION_BYTES) : 0,
  }
}

/** 32-byte value → value in the storage trie; empty for zero. */
export function encodeSlot(value: Uint8Array): Uint8Array {
  const trimmed = trimLeadingZeros(value)
  return trimmed.length === 0 ? EMPTY_BYTES : rlpEncode(trimmed)
}

/** Value in the storage trie → 32-byte value. */
export function decodeSlot(rlp: Uint8Array): Uint8Array {
  const value = rlpDecode(rlp)
  if (!(value instanceof Uint8Array)) throw invalidStateRecord('storage slot')
  return padLeft(value, 32)
}

/** EIP-161: no nonce, no balance, no code. */
export function isEmptyAccount(account: Account): boolean {
  return account.nonce === 0n && account.balance === 0n && equalBytes(account.codeHash, EMPTY_CODE_HASH)
}

/** The constant when it is equal, so that later comparisons are by identity. */
function shared(hash: Uint8Array, constant: Uint8Array): Uint8Array {
  if (hash.length !== 32) throw invalidStateRecord('account')
  return equalBytes(hash, constant) ? constant : hash
}
