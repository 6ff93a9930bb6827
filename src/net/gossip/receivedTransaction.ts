import { keccak256 } from '../../base/primitives/keccak.ts'
import { keyToText } from '../../storage/keyText.ts'
import type { IncomingTransaction } from '../../txpool/contract.ts'
import { decodePooledTransaction } from '../../types/blobSidecar.ts'
import { encodeTransaction } from '../../types/transactionCodec.ts'
import type { EncodedTransaction } from '../protocols/eth/messages.ts'

/** A view of a larger buffer is copied before it is stored. */
const MAX_SHARED_FACTOR = 2

/** A transaction from a peer. */
export interface HashedTransaction extends EncodedTransaction {
  /** Without a sidecar: the preimage of the hash. */
  readonly canonical: Uint8Array
  readonly hash: Uint8Array
  /** The hash as a map key. */
  readonly key: string
}

export function hashed(received: EncodedTransaction): HashedTransaction {
  const { transaction, sidecar, encoding } = received
  const canonical = sidecar === undefined ? encoding : encodeTransaction(transaction)
  const hash = keccak256(canonical)
  return { ...received, canonical, hash, key: keyToText(hash) }
}

/** The transaction without views of the message, which would remain in memory with it. */
export function ownedCopy({
  encoding,
  transaction,
  sidecar,
  canonical,
}: HashedTransaction): Pick<IncomingTransaction, 'transaction' | 'encoding' | 'sidecar'> {
  const isShared = encoding.buffer.byteLength > encoding.length * MAX_SHARED_FACTOR
  if (sidecar === undefined) {
    const ownedBytes = isShared ? encoding.slice() : encoding
    return {
      transaction: isShared ? decodePooledTransaction(ownedBytes).transaction : transaction,
      encoding: ownedBytes,
    }
  }
  return isShared
    ? { ...decodePooledTransaction(encoding.slice()), encoding: canonical }
    : { transaction, sidecar, encoding: canonical }
}
