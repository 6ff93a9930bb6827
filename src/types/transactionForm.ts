/**
 * Stateless checks of transactions: whether the fork and the chain allow them.
 * @see EIP-2, EIP-155, EIP-1559, EIP-2681, EIP-2718, EIP-3860, EIP-4844, EIP-7594, EIP-7623, EIP-7702, EIP-7825
 * @module
 */
import { SECP256K1_ORDER } from '../base/primitives/secp256k1Order.ts'
import type { ForkRules } from '../config/forks.ts'
import { intrinsicGas } from './intrinsicGas.ts'
import { SECP256K1_HALF_ORDER } from './signature.ts'
import type { BlobTransaction, Transaction } from './transaction.ts'

export type TransactionFormErrorCode =
  | 'UNSUPPORTED_TRANSACTION_TYPE'
  | 'WRONG_CHAIN_ID'
  | 'REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED'
  | 'INVALID_TRANSACTION_SIGNATURE'
  | 'NONCE_TOO_HIGH'
  | 'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS'
  | 'TRANSACTION_FEE_OVERFLOW'
  | 'INTRINSIC_GAS_EXCEEDS_LIMIT'
  | 'TRANSACTION_GAS_LIMIT_TOO_HIGH'
  | 'INIT_CODE_TOO_LARGE'
  | 'INVALID_BLOB_TRANSACTION'
  | 'EMPTY_AUTHORIZATION_LIST'

/** Why a transaction is refused. A plain value instead of an error, which would capture a stack trace. */
export interface TransactionFormError {
  readonly code: TransactionFormErrorCode
  readonly message: string
}

/** EIP that introduced each type. */
const TYPE_EIPS = [undefined, 2930, 1559, 4844, 7702] as const
/** EIP-2681: the nonce must leave room for one increment. */
const MAX_NONCE = 2n ** 64n - 2n
const MAX_UINT256 = 2n ** 256n - 1n
/** EIP-3860 */
const MAX_INIT_CODE_BYTES = 49_152
/** EIP-7825 */
export const MAX_TRANSACTION_GAS = 16_777_216n
/** EIP-4844 */
const VERSIONED_HASH_VERSION_KZG = 0x01
/** EIP-7594 */
const MAX_BLOBS_PER_TRANSACTION = 6

/**
 * Checks only the range of the signature; recovery shows whether it yields a sender.
 * @param chainId of the chain
 * @param maxInitCodeBytes of a chain with its own limit
 * @returns why the transaction can never be in a block of this fork; undefined when it can
 */
export function transactionFormError(
  transaction: Transaction,
  rules: ForkRules,
  chainId: bigint,
  maxInitCodeBytes: number = MAX_INIT_CODE_BYTES,
): TransactionFormError | undefined {
  return (
    checkType(transaction, rules) ??
    checkChainId(transaction, rules, chainId) ??
    checkSignature(transaction, rules) ??
    checkNonce(transaction) ??
    checkFees(transaction) ??
    checkGas(transaction, rules) ??
    checkInitCode(transaction, rules, maxInitCodeBytes) ??
    checkTypedFields(transaction, rules)
  )
}

function invalid(code: TransactionFormErrorCode, message: string): TransactionFormError {
  return { code, message }
}

/** Whether the fork supports the transaction type. */
export function checkType({ type }: Transaction, { eips }: ForkRules): TransactionFormError | undefined {
  const eip = TYPE_EIPS[type]
  return eip === undefined || eips.has(eip)
    ? undefined
    : invalid('UNSUPPORTED_TRANSACTION_TYPE', 'transaction type not supported')
}

/** Whether the transaction is for this chain. */
export function checkChainId(
  transaction: Transaction,
  { eips }: ForkRules,
  chainId: bigint,
): TransactionFormError | undefined {
  if (transaction.chainId === undefined) return undefined
  if (transaction.type === 0 && !eips.has(155)) {
    const message = 'replay-protected signatures are not supported yet'
    return invalid('REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED', message)
  }
  return transaction.chainId === chainId
    ? undefined
    : invalid('WRONG_CHAIN_ID', `invalid chain id for signer: have ${transaction.chainId} want ${chainId}`)
}

