/**
 * Stored values that are not RLP of the protocol: the block record, and sender and hash of each transaction.
 * @module
 */
import { bigIntToBytes, bytesToBigInt, readUint, writeUint } from '../primitives/bytes.ts'
import { NodeError } from '../primitives/errors.ts'

export interface BlockRecord {
  readonly totalDifficulty: bigint
  /** Version that the root node of the block's state was written with. */
  readonly stateVersion: number
  /** Length of the block's RLP. */
  readonly size: number
}

const VERSION_BYTES = 6
const SIZE_BYTES = 4
const FIXED_BYTES = VERSION_BYTES + SIZE_BYTES

/** version (6) ‖ size (4) ‖ total difficulty (scalar) */
export function encodeBlockRecord(record: BlockRecord): Uint8Array {
  const difficulty = bigIntToBytes(record.totalDifficulty)
  const bytes = new Uint8Array(FIXED_BYTES + difficulty.length)
  writeUint(bytes, 0, record.stateVersion, VERSION_BYTES)
  writeUint(bytes, VERSION_BYTES, record.size, SIZE_BYTES)
  bytes.set(difficulty, FIXED_BYTES)
  return bytes
}

export function decodeBlockRecord(bytes: Uint8Array): BlockRecord {
  if (bytes.length < FIXED_BYTES) throw corrupt(`block record of ${bytes.length} bytes`)
  return {
    stateVersion: readUint(bytes, 0, VERSION_BYTES),
    size: readUint(bytes, VERSION_BYTES, SIZE_BYTES),
    totalDifficulty: bytesToBigInt(bytes.subarray(FIXED_BYTES)),
  }
}

/** What is known of the transactions of a block without decoding them: one entry each. */
export interface TransactionKeys {
  /** 20 bytes each */
  readonly senders: readonly Uint8Array[]
  /** 32 bytes each */
  readonly hashes: readonly Uint8Array[]
}

const ADDRESS_BYTES = 20
const HASH_BYTES = 32
export const TRANSACTION_KEYS_BYTES: number = ADDRESS_BYTES + HASH_BYTES

/** sender ‖ hash, one after the other */
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

const LOCATION_NUMBER_BYTES = 6
const LOCATION_INDEX_BYTES = 4

/** block number (6) ‖ index (4): a value of the transaction index */
export function encodeLocation(blockNumber: number, index: number): Uint8Array {
  const bytes = new Uint8Array(LOCATION_NUMBER_BYTES + LOCATION_INDEX_BYTES)
  writeUint(bytes, 0, blockNumber, LOCATION_NUMBER_BYTES)
  writeUint(bytes, LOCATION_NUMBER_BYTES, index, LOCATION_INDEX_BYTES)
  return bytes
}

export function decodeLocation(bytes: Uint8Array): { readonly blockNumber: number; readonly index: number } {
  return {
    blockNumber: readUint(bytes, 0, LOCATION_NUMBER_BYTES),
    index: readUint(bytes, LOCATION_NUMBER_BYTES, LOCATION_INDEX_BYTES),
  }
}

export function encodeNumber(number: number): Uint8Array {
  const bytes = new Uint8Array(VERSION_BYTES)
  writeUint(bytes, 0, number, VERSION_BYTES)
  return bytes
}

export function decodeNumber(bytes: Uint8Array): number {
  return readUint(bytes, 0, bytes.length)
}

export function corrupt(what: string): NodeError {
  return new NodeError({ code: 'STORE_DAMAGED' }, `the database is damaged: ${what}`)
}
