/**
 * Canonical (EIP-2718) encoding, hashes and sender of transactions.
 *
 * A decoded transaction keeps no copy of its encoding, because `{ ...transaction, nonce }` would carry a stale one. The
 * encodings of a block's transactions are read from its RLP with `splitBlock` (types/blockCodec.ts): strict decoding
 * accepts only one encoding.
 * @module
 */
import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { type ReverseRlp, reverseRlp } from '../base/primitives/reverseRlp.ts'
import type { DecodedItem } from '../base/primitives/rlp.ts'
import { publicKeyToAddress, recoverPublicKey } from '../base/primitives/secp256k1.ts'
import { decodeAuthorizationFields, writeAuthorization } from './authorization.ts'
import { decodeItem, type EncodedKind, encodingError, FieldReader } from './fieldReader.ts'
import { packSignature } from './signature.ts'
import type {
  AccessList,
  AccessListTransaction,
  Authorization,
  BlobTransaction,
  FeeMarketTransaction,
  LegacyTransaction,
  SetCodeTransaction,
  Transaction,
} from './transaction.ts'

export const TRANSACTION: EncodedKind = { code: 'INVALID_TRANSACTION_ENCODING', name: 'transaction' }

/** First byte of an RLP list: a legacy transaction. */
const LIST_PREFIX = 0xc0

/** The hash that a sender signed, and the signature. */
export interface TransactionSignature {
  /** 32 bytes */
  readonly hash: Uint8Array
  /** r ‖ s, 64 bytes */
  readonly signature: Uint8Array
  readonly yParity: 0 | 1
}

/** EIP-2718: the RLP list of a legacy transaction, `type ‖ RLP list` of any other. */
export function encodeTransaction(transaction: Transaction): Uint8Array {
  return written(transaction).copy()
}

/** Like {@link encodeTransaction}, as a view that is valid until something else is encoded. */
export function transactionView(transaction: Transaction): Uint8Array {
  return written(transaction).view()
}

export function transactionHash(transaction: Transaction): Uint8Array {
  return keccak256(transactionView(transaction))
}

/** The hash that the sender signs, 32 bytes. */
export function signingHash(transaction: Transaction): Uint8Array {
  const out = reverseRlp.begin()
  if (transaction.type === 0 && transaction.chainId !== undefined) {
    out.number(0)
    out.number(0)
    out.scalar(transaction.chainId)
  }
  return keccak256(envelope(transaction, out).view())
}

export function signatureOf(transaction: Transaction): TransactionSignature {
  const { r, s } = transaction
  return { hash: signingHash(transaction), signature: packSignature(r, s), yParity: parityOf(transaction) }
}

/** Public key of the sender, 64 bytes; undefined when the signature is not valid. */
export function transactionPublicKey(transaction: Transaction): Uint8Array | undefined {
  const { hash, signature, yParity } = signatureOf(transaction)
  return recoverPublicKey(hash, signature, yParity)
}

/** Address of the sender, 20 bytes; undefined when the signature is not valid. */
export function transactionSender(transaction: Transaction): Uint8Array | undefined {
  const publicKey = transactionPublicKey(transaction)
  return publicKey === undefined ? undefined : publicKeyToAddress(publicKey)
}

/**
 * @param bytes canonical EIP-2718 encoding
 * @throws {NodeError} INVALID_TRANSACTION_ENCODING, UNSUPPORTED_TRANSACTION_TYPE
 */
export function decodeTransaction(bytes: Uint8Array): Transaction {
  const first = bytes[0]
  if (first === undefined) throw encodingError(TRANSACTION, 'it is empty')
  if (first >= LIST_PREFIX) return decodeLegacy(new FieldReader(decodeItem(TRANSACTION, bytes), TRANSACTION))
  if (first >= 0x80) throw encodingError(TRANSACTION, 'it is neither a list nor a typed transaction')
  return decodeTyped(transactionType(first), bytes)
}

/**
 * @param item a transaction item of a block body
 * @throws {NodeError} INVALID_TRANSACTION_ENCODING, UNSUPPORTED_TRANSACTION_TYPE
 */
export function decodeTransactionItem(item: DecodedItem): Transaction {
  if (!(item instanceof Uint8Array)) return decodeLegacy(new FieldReader(item, TRANSACTION))
  const first = item[0]
  if (first === undefined || first >= 0x80) throw encodingError(TRANSACTION, 'a byte string that has no type')
  return decodeTyped(transactionType(first), item)
}

