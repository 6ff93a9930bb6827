/**
 * Checks of private transactions before they are distributed.
 * @module
 */
import { hasHexPrefix, tryHexToBytes } from '../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../base/primitives/errors.ts'
import {
  decodePrivateTransaction,
  type PrivateTransaction,
  privateChainId,
  privateSender,
} from './privateTransaction.ts'

const RESTRICTED = 'restricted'

/**
 * Reads a signed private transaction.
 * @param raw hex; `0x` is optional
 * @throws {NodeError} DECODE_ERROR, INVALID_PARAMS when it is not restricted, ENCLAVE_ERROR when v is impossible
 */
export function readSubmission(raw: string): PrivateTransaction {
  const bytes = tryHexToBytes(hasHexPrefix(raw) ? raw : `0x${raw}`)
  if (bytes === undefined) throw undecodable('it is not hex of whole bytes')
  const transaction = decoded(bytes)
  if (transaction.v < 37n && transaction.v !== 27n && transaction.v !== 28n) {
    throw new NodeError({ code: 'ENCLAVE_ERROR' }, `the private transaction has an impossible v: ${transaction.v}`)
  }
  if (transaction.restriction !== RESTRICTED) {
    throw new NodeError({ code: 'INVALID_PARAMS' }, 'private transactions must be restricted')
  }
  return transaction
}

function decoded(bytes: Uint8Array): PrivateTransaction {
  try {
    return decodePrivateTransaction(bytes)
  } catch (error) {
    if (isNodeError(error)) throw undecodable(error.message)
    throw error
  }
}

function undecodable(reason: string): NodeError {
  return new NodeError({ code: 'DECODE_ERROR' }, `the private transaction cannot be decoded: ${reason}`)
}

/**
 * Checks value and chain.
 * @returns the sender, 20 bytes
 * @throws {NodeError} INVALID_PARAMS, WRONG_CHAIN_ID, INVALID_TRANSACTION_SIGNATURE
 */
export function checkSigned(transaction: PrivateTransaction, chainId: bigint): Uint8Array {
  if (transaction.value !== 0n) {
    throw new NodeError({ code: 'INVALID_PARAMS' }, 'private transactions cannot transfer ether')
  }
  const signed = privateChainId(transaction)
  if (signed !== undefined && signed !== chainId) {
    throw new NodeError({ code: 'WRONG_CHAIN_ID' }, `the private transaction is for chain ${signed}, not ${chainId}`)
  }
  const sender = privateSender(transaction)
  if (sender !== undefined) return sender
  throw new NodeError({ code: 'INVALID_TRANSACTION_SIGNATURE' }, 'the signature has no sender')
}

/** @throws {NodeError} NONCE_TOO_LOW */
export function checkNonce({ nonce }: PrivateTransaction, next: bigint): void {
  if (nonce >= next) return
  throw new NodeError({ code: 'NONCE_TOO_LOW' }, `nonce too low: the group expects ${next}, not ${nonce}`)
}
