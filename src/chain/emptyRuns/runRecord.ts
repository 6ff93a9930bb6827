/**
 * The stored form of a run: consecutive empty blocks of a dev chain that are derived when they are read. All blocks of
 * a run have the same state. They differ in number, timestamp, parent hash and prevRandao, and the first ones in fees.
 * @module
 */

import {
  bigIntToBytes,
  bytesToBigInt,
  bytesToNumber,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  numberToBytes,
  readUint,
  uintBytes,
} from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { type DecodedItem, rlpDecodeList, rlpEncode } from '../../base/primitives/rlp.ts'
import type { DevEnvironment } from '../../evm/evm.ts'
import type { StateRoot } from '../../state/contract.ts'
import type { Header } from '../../types/block.ts'
import { decodeHeader, encodeHeaderFields } from '../../types/headerCodec.ts'
import { corrupt } from '../blockRecord.ts'
import { decodeDevEnvironment, encodeDevEnvironment } from '../devEnvironment.ts'

/** Blocks whose hashes are derived together. */
export const STRETCH_BLOCKS = 1024
/**
 * Stretches at the end of a run whose first blocks link to the hash of the block before. In a longer run, the first
 * block of every other stretch except the first one has a parent hash that is not the hash of a block.
 */
export const LINKED_STRETCHES = 32

/** The header fields that move towards their target with each empty block. */
export interface RunFees {
  /** wei; undefined before London */
  readonly baseFeePerGas: bigint | undefined
  /** undefined before Cancun */
  readonly excessBlobGas: bigint | undefined
  readonly gasLimit: bigint
}

export interface RunRecord {
  readonly count: number
  /** Of the first block; its parent hash is that of the stored block before the run. */
  readonly header: Header
  /** Seconds between two blocks. */
  readonly interval: bigint
  /** Whether prevRandao of each block is the hash of its parent hash; otherwise it is that of the first block. */
  readonly derivesRandao: boolean
  readonly totalDifficulty: bigint
  /** Of the first blocks; the last ones hold for all further blocks. At most STRETCH_BLOCKS. */
  readonly fees: readonly RunFees[]
  /** Parent hashes of the first blocks of the last stretches, 32 bytes each. */
  readonly anchors: Uint8Array
  readonly environment: DevEnvironment | undefined
}

/** A record with the version of its state, which depends on the database. */
export interface StoredRun {
  /** 32 bytes: hash of the encoded record */
  readonly id: Uint8Array
  readonly record: RunRecord
  readonly state: StateRoot
}

const VERSION_BYTES = 6
export const RUN_ID_BYTES = 32

export function runId(encodedRecord: Uint8Array): Uint8Array {
  return keccak256(encodedRecord)
}

export function encodeRunRecord(record: RunRecord): Uint8Array {
  const { count, header, interval, derivesRandao, totalDifficulty, fees, anchors, environment } = record
  return rlpEncode([
    numberToBytes(count),
    encodeHeaderFields(header),
    bigIntToBytes(interval),
    numberToBytes(derivesRandao ? 1 : 0),
    bigIntToBytes(totalDifficulty),
    fees.map(({ baseFeePerGas, excessBlobGas, gasLimit }) => [
      bigIntToBytes(gasLimit),
      ...(baseFeePerGas === undefined ? [] : [bigIntToBytes(baseFeePerGas)]),
      ...(excessBlobGas === undefined ? [] : [bigIntToBytes(excessBlobGas)]),
    ]),
    anchors,
    environment === undefined ? EMPTY_BYTES : encodeDevEnvironment(environment),
  ])
}

/** @throws {NodeError} STORE_DAMAGED, INVALID_RLP, INVALID_HEADER_ENCODING */
export function decodeRunRecord(bytes: Uint8Array): RunRecord {
  const [count, header, interval, randao, difficulty, fees, anchors, environment] = rlpDecodeList(bytes)
  if (!Array.isArray(header) || !Array.isArray(fees) || fees.length === 0) throw corrupt('a run of empty blocks')
  const encodedEnvironment = bytesOf(environment)
  return {
    count: bytesToNumber(bytesOf(count)),
    header: decodeHeader(header),
    interval: bytesToBigInt(bytesOf(interval)),
    derivesRandao: bytesToNumber(bytesOf(randao)) === 1,
    totalDifficulty: bytesToBigInt(bytesOf(difficulty)),
    fees: fees.map(feesOf),
    anchors: bytesOf(anchors),
    environment: encodedEnvironment.length === 0 ? undefined : decodeDevEnvironment(encodedEnvironment),
  }
}

/** version of the state (6) ‖ record */
export function encodeStoredRun(version: number, encodedRecord: Uint8Array): Uint8Array {
  return concatBytes(uintBytes(version, VERSION_BYTES), encodedRecord)
}

export function decodeStoredRun(id: Uint8Array, bytes: Uint8Array): StoredRun {
  const encoded = bytes.subarray(VERSION_BYTES)
  if (!equalBytes(runId(encoded), id)) throw corrupt('a run of empty blocks')
  const record = decodeRunRecord(encoded)
  return { id, record, state: { hash: record.header.stateRoot, version: readUint(bytes, 0, VERSION_BYTES) } }
}

function feesOf(item: DecodedItem): RunFees {
  if (!Array.isArray(item)) throw corrupt('a run of empty blocks')
  const [gasLimit, baseFee, excess] = item
  return {
    gasLimit: bytesToBigInt(bytesOf(gasLimit)),
    baseFeePerGas: baseFee === undefined ? undefined : bytesToBigInt(bytesOf(baseFee)),
    excessBlobGas: excess === undefined ? undefined : bytesToBigInt(bytesOf(excess)),
  }
}

function bytesOf(item: DecodedItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw corrupt('a run of empty blocks')
}