function transactionType(byte: number): 1 | 2 | 3 | 4 {
  if (byte === 1 || byte === 2 || byte === 3 || byte === 4) return byte
  throw new NodeError({ code: 'UNSUPPORTED_TRANSACTION_TYPE', type: byte }, 'transaction type not supported')
}

function written(transaction: Transaction): ReverseRlp {
  const out = reverseRlp.begin()
  out.scalar(transaction.s)
  out.scalar(transaction.r)
  out.scalar(transaction.type === 0 ? transaction.v : transaction.yParity)
  return envelope(transaction, out)
}

/** Writes the transaction in front of its signature. */
function envelope(transaction: Transaction, out: ReverseRlp): ReverseRlp {
  if (transaction.type === 4) writeAuthorizations(transaction.authorizationList, out)
  if (transaction.type === 3) {
    out.strings(transaction.blobVersionedHashes)
    out.scalar(transaction.maxFeePerBlobGas)
  }
  if (transaction.type !== 0) writeAccessList(transaction.accessList, out)
  out.string(transaction.data)
  out.scalar(transaction.value)
  out.string(transaction.to ?? EMPTY_BYTES)
  out.scalar(transaction.gasLimit)
  if (transaction.type < 2) out.scalar((transaction as LegacyTransaction | AccessListTransaction).gasPrice)
  else {
    const { maxFeePerGas, maxPriorityFeePerGas } = transaction as FeeMarketTransaction
    out.scalar(maxFeePerGas)
    out.scalar(maxPriorityFeePerGas)
  }
  out.scalar(transaction.nonce)
  if (transaction.type !== 0) out.scalar(transaction.chainId)
  out.list(0)
  if (transaction.type !== 0) out.byte(transaction.type)
  return out
}

function writeAccessList(accessList: AccessList, out: ReverseRlp): void {
  const end = out.length
  for (let i = accessList.length - 1; i >= 0; i--) {
    const { address, storageKeys } = accessList[i] as AccessList[number]
    const entryEnd = out.length
    out.strings(storageKeys)
    out.string(address)
    out.list(entryEnd)
  }
  out.list(end)
}

function writeAuthorizations(authorizations: readonly Authorization[], out: ReverseRlp): void {
  const end = out.length
  for (let i = authorizations.length - 1; i >= 0; i--) writeAuthorization(authorizations[i] as Authorization, out)
  out.list(end)
}

function parityOf(transaction: Transaction): 0 | 1 {
  if (transaction.type !== 0) return transaction.yParity === 1n ? 1 : 0
  const { v, chainId } = transaction
  return v - (chainId === undefined ? 27n : 35n + 2n * chainId) === 1n ? 1 : 0
}

function decodeLegacy(fields: FieldReader): LegacyTransaction {
  const nonce = fields.scalar('nonce', 8)
  const gasPrice = fields.scalar('gasPrice', 32)
  const gasLimit = fields.scalar('gasLimit', 8)
  const to = fields.optionalFixed('to', 20)
  const value = fields.scalar('value', 32)
  const data = fields.bytes('data')
  const v = fields.scalar('v', 32)
  if (v < 35n && v !== 27n && v !== 28n) throw fields.invalid(`v is ${v}`)
  const chainId = v < 35n ? undefined : (v - 35n) >> 1n
  const r = fields.scalar('r', 32)
  const s = fields.scalar('s', 32)
  fields.end()
  return { type: 0, nonce, gasPrice, gasLimit, to, value, data, v, chainId, r, s }
}

function decodeTyped(type: 1 | 2 | 3 | 4, bytes: Uint8Array): Transaction {
  const fields = new FieldReader(decodeItem(TRANSACTION, bytes.subarray(1)), TRANSACTION)
  return decodeTypedFields(type, fields)
}

/** @throws {NodeError} INVALID_TRANSACTION_ENCODING */
export function decodeTypedFields(type: 1 | 2 | 3 | 4, fields: FieldReader): Transaction {
  if (type === 1) return decodeAccessListTransaction(fields)
  if (type === 2) return decodeFeeMarketTransaction(fields)
  return type === 3 ? decodeBlobTransaction(fields) : decodeSetCodeTransaction(fields)
}

