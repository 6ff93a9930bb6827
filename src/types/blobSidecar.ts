/**
 * Blob transactions in the network form, as they travel before inclusion: with blobs, commitments and proofs.
 * @see EIP-4844 (version 0: one proof per blob), EIP-7594 (version 1: 128 cell proofs per blob)
 * @module
 */
import { concatBytes, numberToBytes } from '../base/primitives/bytes.ts'
import { rlpEncode, rlpListOfEncoded, rlpSpan } from '../base/primitives/rlp.ts'
import { decodeItem, encodingError, FieldReader } from './fieldReader.ts'
import type { BlobTransaction, Transaction } from './transaction.ts'
import { BLOB_TYPE } from './transaction.ts'
import {
  decodeFixedList,
  decodeTransaction,
  decodeTypedFields,
  encodeTransaction,
  TRANSACTION,
} from './transactionCodec.ts'

const BLOB_BYTES = 131_072
const COMMITMENT_BYTES = 48
const PROOF_BYTES = 48
const CELLS_PER_BLOB = 128

export interface BlobSidecar {
  readonly version: 0 | 1
  /** 131,072 bytes each */
  readonly blobs: readonly Uint8Array[]
  /** KZG commitments, 48 bytes each, one per blob */
  readonly commitments: readonly Uint8Array[]
  /** 48 bytes each: one per blob, or 128 cell proofs per blob in version 1 */
  readonly proofs: readonly Uint8Array[]
}

/** A transaction as sent by a client or a peer. */
export interface NetworkTransaction {
  readonly transaction: Transaction
  /** Present only for blob transactions in the network form. */
  readonly sidecar?: BlobSidecar
}

/** Encodes a transaction in the network form; without a sidecar in the canonical form. */
export function encodePooledTransaction({ transaction, sidecar }: NetworkTransaction): Uint8Array {
  if (sidecar === undefined) return encodeTransaction(transaction)
  const { version, blobs, commitments, proofs } = sidecar
  const fields = encodeTransaction(transaction).subarray(1)
  const tail = [blobs, commitments, proofs].map(rlpEncode)
  const wrapper = version === 0 ? [fields, ...tail] : [fields, rlpEncode(numberToBytes(version)), ...tail]
  return concatBytes(Uint8Array.of(BLOB_TYPE), rlpListOfEncoded(wrapper))
}

/**
 * Decodes a transaction with or without a sidecar. Checks number and length of the blobs, but not the proofs.
 * @throws {NodeError} INVALID_TRANSACTION_ENCODING, UNSUPPORTED_TRANSACTION_TYPE
 */
export function decodePooledTransaction(bytes: Uint8Array): NetworkTransaction {
  if (bytes[0] !== 3) return { transaction: decodeTransaction(bytes) }
  const item = decodeItem(TRANSACTION, bytes.subarray(1))
  const isWrapped = !(item instanceof Uint8Array) && item[0] !== undefined && !(item[0] instanceof Uint8Array)
  if (!isWrapped) return { transaction: decodeTypedFields(3, new FieldReader(item, TRANSACTION)) }
  const wrapper = new FieldReader(item, TRANSACTION)
  const transaction = decodeTypedFields(3, wrapper.nested('transaction')) as BlobTransaction
  return { transaction, sidecar: decodeSidecar(wrapper, transaction.blobVersionedHashes.length) }
}

/**
 * The canonical encoding, whose hash is that of the transaction, without decoding.
 * @param bytes a transaction with or without a sidecar; nothing else of it is checked
 * @throws {NodeError} INVALID_RLP
 */
export function canonicalEncoding(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== BLOB_TYPE) return bytes
  const { isList, payload, end } = rlpSpan(bytes, 1)
  if (!isList || payload >= end) return bytes
  const first = rlpSpan(bytes, payload)
  return first.isList ? concatBytes(Uint8Array.of(BLOB_TYPE), bytes.subarray(payload, first.end)) : bytes
}

function decodeSidecar(wrapper: FieldReader, blobCount: number): BlobSidecar {
  const version = wrapper.count === 4 ? 0 : Number(wrapper.scalar('wrapper version', 1))
  if (version > 1 || (version === 0 && wrapper.count !== 4)) {
    throw encodingError(TRANSACTION, `blob wrapper version ${version} with ${wrapper.count} fields`)
  }
  const blobs = decodeFixedList(wrapper.nested('blobs'), 'blob', BLOB_BYTES)
  const commitments = decodeFixedList(wrapper.nested('commitments'), 'commitment', COMMITMENT_BYTES)
  const proofs = decodeFixedList(wrapper.nested('proofs'), 'proof', PROOF_BYTES)
  wrapper.end()
  expectCount('blobs', blobs.length, blobCount)
  expectCount('commitments', commitments.length, blobCount)
  expectCount('proofs', proofs.length, version === 0 ? blobCount : blobCount * CELLS_PER_BLOB)
  return { version: version === 0 ? 0 : 1, blobs, commitments, proofs }
}

function expectCount(what: string, count: number, expected: number): void {
  if (count !== expected) throw encodingError(TRANSACTION, `${count} ${what}, not ${expected}`)
}
