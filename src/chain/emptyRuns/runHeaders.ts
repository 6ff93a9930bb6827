/**
 * Headers of the blocks of a run, and their hashes in sequence.
 * @module
 */

import { concatBytes, EMPTY_BYTES, uintBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { type RlpSpan, rlpSpan } from '../../base/primitives/rlp.ts'
import { draftOf, type Header } from '../../types/block.ts'
import { encodeHeader } from '../../types/headerCodec.ts'
import { LINKED_STRETCHES, type RunFees, type RunRecord, STRETCH_BLOCKS } from './runRecord.ts'

const HASH_BYTES = 32
const NUMBER_BYTES = 6
/** Positions of fields in a header. */
const NUMBER_FIELD = 8
const TIMESTAMP_FIELD = 11
const MIX_HASH_FIELD = 13

/** @param index position in the run, from 0 */
export function runHeader(record: RunRecord, index: number, parentHash: Uint8Array): Header {
  const { header, interval, derivesRandao } = record
  const draft = draftOf(header)
  const { baseFeePerGas, excessBlobGas, gasLimit } = feesAt(record, index)
  draft.parentHash = parentHash
  draft.number = header.number + BigInt(index)
  draft.timestamp = header.timestamp + BigInt(index) * interval
  draft.gasLimit = gasLimit
  if (derivesRandao) draft.mixHash = keccak256(parentHash)
  if (baseFeePerGas !== undefined) draft.baseFeePerGas = baseFeePerGas
  if (excessBlobGas !== undefined) draft.excessBlobGas = excessBlobGas
  return draft
}

function stretchCount({ count }: Pick<RunRecord, 'count'>): number {
  return Math.ceil(count / STRETCH_BLOCKS)
}

/** The first stretch from which on all blocks are linked; 0 when that holds for the whole run. */
function firstLinked(record: Pick<RunRecord, 'count'>): number {
  return Math.max(0, stretchCount(record) - LINKED_STRETCHES)
}

/** Parent hash of the first block of a stretch. */
export function stretchStart(record: RunRecord, stretch: number): Uint8Array {
  if (stretch === 0) return record.header.parentHash
  const anchor = (stretch - firstLinked(record) - 1) * HASH_BYTES
  return anchor < 0 ? looseLink(record, stretch) : record.anchors.subarray(anchor, anchor + HASH_BYTES)
}

/** Hash of the block before the run and of the stretch's number: the parent hash of a block without a true link. */
function looseLink({ header }: RunRecord, stretch: number): Uint8Array {
  return keccak256(concatBytes(header.parentHash, uintBytes(stretch, NUMBER_BYTES)))
}

/** The hashes of a stretch, 32 bytes each. */
export function stretchHashes(record: RunRecord, stretch: number): Uint8Array {
  const first = stretch * STRETCH_BLOCKS
  const count = Math.min(STRETCH_BLOCKS, record.count - first)
  const hashes = new Uint8Array(count * HASH_BYTES)
  const encoder = new HeaderEncoder(record)
  let parentHash = stretchStart(record, stretch)
  for (let i = 0; i < count; i++) {
    parentHash = keccak256(encoder.encode(first + i, parentHash))
    hashes.set(parentHash, i * HASH_BYTES)
  }
  return hashes
}

/** A record with the links between its last stretches. */
export interface LinkedRecord {
  readonly record: RunRecord
  /** Hashes of the stretches that were derived for the links, by number of the stretch. */
  readonly stretches: ReadonlyMap<number, Uint8Array>
}

export function linkStretches(record: Omit<RunRecord, 'anchors'>): LinkedRecord {
  const first = firstLinked(record)
  const links = stretchCount(record) - first - 1
  const anchors = new Uint8Array(links * HASH_BYTES)
  const linked = { ...record, anchors }
  const stretches = new Map<number, Uint8Array>()
  for (let i = 0; i < links; i++) {
    const hashes = stretchHashes(linked, first + i)
    stretches.set(first + i, hashes)
    anchors.set(hashes.subarray(-HASH_BYTES), i * HASH_BYTES)
  }
  return { record: linked, stretches }
}

function feesAt({ fees }: RunRecord, index: number): RunFees {
  return fees[Math.min(index, fees.length - 1)] as RunFees
}

/** Encodes consecutive headers. Most differ from the one before in a few bytes, which are replaced in place. */
class HeaderEncoder {
  readonly #record: RunRecord
  readonly #firstNumber: number
  readonly #firstTimestamp: number
  readonly #interval: number
  #bytes: Uint8Array = EMPTY_BYTES
  #fees: RunFees | undefined
  #number: ScalarPlace = NOWHERE
  #timestamp: ScalarPlace = NOWHERE
  #parentHashStart = 0
  #mixHashStart = 0

  constructor(record: RunRecord) {
    this.#record = record
    this.#firstNumber = Number(record.header.number)
    this.#firstTimestamp = Number(record.header.timestamp)
    this.#interval = Number(record.interval)
  }

  /**
   * @param index greater than that of the call before
   * @returns the RLP; changed by the next call
   */
  encode(index: number, parentHash: Uint8Array): Uint8Array {
    const fees = feesAt(this.#record, index)
    const number = this.#firstNumber + index
    const timestamp = this.#firstTimestamp + index * this.#interval
    const bytes = this.#bytes
    if (fees !== this.#fees || number >= this.#number.limit || timestamp >= this.#timestamp.limit) {
      return this.#encodeWhole(index, parentHash, fees)
    }
    bytes.set(parentHash, this.#parentHashStart)
    if (this.#record.derivesRandao) bytes.set(keccak256(parentHash), this.#mixHashStart)
    writeBefore(bytes, this.#number.end, number)
    writeBefore(bytes, this.#timestamp.end, timestamp)
    return bytes
  }

  #encodeWhole(index: number, parentHash: Uint8Array, fees: RunFees): Uint8Array {
    const bytes = encodeHeader(runHeader(this.#record, index, parentHash))
    this.#fees = fees
    this.#bytes = bytes
    let at = rlpSpan(bytes, 0).payload
    for (let field = 0; field <= MIX_HASH_FIELD; field++) {
      const span = rlpSpan(bytes, at)
      if (field === 0) this.#parentHashStart = span.payload
      if (field === NUMBER_FIELD) this.#number = placeOf(span, at)
      if (field === TIMESTAMP_FIELD) this.#timestamp = placeOf(span, at)
      if (field === MIX_HASH_FIELD) this.#mixHashStart = span.payload
      at = span.end
    }
    return bytes
  }
}

/** Where a number is in an encoded header. */
interface ScalarPlace {
  readonly end: number
  /** First larger number whose encoding is longer. */
  readonly limit: number
}

const NOWHERE: ScalarPlace = { end: 0, limit: 0 }

function placeOf({ payload, end }: RlpSpan, start: number): ScalarPlace {
  // A small number has no prefix: larger ones have another encoding.
  return { end, limit: payload === start ? 0 : 256 ** (end - payload) }
}

/** Writes a number of unchanged length so that it ends at `end`. */
function writeBefore(bytes: Uint8Array, end: number, value: number): void {
  let at = end
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes[--at] = rest % 256
}