/** Whether r and s are in range; since Homestead s must be low. */
export function checkSignature({ r, s }: Transaction, { eips }: ForkRules): TransactionFormError | undefined {
  const maxS = eips.has(2) ? SECP256K1_HALF_ORDER : SECP256K1_ORDER - 1n
  const isInRange = r > 0n && r < SECP256K1_ORDER && s > 0n && s <= maxS
  return isInRange ? undefined : invalid('INVALID_TRANSACTION_SIGNATURE', 'invalid transaction v, r, s values')
}

/** Whether the nonce can still be incremented. */
export function checkNonce({ nonce }: Transaction): TransactionFormError | undefined {
  return nonce <= MAX_NONCE ? undefined : invalid('NONCE_TOO_HIGH', `nonce has max value: ${nonce}`)
}

/** Whether the two fees are consistent and fit in 256 bits. */
export function checkFees(transaction: Transaction): TransactionFormError | undefined {
  if (transaction.type === 0 || transaction.type === 1) {
    return checkProduct(transaction.gasLimit, transaction.gasPrice)
  }
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  if (maxPriorityFeePerGas > maxFeePerGas) {
    const amounts = `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`
    const message = `max priority fee per gas higher than max fee per gas: ${amounts}`
    return invalid('MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS', message)
  }
  return checkProduct(transaction.gasLimit, maxFeePerGas)
}

function checkProduct(gasLimit: bigint, price: bigint): TransactionFormError | undefined {
  return gasLimit * price <= MAX_UINT256
    ? undefined
    : invalid('TRANSACTION_FEE_OVERFLOW', 'gas limit times gas price exceeds 256 bits')
}

/** Whether the gas limit covers intrinsic gas and floor, and does not exceed the limit per transaction. */
export function checkGas(transaction: Transaction, rules: ForkRules): TransactionFormError | undefined {
  const { gasLimit } = transaction
  const { intrinsic, floor } = intrinsicGas(transaction, rules)
  if (gasLimit < intrinsic) {
    return invalid('INTRINSIC_GAS_EXCEEDS_LIMIT', `intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`)
  }
  if (gasLimit < floor) {
    const message = `insufficient gas for floor data gas cost: have ${gasLimit}, want ${floor}`
    return invalid('INTRINSIC_GAS_EXCEEDS_LIMIT', message)
  }
  if (rules.eips.has(7825) && gasLimit > MAX_TRANSACTION_GAS) {
    const message = `transaction gas limit too high (cap: ${MAX_TRANSACTION_GAS}, tx: ${gasLimit})`
    return invalid('TRANSACTION_GAS_LIMIT_TOO_HIGH', message)
  }
  return undefined
}

/** Whether the init code of a creation is within the limit. */
export function checkInitCode(
  { to, data }: Transaction,
  { eips }: ForkRules,
  limit: number,
): TransactionFormError | undefined {
  if (to !== undefined || !eips.has(3860) || data.length <= limit) return undefined
  return invalid('INIT_CODE_TOO_LARGE', `max initcode size exceeded: code size ${data.length}, limit ${limit}`)
}

/** Checks of blobs and authorisations. */
export function checkTypedFields(transaction: Transaction, rules: ForkRules): TransactionFormError | undefined {
  if (transaction.type === 3) return checkBlobs(transaction, rules)
  if (transaction.type === 4 && transaction.authorizationList.length === 0) {
    return invalid('EMPTY_AUTHORIZATION_LIST', 'EIP-7702 transaction with empty auth list')
  }
  return undefined
}

function checkBlobs(
  { blobVersionedHashes }: BlobTransaction,
  { eips, blobs }: ForkRules,
): TransactionFormError | undefined {
  const count = blobVersionedHashes.length
  if (count === 0) return invalid('INVALID_BLOB_TRANSACTION', 'blob transaction missing blob hashes')
  const max = eips.has(7594) ? MAX_BLOBS_PER_TRANSACTION : Number(blobs?.max ?? 0n)
  if (count > max) {
    return invalid('INVALID_BLOB_TRANSACTION', `blob transaction has too many blobs: have ${count}, max ${max}`)
  }
  const wrong = blobVersionedHashes.findIndex((hash) => hash[0] !== VERSIONED_HASH_VERSION_KZG)
  return wrong < 0
    ? undefined
    : invalid('INVALID_BLOB_TRANSACTION', `blob ${wrong} has invalid hash version ${blobVersionedHashes[wrong]?.[0]}`)
}
