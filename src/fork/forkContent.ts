/**
 * Bodies and receipts of a remote, checked against the header.
 * @module
 */
import { bytesToHex, equalBytes, quantity } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { rlpDecode, rlpEncode, rlpListLength, rlpSpan } from '../base/primitives/rlp.ts'
import { encodeTransactionKeys } from '../chain/blockRecord.ts'
import { bodyRoots, checkRoots } from '../chain/validation/bodyRules.ts'
import { orderedTrieRoot } from '../trie/orderedRoot.ts'
import { createAddress } from '../types/address.ts'
import type { BlockBody, Header } from '../types/block.ts'
import { decodeBody, encodeBody, splitBody } from '../types/blockCodec.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { encodeReceipt } from '../types/receiptCodec.ts'
import type { Transaction } from '../types/transaction.ts'
import { transactionHash, transactionSender } from '../types/transactionCodec.ts'
import { isKnownType, readReceipt, readTransaction, readTransactions, readType, readWithdrawals } from './blockJson.ts'
import { contradictedAnswer, malformedAnswer } from './errors.ts'
import type { ForkHeader } from './forkBlock.ts'
import { RemoteObject, readList } from './remoteObject.ts'

/** Database values of a block. */
export interface ForkBody {
  /** RLP of the body */
  readonly rlp: Uint8Array
  /** In the format of encodeTransactionKeys */
  readonly transactionKeys: Uint8Array
}

/** A body that this node cannot encode, and why. */
export interface ForeignBody {
  /** Such as `transactions of type 0x7e` */
  readonly reason: string
}

export function isForeign(body: ForkBody | ForeignBody): body is ForeignBody {
  return 'reason' in body
}

/**
 * @param value a block with whole transactions
 * @param ommers of the block
 * @param checks whether the body must be the one that the header names
 * @throws {NodeError} PROOF_INVALID
 */
export function readBody(
  value: unknown,
  block: ForkHeader,
  ommers: readonly Header[],
  checks: boolean,
): ForkBody | ForeignBody {
  const datum = `block ${block.number}`
  const json = new RemoteObject(value, datum)
  const transactions: Transaction[] = []
  const items = readTransactions(json)
  for (const item of items) {
    const type = readType(item)
    if (!isKnownType(type)) return { reason: `transactions of type ${quantity(type)}` }
    if (isUnsigned(item)) return { reason: 'transactions without a signature' }
    transactions.push(readTransaction(item, type))
  }
  const withdrawals = readWithdrawals(json)
  const body: BlockBody = withdrawals === undefined ? { transactions, ommers } : { transactions, ommers, withdrawals }
  const rlp = encodeBody(body)
  const fault = checks ? checkRoots(bodyRoots(splitBody(rlp, Number.POSITIVE_INFINITY)), block.header) : undefined
  if (fault !== undefined) throw contradictedAnswer(datum, fault)
  return { rlp, transactionKeys: transactionKeysOf(transactions, items, checks) }
}

/** Transactions that a chain itself adds have no sender who signed them. */
function isUnsigned(json: RemoteObject): boolean {
  return !json.has('r') || !json.has('s') || (json.uint('r', 256) === 0n && json.uint('s', 256) === 0n)
}

function transactionKeysOf(
  transactions: readonly Transaction[],
  json: readonly RemoteObject[],
  checks: boolean,
): Uint8Array {
  const hashes = transactions.map(transactionHash)
  const senders = transactions.map((transaction, i) => {
    const item = json[i] as RemoteObject
    const sender = transactionSender(transaction)
    if (sender === undefined) throw contradictedAnswer(item.datum('r'), 'the signature has no sender')
    if (checks) {
      requireSame(item, 'from', sender)
      requireSame(item, 'hash', hashes[i] as Uint8Array)
    }
    return sender
  })
  return encodeTransactionKeys({ senders, hashes })
}

function requireSame(json: RemoteObject, name: string, actual: Uint8Array): void {
  const claimed = json.bytes(name, actual.length)
  if (equalBytes(claimed, actual)) return
  throw contradictedAnswer(json.datum(name), `it is ${bytesToHex(actual)}, not ${bytesToHex(claimed)}`)
}

/**
 * @param value a list of the block's receipts
 * @param senders one per transaction
 * @throws {NodeError} PROOF_INVALID
 */
export function readReceipts(
  value: unknown,
  block: ForkHeader,
  transactions: readonly Transaction[],
  senders: readonly Uint8Array[],
  checks: boolean,
): StoredReceipt[] {
  const datum = `receipts of block ${block.number}`
  const items = readList(value, datum, transactions.length)
  if (items.length !== transactions.length) {
    throw malformedAnswer(datum, `a list of ${transactions.length} items`, value)
  }
  let previousGas = 0n
  const receipts = items.map((item, i) => {
    const json = new RemoteObject(item, `${datum}[${i}]`)
    const transaction = transactions[i] as Transaction
    const { contractAddress: _, revertReason, ...receipt } = readReceipt(json, transaction.type)
    const gasUsed = receipt.cumulativeGasUsed - previousGas
    previousGas = receipt.cumulativeGasUsed
    if (checks && receipt.gasUsed !== gasUsed) {
      throw contradictedAnswer(json.datum('gasUsed'), `it is ${gasUsed}, not ${receipt.gasUsed}`)
    }
    const created = transaction.to === undefined && createAddress(senders[i] as Uint8Array, transaction.nonce)
    return {
      ...receipt,
      ...(created === false ? {} : { contractAddress: created }),
      ...(revertReason === undefined ? {} : { revertReason }),
    }
  })
  if (checks) requireRoot(datum, receipts, block.header)
  return receipts
}

function requireRoot(datum: string, receipts: readonly StoredReceipt[], { receiptsRoot }: Header): void {
  const root = orderedTrieRoot(receipts.map(encodeReceipt))
  if (equalBytes(root, receiptsRoot)) return
  throw contradictedAnswer(datum, `their root is ${bytesToHex(root)}, not ${bytesToHex(receiptsRoot)}`)
}

/** Without transactions there are neither receipts nor senders. */
export function hasTransactions({ header }: ForkHeader): boolean {
  return !equalBytes(header.transactionsRoot, EMPTY_TRIE_ROOT)
}

/** Length of the block's RLP. */
export function sizeOf({ header }: ForkHeader, { rlp }: ForkBody): number {
  return rlpListLength(encodeHeader(header).length + rlp.length - rlpSpan(rlp, 0).payload)
}

/** Value of `body` in a cache. */
export function encodeForkBody({ rlp, transactionKeys }: ForkBody): Uint8Array {
  return rlpEncode([rlp, transactionKeys])
}

export function decodeForkBody(value: Uint8Array): ForkBody {
  const [rlp, transactionKeys] = rlpDecode(value) as [Uint8Array, Uint8Array]
  return { rlp, transactionKeys }
}

export function transactionsOf({ rlp }: ForkBody): readonly Transaction[] {
  return decodeBody(rlp).transactions
}
