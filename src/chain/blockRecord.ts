/**
 * Stored values in formats of this node: the block record, and sender and hash of each transaction.
 * @module
 */
import {
  bigIntToBytes,
  bytesToBigInt,
  bytesToHex,
  concatBytes,
  readUint,
  uintBytes,
  writeUint,
} from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'

export interface BlockRecord {
  readonly totalDifficulty: bigint
  /** Version of the root node of the block's state; undefined when the state is not stored. */
  readonly stateVersion: number | undefined
  /** Length of the block's RLP. */
  readonly size: number
  /** Whether a dev amendment is stored for the block (chain/devAmendment.ts). */
  readonly isAmended: boolean
  /** Whether the block belongs to a run of a dev chain (chain/emptyRuns/runRecord.ts). */
  readonly isInRun?: boolean
  /** Whether the state after the block is that of another chain, which a local chain continues (state/baseState.ts). */
  readonly isBaseState?: boolean
}

const FLAG_BYTES = 1
const VERSION_BYTES = 5
const SIZE_BYTES = 4
const FIXED_BYTES = FLAG_BYTES + VERSION_BYTES + SIZE_BYTES

const IS_AMENDED = 1
const HAS_NO_STATE = 2
const IS_IN_RUN = 4
const IS_BASE_STATE = 8

/** flags (1) ‖ state version (5) ‖ size (4) ‖ total difficulty (scalar); format 1 had no flags and a version of 6 bytes */
export function encodeBlockRecord(record: BlockRecord): Uint8Array {
  const difficulty = bigIntToBytes(record.totalDifficulty)
  const bytes = new Uint8Array(FIXED_BYTES + difficulty.length)
  bytes[0] =
    (record.isAmended ? IS_AMENDED : 0) |
    (record.stateVersion === undefined ? HAS_NO_STATE : 0) |
    (record.isInRun === true ? IS_IN_RUN : 0) |
    (record.isBaseState === true ? IS_BASE_STATE : 0)
  writeUint(bytes, FLAG_BYTES, record.stateVersion ?? 0, VERSION_BYTES)
  writeUint(bytes, FLAG_BYTES + VERSION_BYTES, record.size, SIZE_BYTES)
  bytes.set(difficulty, FIXED_BYTES)
  return bytes
}

export function decodeBlockRecord(bytes: Uint8Array): BlockRecord {
  if (bytes.length < FIXED_BYTES) throw corrupt(`block record of ${bytes.length} bytes`)
  const flags = bytes[0] as number
  return {
    isAmended: (flags & IS_AMENDED) !== 0,
    isInRun: (flags & IS_IN_RUN) !== 0,
    isBaseState: (flags & IS_BASE_STATE) !== 0,
    stateVersion: (flags & HAS_NO_STATE) === 0 ? readUint(bytes, FLAG_BYTES, VERSION_BYTES) : undefined,
    size: readUint(bytes, FLAG_BYTES + VERSION_BYTES, SIZE_BYTES),
    totalDifficulty: bytesToBigInt(bytes.subarray(FIXED_BYTES)),
  }
}

/** Senders and hashes of a block's transactions, available without decoding it: one entry each. */
export interface TransactionKeys {
  /** 20 bytes each */
  readonly senders: readonly Uint8Array[]
  /** 32 bytes each */
  readonly hashes: readonly Uint8Array[]
}

const ADDRESS_BYTES = 20
const HASH_BYTES = 32
export const TRANSACTION_KEYS_BYTES: number = ADDRESS_BYTES + HASH_BYTES

/** sender ‖ hash of each transaction, concatenated */
export function encodeTransactionKeys({ senders, hashes }: TransactionKeys): Uint8Array {
  const bytes = new Uint8Array(senders.length * TRANSACTION_KEYS_BYTES)
  for (let i = 0; i < senders.length; i++) {
    bytes.set(senders[i] as Uint8Array, i * TRANSACTION_KEYS_BYTES)
    bytes.set(hashes[i] as Uint8Array, i * TRANSACTION_KEYS_BYTES + ADDRESS_BYTES)
  }
  return bytes
}

export function decodeTransactionKeys(bytes: Uint8Array): TransactionKeys {
  if (bytes.length % TRANSACTION_KEYS_BYTES !== 0) throw corrupt(`senders of ${bytes.length} bytes`)
  const senders: Uint8Array[] = []
  const hashes: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += TRANSACTION_KEYS_BYTES) {
    senders.push(bytes.subarray(at, at + ADDRESS_BYTES))
    hashes.push(bytes.subarray(at + ADDRESS_BYTES, at + TRANSACTION_KEYS_BYTES))
  }
  return { senders, hashes }
}

