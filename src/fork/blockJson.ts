/**
 * Blocks, transactions and receipts from the JSON of other nodes.
 * @see execution-apis Block, TransactionInfo, ReceiptInfo
 * @module
 */
import type { Header, HeaderDraft, Withdrawal } from '../types/block.ts'
import { type Log, MAX_LOG_TOPICS, type StoredReceipt } from '../types/receipt.ts'
import type { AccessListItem, Authorization, Transaction } from '../types/transaction.ts'
import { malformedAnswer } from './errors.ts'
import { RemoteObject, readBytes } from './remoteObject.ts'

/** More transactions, withdrawals, logs or list entries than this are no block. */
const MAX_ITEMS = 1_000_000
const MAX_TYPE = 0x7fn
const BLOOM_BYTES = 256

export function readHeader(json: RemoteObject): Header {
  const header: HeaderDraft = {
    parentHash: json.bytes('parentHash', 32),
    ommersHash: json.bytes('sha3Uncles', 32),
    beneficiary: json.bytes('miner', 20),
    stateRoot: json.bytes('stateRoot', 32),
    transactionsRoot: json.bytes('transactionsRoot', 32),
    receiptsRoot: json.bytes('receiptsRoot', 32),
    logsBloom: json.bytes('logsBloom', BLOOM_BYTES),
    difficulty: json.has('difficulty') ? json.uint('difficulty', 256) : 0n,
    number: BigInt(json.number('number')),
    gasLimit: json.uint('gasLimit', 64),
    gasUsed: json.uint('gasUsed', 64),
    timestamp: json.uint('timestamp', 64),
    extraData: json.bytes('extraData'),
    mixHash: json.has('mixHash') ? json.bytes('mixHash', 32) : new Uint8Array(32),
    nonce: json.has('nonce') ? json.bytes('nonce', 8) : new Uint8Array(8),
  }
  if (json.has('baseFeePerGas')) header.baseFeePerGas = json.uint('baseFeePerGas', 256)
  if (json.has('withdrawalsRoot')) header.withdrawalsRoot = json.bytes('withdrawalsRoot', 32)
  if (json.has('blobGasUsed')) header.blobGasUsed = json.uint('blobGasUsed', 64)
  if (json.has('excessBlobGas')) header.excessBlobGas = json.uint('excessBlobGas', 64)
  if (json.has('parentBeaconBlockRoot')) header.parentBeaconBlockRoot = json.bytes('parentBeaconBlockRoot', 32)
  if (json.has('requestsHash')) header.requestsHash = json.bytes('requestsHash', 32)
  return header
}

/** Of a block with whole transactions. */
export function readTransactions(json: RemoteObject): RemoteObject[] {
  return json.list('transactions', MAX_ITEMS, (item, datum) => new RemoteObject(item, datum))
}

/** Of a block with the hashes of its transactions. */
export function readOmmerHashes(json: RemoteObject): Uint8Array[] {
  return json.has('uncles') ? json.list('uncles', MAX_ITEMS, (item, datum) => readBytes(item, datum, 32)) : []
}

export function readWithdrawals(json: RemoteObject): Withdrawal[] | undefined {
  if (!json.has('withdrawals')) return undefined
  return json.list('withdrawals', MAX_ITEMS, (item, datum) => {
    const withdrawal = new RemoteObject(item, datum)
    return {
      index: withdrawal.uint('index', 64),
      validatorIndex: withdrawal.uint('validatorIndex', 64),
      address: withdrawal.bytes('address', 20),
      amount: withdrawal.uint('amount', 64),
    }
  })
}

/** EIP-2718; 0 for an answer of a node from before it. */
export function readType(json: RemoteObject): number {
  if (!json.has('type')) return 0
  const type = json.uint('type', 64)
  if (type > MAX_TYPE) throw malformedAnswer(json.datum('type'), 'a transaction type', json.raw('type'))
  return Number(type)
}

