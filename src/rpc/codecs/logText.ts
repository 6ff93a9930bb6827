/**
 * Serializes logs as JSON text without an object per log; the output equals that of serializeLog.
 * @module
 */

import type { LogView } from '../../api/viewTypes.ts'
import { MAX_LOG_TEXT_LENGTH } from '../../config/limits.ts'
import { writeHexNumber } from '../../primitives/asciiDigits.ts'
import type { ByteSink } from '../../primitives/byteSink.ts'
import { NodeError } from '../../primitives/errors.ts'
import { JsonWriter } from '../../primitives/jsonWriter.ts'
import { TextResult } from '../textResult.ts'

const encoder = new TextEncoder()
const LOG_INDEX = encoder.encode('{"logIndex":"0x')
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
const LAST_TOPIC = encoder.encode('"')
const END = encoder.encode(']}')
const COMMA = encoder.encode(',')

/** Of 2^53. */
const MAX_HEX_DIGITS = 14

/** A JSON array of logs under construction. */
export class LogText {
  readonly #chunks: TextChunks
  readonly #out: JsonWriter
  #count = 0

  /** @param hold counts the text as it grows; returns false when no space is left */
  constructor(hold: (bytes: number) => boolean = () => true) {
    this.#chunks = new TextChunks(hold)
    this.#out = new JsonWriter(this.#chunks)
    this.#out.ascii('[')
  }

  get count(): number {
    return this.#count
  }

  /**
   * @throws {NodeError} RANGE_TOO_LARGE when the text exceeds MAX_LOG_TEXT_LENGTH, RESPONSE_TOO_LARGE when `hold`
   *   refuses it
   */
  add(view: LogView): void {
    if (this.#count++ > 0) this.#out.raw(COMMA)
    writeLog(this.#out, view)
  }

  /** Ends the array. */
  result(): TextResult {
    this.#out.ascii(']')
    this.#out.flush()
    return new TextResult(this.#chunks.text)
  }
}

function writeLog(out: JsonWriter, view: LogView): void {
  const { log } = view
  out.raw(LOG_INDEX)
  writeNumber(out, view.logIndex)
  out.raw(view.removed ? REMOVED : NOT_REMOVED)
  writeNumber(out, Number(view.blockNumber))
  out.raw(BLOCK_HASH)
  out.hex(view.blockHash)
  out.raw(TRANSACTION_HASH)
  out.hex(view.transactionHash)
  out.raw(TRANSACTION_INDEX)
  writeNumber(out, view.transactionIndex)
  out.raw(ADDRESS)
  out.hex(log.address)
  out.raw(DATA)
  out.hex(log.data)
  out.raw(TOPICS)
  for (let i = 0; i < log.topics.length; i++) {
    out.raw(i === 0 ? FIRST_TOPIC : NEXT_TOPIC)
    out.hex(log.topics[i] as Uint8Array)
  }
  if (log.topics.length > 0) out.raw(LAST_TOPIC)
  out.raw(END)
}

function writeNumber(out: JsonWriter, value: number): void {
  const buffer = out.reserve(MAX_HEX_DIGITS)
  out.commit(writeHexNumber(buffer, out.position, value))
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
