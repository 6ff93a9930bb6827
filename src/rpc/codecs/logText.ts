/**
 * Writes the bytes of stored logs as JSON text, without objects in between; the output equals that of serializeLog.
 * @module
 */

import type { LogCollector } from '../../api/logCollector.ts'
import { MAX_LOG_TEXT_LENGTH } from '../../base/limits/limits.ts'
import { writeHex, writeHexNumber } from '../../base/primitives/asciiDigits.ts'
import type { ByteSink } from '../../base/primitives/byteSink.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import { transactionHashOffset } from '../../chain/blockRecord.ts'
import type { StoredLogs } from '../../chain/contract.ts'
import { type LogLocation, TOPIC_STRIDE } from '../../types/storedLogs.ts'
import { TextResult } from '../textResult.ts'
import { type LogTexts, textsOf } from './logTexts.ts'

const encoder = new TextEncoder()
const FIRST_LOG = encoder.encode('[{"logIndex":"0x')
const NEXT_LOG = encoder.encode(',{"logIndex":"0x')
const REMOVED = encoder.encode('","removed":true,"blockNumber":"0x')
const NOT_REMOVED = encoder.encode('","removed":false,"blockNumber":"0x')
const BLOCK_HASH = encoder.encode('","blockHash":"0x')
const TRANSACTION_HASH = encoder.encode('","transactionHash":"0x')
const TRANSACTION_INDEX = encoder.encode('","transactionIndex":"0x')
const ADDRESS = encoder.encode('","address":"0x')
const DATA = encoder.encode('","data":"0x')
const TOPICS = encoder.encode('","topics":[')
const FIRST_TOPIC = encoder.encode('"0x')
const NEXT_TOPIC = encoder.encode('","0x')
const END = encoder.encode('"]}')
const END_WITHOUT_TOPICS = encoder.encode(']}')

const ADDRESS_BYTES = 20
const HASH_BYTES = 32
/** Hex digits of 2^53. */
const MAX_HEX_DIGITS = 14
/** Data of this length and the other members fit into one chunk. */
const MAX_DATA_IN_PLACE = 16_384
const MAX_MIDDLE_LENGTH = 512
/** Members other than data and `middle`. */
const FIXED_LENGTH = 512

/** A JSON array of logs under construction. */
export class LogText implements LogCollector {
  readonly #chunks: TextChunks
  #writer: JsonWriter | undefined
  #count = 0
  /** The members from logIndex to address, which the logs of one transaction share, and that transaction. */
  #middle: Uint8Array = EMPTY_BYTES
  readonly #middleBuffer = new Uint8Array(MAX_MIDDLE_LENGTH)
  #block: StoredLogs | undefined
  #transactionIndex = -1
  /** Of the block. */
  #texts: LogTexts | undefined

  /** @param hold counts the text as it grows; returns false when no space is left */
  constructor(hold: (bytes: number) => boolean = () => true) {
    this.#chunks = new TextChunks(hold)
  }

  get count(): number {
    return this.#count
  }

