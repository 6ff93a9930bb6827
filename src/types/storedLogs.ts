/**
 * Walks the logs of a block in its stored receipts without decoding them: a log is a set of offsets.
 * @module
 */
import { NodeError } from '../base/primitives/errors.ts'
import { type RlpSpan, rlpSpan } from '../base/primitives/rlp.ts'
import { type Log, MAX_LOG_TOPICS } from './receipt.ts'

/** Number of fields before the logs in a stored receipt: type, outcome, gas used before and by it, bloom. */
const FIELDS_BEFORE_LOGS = 5
const ADDRESS_PREFIX = 0x94
const ADDRESS_BYTES = 20
const TOPIC_PREFIX = 0xa0
const TOPIC_BYTES = 32
const EMPTY_LIST = 0xc0
/** Prefix of a list of one topic. */
const ONE_TOPIC = 0xe1
/** Prefix of a list whose length follows in one byte. */
const LONG_LIST = 0xf8

/** Distance between the topics of a log. */
export const TOPIC_STRIDE: number = 1 + TOPIC_BYTES

/** Offsets of a log in the stored receipts. */
export interface LogLocation {
  readonly bytes: Uint8Array
  /** Index of the transaction within the block. */
  readonly transactionIndex: number
  /** Index within the block. */
  readonly logIndex: number
  /** Offset of the 20 bytes of the address. */
  readonly address: number
  readonly topicCount: number
  /** Offset of the 32 bytes of the first topic; the others follow at TOPIC_STRIDE. */
  readonly topics: number
  /** Offset of the data. */
  readonly data: number
  /** Offset after the data. */
  readonly dataEnd: number
}

/** Moves over the logs in order. */
export class StoredLogWalk implements LogLocation {
  readonly bytes: Uint8Array
  transactionIndex = -1
  logIndex = -1
  address = 0
  topicCount = 0
  topics = 0
  /** Valid after {@link locateData}. */
  data = 0
  /** Offset after the log, which ends with its data. */
  dataEnd = 0
  #logsEnd = 0
  #receiptEnd: number
  readonly #end: number

  /**
   * @param receipts as encoded by encodeStoredReceipts
   * @throws {NodeError} INVALID_RECEIPT_ENCODING, INVALID_RLP
   */
  constructor(receipts: Uint8Array) {
    const { payload, end } = listAt(receipts, 0, receipts.length)
    this.bytes = receipts
    this.#receiptEnd = payload
    this.#end = end
  }

  /**
   * Moves to the next log and finds its address and topics.
   * @returns false when there is none
   * @throws {NodeError} INVALID_RECEIPT_ENCODING, INVALID_RLP
   */
  next(): boolean {
    while (this.dataEnd >= this.#logsEnd) {
      if (this.#receiptEnd >= this.#end) return false
      this.#openReceipt()
    }
    const { bytes } = this
    const payload = this.#openLog(this.dataEnd)
    const at = payload + 1 + ADDRESS_BYTES
    const count = topicCountAt(bytes, at)
    if (bytes[payload] !== ADDRESS_PREFIX || count === undefined) throw damaged()
    this.address = payload + 1
    this.topicCount = count
    this.topics = at + (count > 1 ? 3 : 2)
    this.logIndex++
    return true
  }

  /**
   * Finds the data of the current log.
   * @throws {NodeError} INVALID_RECEIPT_ENCODING, INVALID_RLP
   */
  locateData(): void {
    const { bytes, topicCount, topics, dataEnd } = this
    let at = topics - 1
    for (let i = 0; i < topicCount; i++, at += TOPIC_STRIDE) if (bytes[at] !== TOPIC_PREFIX) throw damaged()
    const { isList, payload, end } = itemAt(bytes, at, dataEnd)
    if (isList || end !== dataEnd) throw damaged()
    this.data = payload
  }

  /** Reads the prefix of a log without an object. @returns offset of its payload */
  #openLog(at: number): number {
    const { bytes } = this
    const first = bytes[at] as number
    if (first === LONG_LIST) return this.#opened(at + 2, at + 2 + (bytes[at + 1] as number))
    if (first === LONG_LIST + 1) {
      return this.#opened(at + 3, at + 3 + ((bytes[at + 1] as number) << 8) + (bytes[at + 2] as number))
    }
    const { payload, end } = listAt(bytes, at, this.#logsEnd)
    return this.#opened(payload, end)
  }

  #opened(payload: number, end: number): number {
    if (end > this.#logsEnd) throw damaged()
    this.dataEnd = end
    return payload
  }

  #openReceipt(): void {
    const { bytes } = this
    const receipt = listAt(bytes, this.#receiptEnd, this.#end)
    let field = receipt.payload
    for (let i = 0; i < FIELDS_BEFORE_LOGS; i++) field = itemAt(bytes, field, receipt.end).end
    const logs = listAt(bytes, field, receipt.end)
    this.dataEnd = logs.payload
    this.#logsEnd = logs.end
    this.#receiptEnd = receipt.end
    this.transactionIndex++
  }
}

/** Number of items in a list of topics; undefined for anything else. */
function topicCountAt(bytes: Uint8Array, at: number): number | undefined {
  const first = bytes[at] as number
  if (first !== LONG_LIST) return first === EMPTY_LIST ? 0 : first === ONE_TOPIC ? 1 : undefined
  const length = bytes[at + 1] as number
  for (let count = 2; count <= MAX_LOG_TOPICS; count++) if (length === count * TOPIC_STRIDE) return count
  return undefined
}

/** Decodes a log whose data was located; its bytes are views of the receipts. */
export function logAt({ bytes, address, topicCount, topics: first, data, dataEnd }: LogLocation): Log {
  const topics: Uint8Array[] = []
  for (let i = 0, at = first; i < topicCount; i++, at += TOPIC_STRIDE) topics.push(bytes.subarray(at, at + TOPIC_BYTES))
  return { address: bytes.subarray(address, address + ADDRESS_BYTES), topics, data: bytes.subarray(data, dataEnd) }
}

function listAt(bytes: Uint8Array, offset: number, limit: number): RlpSpan {
  const span = itemAt(bytes, offset, limit)
  if (!span.isList) throw damaged()
  return span
}

function itemAt(bytes: Uint8Array, offset: number, limit: number): RlpSpan {
  if (offset >= limit) throw damaged()
  const span = rlpSpan(bytes, offset)
  if (span.end > limit) throw damaged()
  return span
}

function damaged(): NodeError<{ code: 'INVALID_RECEIPT_ENCODING' }> {
  return new NodeError({ code: 'INVALID_RECEIPT_ENCODING' }, 'invalid stored receipt: its items do not fit')
}
