/**
 * Validity of a transaction: by itself, in a block, and for its sender's account. Each rule returns the first reason
 * for rejection, or undefined.
 * @see Yellow Paper 6.2; EIP-155, EIP-1559, EIP-2681, EIP-3607, EIP-3860, EIP-4844, EIP-7623, EIP-7702, EIP-7825
 * @module
 */

import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../base/primitives/keccak.ts'
import type { ForkRules } from '../../config/forks.ts'
import { isDelegation } from '../../evm/delegation.ts'
import type { Account } from '../../evm/stateDb.ts'
import type { IntrinsicGas } from '../../types/intrinsicGas.ts'
import type { Transaction } from '../../types/transaction.ts'
import { transactionFormError } from '../../types/transactionForm.ts'
import { blobGas, GAS_PER_BLOB, maxFeePerGas } from '../fees.ts'
import { type Rejection, reject } from './rejection.ts'

/** The rules of a chain at one height. */
export interface ChainRules {
  readonly chainId: bigint
  readonly rules: ForkRules
  /** EIP-170 limit of this chain, bytes; undefined for the fork's own limit. */
  readonly contractSizeLimit: number | undefined
}

/** Fees of a block. */
export interface BlockFees {
  /** wei; undefined before London */
  readonly baseFeePerGas: bigint | undefined
  /** wei; undefined before Cancun */
  readonly blobBaseFee: bigint | undefined
}

/** Fees of a block, and its gas left for a transaction. */
export interface BlockBudget extends BlockFees {
  /** Gas limit of the block minus the gas used so far. */
  readonly gasLeft: bigint
  /** Blob gas limit of the block minus the blob gas used so far. */
  readonly blobGasLeft: bigint
}

/** EIP-2681 */
const MAX_NONCE = 2n ** 64n - 1n
/** EIP-7825 */
export const MAX_TRANSACTION_GAS: bigint = 2n ** 24n
/** EIP-170 */
const MAX_CODE_SIZE = 24_576
/** EIP-3860 */
const INIT_CODE_FACTOR = 2
/** Rules for the transaction alone. */
export function validateForm(transaction: Transaction, chain: ChainRules): Rejection | undefined {
  const { rules, chainId, contractSizeLimit } = chain
  const error = transactionFormError(transaction, rules, chainId, initCodeLimit(contractSizeLimit))
  return error === undefined ? undefined : reject(error.code, error.message)
}

/** Rules for the transaction in a block. */
export function validateInBlock(
  transaction: Transaction,
  sender: Uint8Array,
  budget: BlockBudget,
): Rejection | undefined {
  const baseFee = budget.baseFeePerGas ?? 0n
  if (maxFeePerGas(transaction) < baseFee) {
    const have = `address ${bytesToHex(sender)}, maxFeePerGas: ${maxFeePerGas(transaction)}`
    return reject('MAX_FEE_TOO_LOW', `max fee per gas less than block base fee: ${have}, baseFee: ${baseFee}`)
  }
  if (transaction.type === 3 && transaction.maxFeePerBlobGas < (budget.blobBaseFee ?? 0n)) {
    const have = `address ${bytesToHex(sender)} blobGasFeeCap: ${transaction.maxFeePerBlobGas}`
    const message = `max fee per blob gas less than block blob gas fee: ${have}, blobBaseFee: ${budget.blobBaseFee ?? 0n}`
    return reject('BLOB_FEE_TOO_LOW', message)
  }
  if (transaction.gasLimit > budget.gasLeft) {
    return reject('BLOCK_GAS_LIMIT_REACHED', `gas limit reached: have ${budget.gasLeft}, want ${transaction.gasLimit}`)
  }
  if (blobGas(transaction) > budget.blobGasLeft) {
    const have = `${budget.blobGasLeft / GAS_PER_BLOB}, want ${blobGas(transaction) / GAS_PER_BLOB}`
    return reject('TOO_MANY_BLOBS', `blob gas limit reached: blobs left ${have}`)
  }
  return undefined
}

/**
 * Rules for the account that pays.
 * @param code of the sender; undefined when the sender may be a contract
 */
