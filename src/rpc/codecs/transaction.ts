/**
 * Transaction objects, mined and pending.
 * @see docs/reference/eth-objects.md sections 2 and 3; execution-apis TransactionInfo
 * @module
 */
import type { MinedTransaction, WaitingTransaction } from '../../api/viewTypes.ts'
import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import { effectiveGasPrice } from '../../chain/fees.ts'
import type { Authorization, Transaction } from '../../types/transaction.ts'
import type { Codec } from '../method.ts'
import { accessList } from './callObject.ts'
import { TRANSACTION_INFO } from './schemas.ts'
import { answerCodec } from './support.ts'

export interface PendingTransaction extends WaitingTransaction {
  /** 64 bytes */
  readonly publicKey: Uint8Array
  /** Network encoding. */
  readonly raw: Uint8Array
}

function authorizationJson(entry: Authorization): unknown {
  return {
    chainId: quantity(entry.chainId),
    address: bytesToHex(entry.address),
    nonce: quantity(entry.nonce),
    yParity: quantity(entry.yParity),
    r: quantity(entry.r),
    s: quantity(entry.s),
  }
}

export function serializeMinedTransaction(view: MinedTransaction): Record<string, unknown> {
  const { transaction } = view
  const { type } = transaction
  const json: Record<string, unknown> = {}
  if (type !== 0) json['accessList'] = accessList.serialize(transaction.accessList)
  if (type === 4) json['authorizationList'] = transaction.authorizationList.map(authorizationJson)
  json['blockHash'] = bytesToHex(view.blockHash)
  json['blockNumber'] = quantity(view.blockNumber)
  if (transaction.chainId !== undefined) json['chainId'] = quantity(transaction.chainId)
  json['from'] = bytesToHex(view.from)
  json['gas'] = quantity(transaction.gasLimit)
  json['gasPrice'] = quantity(effectiveGasPrice(transaction, view.baseFeePerGas))
  feeCaps(json, transaction)
  json['hash'] = bytesToHex(view.hash)
  json['input'] = bytesToHex(transaction.data)
  json['nonce'] = quantity(transaction.nonce)
  json['to'] = transaction.to === undefined ? null : bytesToHex(transaction.to)
  json['transactionIndex'] = quantity(view.index)
  json['type'] = quantity(type)
  json['value'] = quantity(transaction.value)
  signature(json, transaction)
  if (type === 3) json['blobVersionedHashes'] = transaction.blobVersionedHashes.map(bytesToHex)
  return json
}

function feeCaps(json: Record<string, unknown>, transaction: Transaction): void {
  if ('gasPrice' in transaction) return
  json['maxPriorityFeePerGas'] = quantity(transaction.maxPriorityFeePerGas)
  json['maxFeePerGas'] = quantity(transaction.maxFeePerGas)
  if (transaction.type === 3) json['maxFeePerBlobGas'] = quantity(transaction.maxFeePerBlobGas)
}

function signature(json: Record<string, unknown>, transaction: Transaction): void {
  if (transaction.type === 0) {
    json['v'] = quantity(transaction.v)
  } else {
    json['yParity'] = quantity(transaction.yParity)
    json['v'] = quantity(transaction.yParity)
  }
  json['r'] = quantity(transaction.r)
  json['s'] = quantity(transaction.s)
}

function waitingFields({ transaction, hash, from }: WaitingTransaction): Record<string, unknown> {
  const { type } = transaction
  const json: Record<string, unknown> = { blockHash: null, blockNumber: null }
  json['from'] = bytesToHex(from)
  json['gas'] = quantity(transaction.gasLimit)
  json['gasPrice'] = quantity('gasPrice' in transaction ? transaction.gasPrice : transaction.maxFeePerGas)
  feeCaps(json, transaction)
  json['hash'] = bytesToHex(hash)
  json['input'] = bytesToHex(transaction.data)
  json['nonce'] = quantity(transaction.nonce)
  json['to'] = transaction.to === undefined ? null : bytesToHex(transaction.to)
  json['transactionIndex'] = null
  json['value'] = quantity(transaction.value)
  signature(json, transaction)
  if (type === 3) json['blobVersionedHashes'] = transaction.blobVersionedHashes.map(bytesToHex)
  if (type !== 0) json['accessList'] = accessList.serialize(transaction.accessList)
  if (type === 4) json['authorizationList'] = transaction.authorizationList.map(authorizationJson)
  json['chainId'] = transaction.chainId === undefined ? null : quantity(transaction.chainId)
  return json
}

function serializePendingTransaction(view: PendingTransaction): Record<string, unknown> {
  const json = waitingFields(view)
  json['publicKey'] = bytesToHex(view.publicKey)
  json['raw'] = bytesToHex(view.raw)
  json['type'] = quantity(view.transaction.type)
  return json
}

/** Omits public key and encoding, as go-ethereum does for pool transactions. */
export function serializeWaitingTransaction(view: WaitingTransaction): Record<string, unknown> {
  return { ...waitingFields(view), type: quantity(view.transaction.type), blockTimestamp: null }
}

/**
 * The notification of a subscription to waiting transactions with details.
 * @see docs/reference/rpc-envelope.md section 11
 */
export function serializeTransactionDetail({ transaction, hash, from }: WaitingTransaction): Record<string, unknown> {
  const json: Record<string, unknown> = {
    from: bytesToHex(from),
    gas: quantity(transaction.gasLimit),
    gasPrice: 'gasPrice' in transaction ? quantity(transaction.gasPrice) : null,
    hash: bytesToHex(hash),
    input: bytesToHex(transaction.data),
    nonce: quantity(transaction.nonce),
    to: transaction.to === undefined ? null : bytesToHex(transaction.to),
    value: quantity(transaction.value),
  }
  json['v'] = quantity(transaction.type === 0 ? transaction.v : transaction.yParity)
  json['r'] = quantity(transaction.r)
  json['s'] = quantity(transaction.s)
  return json
}

export const minedTransaction: Codec<MinedTransaction> = answerCodec(TRANSACTION_INFO, serializeMinedTransaction)

/** A mined transaction, or one in the pool. */
export const transactionInfo: Codec<MinedTransaction | PendingTransaction> = answerCodec(TRANSACTION_INFO, (view) =>
  'blockHash' in view ? serializeMinedTransaction(view) : serializePendingTransaction(view),
)
