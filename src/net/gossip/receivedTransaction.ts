import { isNodeError } from '../../base/primitives/errors.ts'
import { keyToText } from '../../storage/keyText.ts'
import { checkCommitments } from '../../txpool/blobs.ts'
import { canonicalEncoding, decodePooledTransaction, type NetworkTransaction } from '../../types/blobSidecar.ts'
import { BLOB_TYPE } from '../../types/transaction.ts'
import type { EncodedTransaction } from '../protocols/eth/messages.ts'

/** First byte of an RLP list: a legacy transaction. */
const LIST_PREFIX = 0xc0
/** A view of a larger buffer is copied before it is stored. */
const MAX_SHARED_FACTOR = 2

/** A transaction from a peer that is not decoded. */
export interface ReceivedTransaction extends EncodedTransaction {
  /** The hash as a map key. */
  readonly key: string
}

export interface DecodedTransaction extends NetworkTransaction, ReceivedTransaction {
  /** Without the sidecar: the preimage of the hash. */
  readonly encoding: Uint8Array
}

export function received({ encoding, hash }: EncodedTransaction): ReceivedTransaction {
  return { encoding, hash, key: keyToText(hash) }
}

/** EIP-2718 */
export function typeOf({ encoding }: EncodedTransaction): number {
  const first = encoding[0] as number
  return first >= LIST_PREFIX ? 0 : first
}

/** Whether the encoding is that of a blob transaction with its blobs. */
export function hasSidecar({ encoding }: EncodedTransaction): boolean {
  return canonicalEncoding(encoding) !== encoding
}

/** Whether the commitments of a blob transaction are those that it has signed. Its blobs are verified later. */
export function hasOwnCommitments({ encoding }: EncodedTransaction): boolean {
  try {
    const { transaction, sidecar } = decodePooledTransaction(encoding)
    if (transaction.type === BLOB_TYPE && sidecar !== undefined) checkCommitments(transaction, sidecar)
    return true
  } catch (error) {
    if (!isNodeError(error)) throw error
    // The pool refuses a malformed transaction.
    return error.code !== 'INVALID_BLOB_SIDECAR'
  }
}

/** A transaction that waits is no view of its message, which would remain in memory with it. */
export function ownedCopy(transaction: ReceivedTransaction): ReceivedTransaction {
  const { encoding, hash, key } = transaction
  const isShared = encoding.buffer.byteLength > encoding.length * MAX_SHARED_FACTOR
  return isShared ? { encoding: encoding.slice(), hash, key } : transaction
}

/** @throws {NodeError} the code of the malformed part */
export function decoded({ encoding, hash, key }: ReceivedTransaction): DecodedTransaction {
  return { ...decodePooledTransaction(encoding), encoding: canonicalEncoding(encoding), hash, key }
}

/** Whether peers may send the transaction without a request. */
export function isAnnouncedOnly(transaction: EncodedTransaction): boolean {
  return typeOf(transaction) === BLOB_TYPE
}