/**
 * @param bytes as encoded by encodeTransactionKeys
 * @returns offset of the 32 bytes of a transaction's hash
 * @throws {NodeError} STORE_DAMAGED when there is no such transaction
 */
export function transactionHashOffset(bytes: Uint8Array, index: number): number {
  const end = (index + 1) * TRANSACTION_KEYS_BYTES
  if (end > bytes.length) throw corrupt(`senders of ${bytes.length} bytes`)
  return end - HASH_BYTES
}

const LOCATION_NUMBER_BYTES = 6
const LOCATION_INDEX_BYTES = 4

const LOCATION_BYTES = LOCATION_NUMBER_BYTES + LOCATION_INDEX_BYTES

/**
 * A value of the transaction index: block number (6) ‖ index (4) for each block, newest first. Only where a dev chain sets
 * nonces back is one transaction in several blocks.
 * @param others the value without the block
 */
export function addLocation(others: Uint8Array | undefined, blockNumber: number, index: number): Uint8Array {
  const bytes = new Uint8Array(LOCATION_BYTES + (others?.length ?? 0))
  if (others !== undefined) bytes.set(others, LOCATION_BYTES)
  writeUint(bytes, 0, blockNumber, LOCATION_NUMBER_BYTES)
  writeUint(bytes, LOCATION_NUMBER_BYTES, index, LOCATION_INDEX_BYTES)
  return bytes
}

/** The value without a block; undefined when no other block has the transaction. */
export function removeLocation(locations: Uint8Array, blockNumber: number): Uint8Array | undefined {
  const others: Uint8Array[] = []
  for (let at = 0; at < locations.length; at += LOCATION_BYTES) {
    const location = locations.subarray(at, at + LOCATION_BYTES)
    if (decodeLocation(location).blockNumber !== blockNumber) others.push(location)
  }
  return others.length === 0 ? undefined : concatBytes(...others)
}

/** All locations of a transaction, newest first. */
export function* locationsOf(bytes: Uint8Array): Generator<ReturnType<typeof decodeLocation>, void> {
  for (let at = 0; at < bytes.length; at += LOCATION_BYTES) yield decodeLocation(bytes.subarray(at))
}

export function hasLocation(bytes: Uint8Array, number: number, index: number): boolean {
  for (const location of locationsOf(bytes))
    if (location.blockNumber === number && location.index === index) return true
  return false
}

/** The newest of the locations. */
export function decodeLocation(bytes: Uint8Array): { readonly blockNumber: number; readonly index: number } {
  return {
    blockNumber: readUint(bytes, 0, LOCATION_NUMBER_BYTES),
    index: readUint(bytes, LOCATION_NUMBER_BYTES, LOCATION_INDEX_BYTES),
  }
}

const NUMBER_BYTES = 6

export function encodeNumber(number: number): Uint8Array {
  return uintBytes(number, NUMBER_BYTES)
}

export function decodeNumber(bytes: Uint8Array): number {
  return readUint(bytes, 0, bytes.length)
}

export function corrupt(what: string): NodeError {
  return new NodeError({ code: 'STORE_DAMAGED' }, `the database is damaged: ${what}`)
}

/** The parts of a block that are stored under its number and hash. */
export type BlockPart = 'body' | 'receipts' | 'senders'

export type MissingDataError = NodeError<
  | { code: 'BLOCK_DATA_MISSING'; part: BlockPart; number: number }
  /** `data`: the message, for profiles whose messages are fixed. */
  | { code: 'HISTORY_PRUNED'; number: number; keptFrom: number; data: string }
>

/**
 * The error for a block whose header requires a part that the store does not have (deleted, left out or not yet received).
 * @param keptFrom lowest block that a mirror has whole; 0: no older ones were left out
 */
export function blockDataMissing(part: BlockPart, number: number, hash: Uint8Array, keptFrom = 0): MissingDataError {
  const text = `the database has no ${part} of block ${number}`
  if (number >= keptFrom) {
    return new NodeError({ code: 'BLOCK_DATA_MISSING', part, number }, `${text} (${bytesToHex(hash)})`)
  }
  const data = `${text}: it has those from block ${keptFrom} on`
  return new NodeError({ code: 'HISTORY_PRUNED', number, keptFrom, data }, data)
}