/** Types whose encoding this node knows. */
export function isKnownType(type: number): type is Transaction['type'] {
  return type <= 4
}

/** @param type a known one */
export function readTransaction(json: RemoteObject, type: Transaction['type']): Transaction {
  const common = {
    nonce: json.uint('nonce', 64),
    gasLimit: json.uint('gas', 64),
    value: json.uint('value', 256),
    data: json.bytes('input'),
    r: json.uint('r', 256),
    s: json.uint('s', 256),
  }
  const to = json.has('to') ? json.bytes('to', 20) : undefined
  if (type === 0) {
    const v = json.uint('v', 256)
    return { type, ...common, to, gasPrice: json.uint('gasPrice', 256), v, chainId: chainIdOf(v) }
  }
  const typed = {
    ...common,
    chainId: json.uint('chainId', 256),
    accessList: readAccessList(json),
    yParity: json.uint(json.has('yParity') ? 'yParity' : 'v', 64),
  }
  if (type === 1) return { type, ...typed, to, gasPrice: json.uint('gasPrice', 256) }
  const fees = {
    maxPriorityFeePerGas: json.uint('maxPriorityFeePerGas', 256),
    maxFeePerGas: json.uint('maxFeePerGas', 256),
  }
  if (type === 2) return { type, ...typed, to, ...fees }
  if (to === undefined) throw malformedAnswer(json.datum('to'), '20 bytes in hex', undefined)
  if (type === 4) return { type, ...typed, to, ...fees, authorizationList: readAuthorizations(json) }
  return {
    type,
    ...typed,
    to,
    ...fees,
    maxFeePerBlobGas: json.uint('maxFeePerBlobGas', 256),
    blobVersionedHashes: json.list('blobVersionedHashes', MAX_ITEMS, (hash, datum) => readBytes(hash, datum, 32)),
  }
}

/** EIP-155 */
function chainIdOf(v: bigint): bigint | undefined {
  return v < 35n ? undefined : (v - 35n) >> 1n
}

/** The member `accessList`. */
export function readAccessList(json: RemoteObject): AccessListItem[] {
  return json.list('accessList', MAX_ITEMS, (item, datum) => {
    const entry = new RemoteObject(item, datum)
    return {
      address: entry.bytes('address', 20),
      storageKeys: entry.list('storageKeys', MAX_ITEMS, (key, at) => readBytes(key, at, 32)),
    }
  })
}

function readAuthorizations(json: RemoteObject): Authorization[] {
  return json.list('authorizationList', MAX_ITEMS, (item, datum) => {
    const entry = new RemoteObject(item, datum)
    return {
      chainId: entry.uint('chainId', 256),
      address: entry.bytes('address', 20),
      nonce: entry.uint('nonce', 64),
      yParity: entry.uint(entry.has('yParity') ? 'yParity' : 'v', 64),
      r: entry.uint('r', 256),
      s: entry.uint('s', 256),
    }
  })
}

/** @param type of the transaction */
export function readReceipt(json: RemoteObject, type: Transaction['type']): StoredReceipt {
  const outcome = json.has('root') ? { postState: json.bytes('root', 32) } : { status: json.uint('status', 64) === 1n }
  return {
    type,
    ...outcome,
    cumulativeGasUsed: json.uint('cumulativeGasUsed', 64),
    gasUsed: json.uint('gasUsed', 64),
    logsBloom: json.bytes('logsBloom', BLOOM_BYTES),
    logs: json.list('logs', MAX_ITEMS, readLog),
    ...(json.has('contractAddress') ? { contractAddress: json.bytes('contractAddress', 20) } : {}),
    ...(json.has('revertReason') ? { revertReason: json.bytes('revertReason') } : {}),
  }
}

export function readLog(value: unknown, datum: string): Log {
  const json = new RemoteObject(value, datum)
  return {
    address: json.bytes('address', 20),
    topics: json.list('topics', MAX_LOG_TOPICS, (topic, at) => readBytes(topic, at, 32)),
    data: json.bytes('data'),
  }
}
