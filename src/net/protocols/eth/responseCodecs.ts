/**
 * Responses.
 * @see devp2p caps/eth.md
 * @module
 */
import { MAX_SERVED_HEADERS } from '../../../base/limits/limits.ts'
import { rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import { decodePeerHeader } from '../../../types/peerHeader.ts'
import { ItemBudget, WireReader } from '../../../types/wireReader.ts'
import { type BodyCodec, ETH_MESSAGE, encodeStrings } from './bodyCodec.ts'
import type { EncodedHeader } from './messages.ts'
import { readTransactions, transactionList } from './transactionItems.ts'

/** [header…] */
export const blockHeadersCodec: BodyCodec<'blockHeaders'> = {
  encode: ({ headers }) => rlpListOfEncoded(headers.map(({ encoding }) => encoding)),
  decode(fields, _version, maxItems = MAX_SERVED_HEADERS) {
    const budget = new ItemBudget(ETH_MESSAGE)
    return { headers: fields.all('headers', (items) => readHeader(items, budget), maxItems) }
  },
}

export function readHeader(fields: WireReader, budget: ItemBudget): EncodedHeader {
  const encoding = fields.item('header')
  return { encoding, header: decodePeerHeader(encoding, ETH_MESSAGE, budget) }
}

/** [[transactions, ommers, withdrawals since Shanghai]…] */
export const blockBodiesCodec: BodyCodec<'blockBodies'> = {
  encode: ({ bodies }) => rlpListOfEncoded(bodies),
  decode: (fields, _version, maxItems) => ({ bodies: fields.all('bodies', readBody, maxItems) }),
}

function readBody(fields: WireReader): Uint8Array {
  const body = fields.item('body')
  checkBodyLists(new WireReader(body, ETH_MESSAGE))
  return body
}

/** Checks that two or three lists follow. */
export function checkBodyLists(fields: WireReader): void {
  fields.list('transactions')
  fields.list('ommers')
  if (!fields.isAtEnd) fields.list('withdrawals')
  fields.end()
}

export const pooledTransactionsCodec: BodyCodec<'pooledTransactions'> = {
  encode: ({ transactions }) => transactionList(transactions.map(({ encoding }) => encoding)),
  decode: (fields, _version, maxItems) => ({ transactions: readTransactions(fields, maxItems) }),
}

/** [node or code…] */
export const nodeDataCodec: BodyCodec<'nodeData'> = {
  encode: ({ values }) => encodeStrings(values),
  decode: (fields, _version, maxItems) => ({
    values: fields.all('values', (items) => items.bytes('value'), maxItems),
  }),
}

/** [[receipt…]…] */
export const receiptsCodec: BodyCodec<'receipts'> = {
  encode: ({ blocks }) => rlpListOfEncoded(blocks),
  decode: (fields, _version, maxItems) => ({ blocks: fields.all('blocks', readReceiptList, maxItems) }),
}

function readReceiptList(fields: WireReader): Uint8Array {
  const receipts = fields.item('receipts')
  if ((receipts[0] as number) < 0xc0) throw fields.invalid('receipts are not a list')
  return receipts
}
