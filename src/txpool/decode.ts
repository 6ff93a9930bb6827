/**
 * Decodes submitted transactions with the errors that clients expect.
 * @module
 */
import { bytesToBigInt } from '../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../base/primitives/errors.ts'
import { rlpDecode } from '../base/primitives/rlp.ts'
import { decodePooledTransaction, type NetworkTransaction } from '../types/blobSidecar.ts'
import { BLOB_TYPE } from '../types/transaction.ts'

const LIST_PREFIX = 0xc0
const V_INDEX = 6
/** EIP-155 chain ids start at 1; 35 and 36 would encode chain id 0. */
const MAX_UNPROTECTED_V = 36n

/**
 * @param raw in submission form: canonical, or with blobs
 * @throws {NodeError} INVALID_PARAMS: not a transaction, or unsigned; UNSUPPORTED_TRANSACTION_TYPE;
 *   UNDECODABLE_TRANSACTION: empty, an invalid legacy `v` (in the error's `v`), or a blob transaction with invalid
 *   fields
 */
export function decodeSubmission(raw: Uint8Array): NetworkTransaction {
  const decoded = decodeOrThrow(raw)
  const { transaction } = decoded
  if (transaction.type === 0 && transaction.chainId === 0n) throw invalidV(transaction.v)
  if (transaction.r === 0n || transaction.s === 0n) throw invalidParams('the transaction is not signed')
  return decoded
}

function decodeOrThrow(raw: Uint8Array): NetworkTransaction {
  if (raw.length === 0) throw undecodable('typed transaction too short')
  try {
    return decodePooledTransaction(raw)
  } catch (error) {
    if (!isNodeError(error, 'INVALID_TRANSACTION_ENCODING')) throw error
    const v = legacyV(raw)
    if (v !== undefined && v !== 27n && v !== 28n && v <= MAX_UNPROTECTED_V) throw invalidV(v)
    throw raw[0] === BLOB_TYPE && raw.length > 1 ? undecodable(error.message) : invalidParams(error.message)
  }
}

function invalidParams(message: string): NodeError {
  return new NodeError({ code: 'INVALID_PARAMS' }, message)
}

function undecodable(message: string): NodeError {
  return new NodeError({ code: 'UNDECODABLE_TRANSACTION' }, message)
}

function invalidV(v: bigint): NodeError {
  return new NodeError({ code: 'UNDECODABLE_TRANSACTION', v }, `invalid transaction v, r, s values: v is ${v}`)
}

/** undefined when no `v` can be extracted. */
function legacyV(raw: Uint8Array): bigint | undefined {
  if ((raw[0] as number) < LIST_PREFIX) return undefined
  try {
    const item = rlpDecode(raw)
    const v = item instanceof Uint8Array ? undefined : item[V_INDEX]
    return v instanceof Uint8Array && v.length <= 32 ? bytesToBigInt(v) : undefined
  } catch {
    return undefined
  }
}