export function validateSender(
  transaction: Transaction,
  sender: Uint8Array,
  account: Account | undefined,
  code: Uint8Array | undefined,
  rules: ForkRules,
): Rejection | undefined {
  return (
    validateNonce(transaction.nonce, sender, account?.nonce ?? 0n) ??
    (code === undefined ? undefined : validateExternallyOwned(sender, account, code, rules)) ??
    validateFunds(sender, account?.balance ?? 0n, maxCost(transaction))
  )
}

/** Upper bound of the transaction's total cost, including value, in wei. */
export function maxCost(transaction: Transaction): bigint {
  const blobFee = transaction.type === 3 ? blobGas(transaction) * transaction.maxFeePerBlobGas : 0n
  return transaction.gasLimit * maxFeePerGas(transaction) + transaction.value + blobFee
}

export function validateNonce(nonce: bigint, sender: Uint8Array, expected: bigint): Rejection | undefined {
  if (nonce === expected && nonce < MAX_NONCE) return undefined
  const address = `address ${bytesToHex(sender)}`
  if (nonce < expected) {
    return reject('NONCE_TOO_LOW', `nonce too low: ${address}, tx: ${nonce} state: ${expected}`)
  }
  if (nonce > expected) {
    return reject('NONCE_TOO_HIGH', `nonce too high: ${address}, tx: ${nonce} state: ${expected}`)
  }
  return reject('NONCE_MAX', `nonce has max value: ${address}, nonce: ${nonce}`)
}

/** EIP-3607, with the exception of EIP-7702. */
export function validateExternallyOwned(
  sender: Uint8Array,
  account: Account | undefined,
  code: Uint8Array,
  { eips }: ForkRules,
): Rejection | undefined {
  if (!eips.has(3607) || account === undefined || equalBytes(account.codeHash, EMPTY_CODE_HASH)) return undefined
  if (eips.has(7702) && isDelegation(code)) return undefined
  return reject('SENDER_NOT_EOA', `sender not an eoa: address ${bytesToHex(sender)}, len(code): ${code.length}`)
}

export function validateFunds(sender: Uint8Array, balance: bigint, cost: bigint): Rejection | undefined {
  if (balance >= cost) return undefined
  const have = `address ${bytesToHex(sender)} have ${balance} want ${cost}`
  return reject('INSUFFICIENT_FUNDS', `insufficient funds for gas * price + value: ${have}`)
}

/** Whether the gas limit covers intrinsic gas and floor, and does not exceed the limit per transaction. */
export function validateGas(
  { gasLimit }: Pick<Transaction, 'gasLimit'>,
  { intrinsic, floor }: IntrinsicGas,
  { eips }: ForkRules,
): Rejection | undefined {
  if (eips.has(7825) && gasLimit > MAX_TRANSACTION_GAS) {
    const have = `(cap: ${MAX_TRANSACTION_GAS}, tx: ${gasLimit})`
    return reject('GAS_LIMIT_TOO_HIGH', `transaction gas limit too high ${have}`)
  }
  if (gasLimit < intrinsic) {
    return reject('INTRINSIC_GAS_TOO_LOW', `intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`)
  }
  if (gasLimit < floor) {
    return reject('FLOOR_GAS_TOO_LOW', `insufficient gas for floor data gas cost: have ${gasLimit}, want ${floor}`)
  }
  return undefined
}

export function validateInitCode(
  { to, data }: Pick<Transaction, 'to' | 'data'>,
  { rules, contractSizeLimit }: ChainRules,
): Rejection | undefined {
  if (to !== undefined || !rules.eips.has(3860)) return undefined
  const limit = initCodeLimit(contractSizeLimit)
  if (data.length <= limit) return undefined
  return reject('INIT_CODE_TOO_LARGE', `max initcode size exceeded: code size ${data.length} limit ${limit}`)
}

/** EIP-3860, derived from the chain's own code size limit if it has one. */
export function initCodeLimit(contractSizeLimit: number | undefined): number {
  return INIT_CODE_FACTOR * Math.max(MAX_CODE_SIZE, contractSizeLimit ?? 0)
}
