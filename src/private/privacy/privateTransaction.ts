/**
 * Private transactions: encoding, signing hash and sender.
 * @module
 */
import { toBase64 } from '../../base/primitives/base64.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { type DecodedItem, type RlpItem, rlpDecode, rlpEncode } from '../../base/primitives/rlp.ts'
import { recoverAddress } from '../../base/primitives/secp256k1.ts'
import { type EncodedKind, FieldReader } from '../../types/fieldReader.ts'
import { packSignature } from '../../types/signature.ts'
import { legacyGroupId } from './groups.ts'

/** The members of the transaction's group: keys of a legacy group, or the id of another one. */
export type Recipients =
  /** 32 bytes each in a valid transaction */
  | { readonly kind: 'keys'; readonly keys: readonly Uint8Array[] }
  /** 32 bytes */
  | { readonly kind: 'group'; readonly id: Uint8Array }

export interface PrivateTransaction {
  readonly nonce: bigint
  readonly gasPrice: bigint
  readonly gasLimit: bigint
  /** 20 bytes; undefined creates a contract */
  readonly to: Uint8Array | undefined
  /** wei */
  readonly value: bigint
  readonly data: Uint8Array
  /** 27 or 28, or 35 + 2 * chainId + parity */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  /** Public key of the sender in its enclave, 32 bytes in a valid transaction. */
  readonly privateFrom: Uint8Array
  readonly recipients: Recipients
  /** `restricted`, `unrestricted` or any other text */
  readonly restriction: string
}

const KIND: EncodedKind = { code: 'INVALID_TRANSACTION_ENCODING', name: 'private transaction' }
const WORD_BYTES = 32
const LONG_BYTES = 8

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** @throws {NodeError} INVALID_RLP, INVALID_TRANSACTION_ENCODING */
export function decodePrivateTransaction(bytes: Uint8Array): PrivateTransaction {
  return readPrivateTransaction(rlpDecode(bytes))
}

/** @throws {NodeError} INVALID_TRANSACTION_ENCODING */
export function readPrivateTransaction(item: DecodedItem): PrivateTransaction {
  const fields = new FieldReader(item, KIND)
  const transaction: PrivateTransaction = {
    nonce: fields.scalar('nonce', LONG_BYTES),
    gasPrice: fields.scalar('gas price', WORD_BYTES),
    gasLimit: fields.scalar('gas limit', LONG_BYTES),
    to: fields.optionalFixed('to', 20),
    value: fields.scalar('value', WORD_BYTES),
    data: fields.bytes('data'),
    v: fields.scalar('v', WORD_BYTES),
    r: fields.scalar('r', WORD_BYTES),
    s: fields.scalar('s', WORD_BYTES),
    privateFrom: fields.bytes('privateFrom'),
    recipients: readRecipients(fields.item('recipients'), fields),
    restriction: decoder.decode(fields.bytes('restriction')),
  }
  fields.end()
  return transaction
}

function readRecipients(item: DecodedItem, fields: FieldReader): Recipients {
  if (item instanceof Uint8Array) return { kind: 'group', id: item }
  const keys = item.map((key) => {
    if (!(key instanceof Uint8Array)) throw fields.invalid('a key of privateFor is a list')
    return key
  })
  return { kind: 'keys', keys }
}

/** The signed transaction as an RLP item. */
export function privateTransactionItem(transaction: PrivateTransaction): RlpItem {
  const { v, r, s } = transaction
  return [
    ...callFields(transaction),
    bigIntToBytes(v),
    bigIntToBytes(r),
    bigIntToBytes(s),
    ...privateFields(transaction),
  ]
}

export function encodePrivateTransaction(transaction: PrivateTransaction): Uint8Array {
  return rlpEncode(privateTransactionItem(transaction))
}

/**
 * The chain id of the signature; undefined without one.
 * @throws {NodeError} INVALID_PRIVATE_SIGNATURE when v is impossible
 */
export function privateChainId({ v }: Pick<PrivateTransaction, 'v'>): bigint | undefined {
  if (v === 27n || v === 28n) return undefined
  if (v < 37n) throw new NodeError({ code: 'INVALID_PRIVATE_SIGNATURE' }, `v is ${v}`)
  return (v - 35n) >> 1n
}

/**
 * The hash that the sender signs, 32 bytes.
 * @throws {NodeError} INVALID_PRIVATE_SIGNATURE
 */
export function privateSigningHash(transaction: PrivateTransaction): Uint8Array {
  const chainId = privateChainId(transaction)
  const protection = chainId === undefined ? [] : [bigIntToBytes(chainId), EMPTY_BYTES, EMPTY_BYTES]
  return keccak256(rlpEncode([...callFields(transaction), ...protection, ...privateFields(transaction)]))
}

/**
 * The sender, 20 bytes; undefined when the signature has none.
 * @throws {NodeError} INVALID_PRIVATE_SIGNATURE
 */
export function privateSender(transaction: PrivateTransaction): Uint8Array | undefined {
  const { v, r, s } = transaction
  const hash = privateSigningHash(transaction)
  // Both 27 and 35 + 2 * chainId are odd.
  return recoverAddress(hash, packSignature(r, s), v & 1n ? 0 : 1)
}

/** The id that the transaction names, or the one of its legacy group; 32 bytes in a valid transaction. */
export function groupIdOf({ recipients, privateFrom }: PrivateTransaction): Uint8Array {
  return recipients.kind === 'group' ? recipients.id : legacyGroupId([privateFrom, ...recipients.keys])
}

/** privateFor in Base64; undefined when the transaction names a group. */
export function privateForOf({ recipients }: PrivateTransaction): string[] | undefined {
  return recipients.kind === 'keys' ? recipients.keys.map(toBase64) : undefined
}

function callFields({ nonce, gasPrice, gasLimit, to, value, data }: PrivateTransaction): RlpItem[] {
  return [
    bigIntToBytes(nonce),
    bigIntToBytes(gasPrice),
    bigIntToBytes(gasLimit),
    to ?? EMPTY_BYTES,
    bigIntToBytes(value),
    data,
  ]
}

function privateFields({ privateFrom, recipients, restriction }: PrivateTransaction): RlpItem[] {
  return [privateFrom, recipients.kind === 'keys' ? recipients.keys : recipients.id, encoder.encode(restriction)]
}