function decodeAccessListTransaction(fields: FieldReader): AccessListTransaction {
  const chainId = fields.scalar('chainId', 32)
  const nonce = fields.scalar('nonce', 8)
  const gasPrice = fields.scalar('gasPrice', 32)
  const { gasLimit, to, value, data, accessList } = decodeCommonFields(fields)
  const { yParity, r, s } = decodeSignature(fields)
  return { type: 1, chainId, nonce, gasPrice, gasLimit, to, value, data, accessList, yParity, r, s }
}

function decodeFeeMarketTransaction(fields: FieldReader): FeeMarketTransaction {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas } = decodeFeeFields(fields)
  const { gasLimit, to, value, data, accessList } = decodeCommonFields(fields)
  const { yParity, r, s } = decodeSignature(fields)
  return {
    type: 2,
    chainId,
    nonce,
    maxPriorityFeePerGas,
    maxFeePerGas,
    gasLimit,
    to,
    value,
    data,
    accessList,
    yParity,
    r,
    s,
  }
}

function decodeBlobTransaction(fields: FieldReader): BlobTransaction {
  const fees = decodeFeeFields(fields)
  const common = decodeCommonFields(fields)
  const to = requireTo(fields, common.to)
  const maxFeePerBlobGas = fields.scalar('maxFeePerBlobGas', 32)
  const blobVersionedHashes = decodeFixedList(fields.nested('blobVersionedHashes'), 'blobVersionedHash', 32)
  return { type: 3, ...fees, ...common, to, maxFeePerBlobGas, blobVersionedHashes, ...decodeSignature(fields) }
}

function decodeSetCodeTransaction(fields: FieldReader): SetCodeTransaction {
  const fees = decodeFeeFields(fields)
  const common = decodeCommonFields(fields)
  const to = requireTo(fields, common.to)
  const authorizations = fields.nested('authorizationList')
  const authorizationList: Authorization[] = []
  while (authorizations.remaining > 0) {
    authorizationList.push(decodeAuthorizationFields(authorizations.nested('authorization')))
  }
  return { type: 4, ...fees, ...common, to, authorizationList, ...decodeSignature(fields) }
}

function decodeFeeFields(
  fields: FieldReader,
): Pick<FeeMarketTransaction, 'chainId' | 'nonce' | 'maxPriorityFeePerGas' | 'maxFeePerGas'> {
  return {
    chainId: fields.scalar('chainId', 32),
    nonce: fields.scalar('nonce', 8),
    maxPriorityFeePerGas: fields.scalar('maxPriorityFeePerGas', 32),
    maxFeePerGas: fields.scalar('maxFeePerGas', 32),
  }
}

function decodeCommonFields(
  fields: FieldReader,
): Pick<FeeMarketTransaction, 'gasLimit' | 'to' | 'value' | 'data' | 'accessList'> {
  return {
    gasLimit: fields.scalar('gasLimit', 8),
    to: fields.optionalFixed('to', 20),
    value: fields.scalar('value', 32),
    data: fields.bytes('data'),
    accessList: decodeAccessList(fields.nested('accessList')),
  }
}

function decodeAccessList(items: FieldReader): AccessList {
  const accessList: AccessList[number][] = []
  while (items.remaining > 0) {
    const entry = items.nested('accessList entry')
    const address = entry.fixed('accessList address', 20)
    const storageKeys = decodeFixedList(entry.nested('accessList storageKeys'), 'accessList storageKey', 32)
    entry.end()
    accessList.push({ address, storageKeys })
  }
  return accessList
}

/** All items of a list, each of the same length. */
export function decodeFixedList(items: FieldReader, field: string, length: number): Uint8Array[] {
  const values: Uint8Array[] = []
  while (items.remaining > 0) values.push(items.fixed(field, length))
  return values
}

function decodeSignature(fields: FieldReader): Pick<FeeMarketTransaction, 'yParity' | 'r' | 's'> {
  const yParity = fields.scalar('yParity', 1)
  if (yParity > 1n) throw fields.invalid(`yParity is ${yParity}`)
  const signature = { yParity, r: fields.scalar('r', 32), s: fields.scalar('s', 32) }
  fields.end()
  return signature
}

function requireTo(fields: FieldReader, to: Uint8Array | undefined): Uint8Array {
  if (to === undefined) throw fields.invalid('to is missing')
  return to
}