  /**
   * @throws {NodeError} RANGE_TOO_LARGE when the text exceeds MAX_LOG_TEXT_LENGTH, RESPONSE_TOO_LARGE when `hold`
   *   refuses it
   */
  add(log: LogLocation, block: StoredLogs, removed: boolean): void {
    this.#writer ??= new JsonWriter(this.#chunks)
    if (this.#block !== block) {
      this.#block = block
      this.#transactionIndex = -1
      this.#texts = textsOf(block)
    }
    const texts = removed ? undefined : this.#texts
    const text = texts?.get(log.logIndex)
    const start = this.#count++ === 0 ? FIRST_LOG : NEXT_LOG
    if (text !== undefined) writeText(this.#writer, start, text)
    else if (log.dataEnd - log.data > MAX_DATA_IN_PLACE)
      writeLong(this.#writer, log, start, this.#middleOf(log, block, removed))
    else writeInPlace(this.#writer, log, start, this.#middleOf(log, block, removed), texts)
  }

  #middleOf(log: LogLocation, block: StoredLogs, removed: boolean): Uint8Array {
    if (this.#transactionIndex !== log.transactionIndex) {
      this.#middle = this.#middleBuffer.subarray(0, writeMiddle(this.#middleBuffer, log, block, removed))
      this.#transactionIndex = log.transactionIndex
    }
    return this.#middle
  }

  /** Ends the array. */
  result(): TextResult {
    if (this.#writer === undefined) return new TextResult('[]')
    this.#writer.ascii(']')
    this.#writer.flush()
    return new TextResult(this.#chunks.text)
  }
}

/** Writes the members that the logs of one transaction share. @returns offset after them */
function writeMiddle(
  target: Uint8Array,
  { transactionIndex }: LogLocation,
  block: StoredLogs,
  removed: boolean,
): number {
  const { number, blockHash, transactionKeys } = block
  const hashAt = transactionHashOffset(transactionKeys, transactionIndex)
  let at = append(target, 0, removed ? REMOVED : NOT_REMOVED)
  at = append(target, writeHexNumber(target, at, number), BLOCK_HASH)
  at = append(target, writeHex(target, at, blockHash, 0, HASH_BYTES), TRANSACTION_HASH)
  at = append(target, writeHex(target, at, transactionKeys, hashAt, hashAt + HASH_BYTES), TRANSACTION_INDEX)
  return append(target, writeHexNumber(target, at, transactionIndex), ADDRESS)
}

/** @param start whose first byte precedes the object */
function writeText(out: JsonWriter, start: Uint8Array, text: Uint8Array): void {
  const buffer = out.reserve(1 + text.length)
  buffer[out.position] = start[0] as number
  out.commit(append(buffer, out.position + 1, text))
}

/**
 * Reserves space for the whole log, so that nothing needs to be checked while it is written.
 * @param texts keep the text
 */
function writeInPlace(
  out: JsonWriter,
  log: LogLocation,
  start: Uint8Array,
  middle: Uint8Array,
  texts: LogTexts | undefined,
): void {
  const { bytes, address, data, dataEnd } = log
  const buffer = out.reserve(FIXED_LENGTH + middle.length + 2 * (dataEnd - data))
  let at = append(buffer, out.position, start)
  at = append(buffer, writeHexNumber(buffer, at, log.logIndex), middle)
  at = append(buffer, writeHex(buffer, at, bytes, address, address + ADDRESS_BYTES), DATA)
  at = append(buffer, writeHex(buffer, at, bytes, data, dataEnd), TOPICS)
  at = writeTopics(buffer, at, log)
  texts?.keep(log.logIndex, buffer.subarray(out.position + 1, at))
  out.commit(at)
}

function writeTopics(buffer: Uint8Array, start: number, { bytes, topicCount, topics }: LogLocation): number {
  let at = start
  for (let i = 0; i < topicCount; i++) {
    const topic = topics + i * TOPIC_STRIDE
    at = append(buffer, at, i === 0 ? FIRST_TOPIC : NEXT_TOPIC)
    at = writeHex(buffer, at, bytes, topic, topic + HASH_BYTES)
  }
  return append(buffer, at, topicCount === 0 ? END_WITHOUT_TOPICS : END)
}

function append(buffer: Uint8Array, at: number, piece: Uint8Array): number {
  buffer.set(piece, at)
  return at + piece.length
}

function writeLong(out: JsonWriter, log: LogLocation, start: Uint8Array, middle: Uint8Array): void {
  const { bytes, address, data, dataEnd } = log
  out.raw(start)
  const buffer = out.reserve(MAX_HEX_DIGITS)
  out.commit(writeHexNumber(buffer, out.position, log.logIndex))
  out.raw(middle)
  out.hex(bytes.subarray(address, address + ADDRESS_BYTES))
  out.raw(DATA)
  out.hex(bytes.subarray(data, dataEnd))
  out.raw(TOPICS)
  out.commit(writeTopics(out.reserve(FIXED_LENGTH), out.position, log))
}

class TextChunks implements ByteSink {
  readonly isFull = false
  readonly #decoder = new TextDecoder()
  readonly #hold: (bytes: number) => boolean
  text = ''

  constructor(hold: (bytes: number) => boolean) {
    this.#hold = hold
  }

  write(chunk: Uint8Array): void {
    if (this.text.length + chunk.length > MAX_LOG_TEXT_LENGTH) {
      throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `query returned more than ${MAX_LOG_TEXT_LENGTH} bytes`)
    }
    if (!this.#hold(chunk.length)) throw new NodeError({ code: 'RESPONSE_TOO_LARGE' }, 'too much unsent output')
    this.text += this.#decoder.decode(chunk)
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }
}
