/**
 * Reads the logs of a block from its stored receipts without decoding the other fields.
 * @module
 */
import { NodeError } from '../primitives/errors.ts'
import { type RlpSpan, rlpSpan } from '../rlp/rlp.ts'
import type { Log } from './receipt.ts'

/** Number of fields before the logs in a stored receipt: type, outcome, gas used before and by it, bloom. */
const FIELDS_BEFORE_LOGS = 5

/**
 * Calls back with each log, in order; its bytes are views.
 * @param receipts as encoded by encodeStoredReceipts
 * @param logIndex index within the block
 * @throws {NodeError} INVALID_RECEIPT_ENCODING, INVALID_RLP
 */
export function forEachStoredLog(
  receipts: Uint8Array,
  visit: (log: Log, transactionIndex: number, logIndex: number) => void,
): void {
  const all = listAt(receipts, 0, receipts.length)
  let logIndex = 0
  for (let at = all.payload, transactionIndex = 0; at < all.end; transactionIndex++) {
    const receipt = listAt(receipts, at, all.end)
    let field = receipt.payload
    for (let i = 0; i < FIELDS_BEFORE_LOGS; i++) field = itemAt(receipts, field, receipt.end).end
    const logs = listAt(receipts, field, receipt.end)
    for (let log = logs.payload; log < logs.end; logIndex++) {
      const span = listAt(receipts, log, logs.end)
      visit(readLog(receipts, span), transactionIndex, logIndex)
      log = span.end
    }
    at = receipt.end
  }
}

function readLog(bytes: Uint8Array, { payload, end }: RlpSpan): Log {
  const address = itemAt(bytes, payload, end)
  const list = listAt(bytes, address.end, end)
  const data = itemAt(bytes, list.end, end)
  const topics: Uint8Array[] = []
  for (let at = list.payload; at < list.end; ) {
    const topic = itemAt(bytes, at, list.end)
    topics.push(bytes.subarray(topic.payload, topic.end))
    at = topic.end
  }
  return {
    address: bytes.subarray(address.payload, address.end),
    topics,
    data: bytes.subarray(data.payload, data.end),
  }
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
