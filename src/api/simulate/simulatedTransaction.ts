/**
 * Converts a simulated call to an unsigned transaction.
 * @module
 */

import type { Authorization, Transaction } from '../../types/transaction.ts'
import type { CallObject, SimulatedTransaction } from '../calls/contract.ts'
import { invalidParams } from '../errors.ts'

const ZERO_ADDRESS = new Uint8Array(20)

/** Defaults of members that a call omits. */
export interface CallDefaults {
  readonly gas: bigint
  readonly nonce: bigint
  readonly chainId: bigint
  readonly baseFeePerGas: bigint | undefined
  /** Whether nonces and fees are checked as for real transactions. */
  readonly validation: boolean
}

export interface SimulatedPair {
  /** The form that is shown and hashed. */
  readonly transaction: Transaction
  /** The form that is executed. */
  readonly simulated: SimulatedTransaction
}

export function simulatedTransaction(call: CallObject, defaults: CallDefaults): SimulatedPair {
  if (call.gasPrice !== undefined && (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined)) {
    throw invalidParams('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (call.chainId !== undefined && call.chainId !== defaults.chainId) {
    throw invalidParams(`chainId does not match node's (have=${call.chainId}, want=${defaults.chainId})`)
  }
  const nonce = call.nonce ?? defaults.nonce
  const transaction = unsigned(call, nonce, defaults)
  const gasPrice = 'gasPrice' in transaction ? transaction.gasPrice : undefined
  const maxFeePerGas = gasPrice ?? call.maxFeePerGas ?? 0n
  const maxPriorityFeePerGas = gasPrice ?? call.maxPriorityFeePerGas ?? 0n
  return {
    transaction,
    simulated: {
      from: call.from ?? ZERO_ADDRESS,
      to: call.to,
      gas: defaults.gas,
      value: call.value ?? 0n,
      data: call.data,
      maxFeePerGas,
      maxPriorityFeePerGas,
      chargesFees: defaults.validation || maxFeePerGas > 0n || maxPriorityFeePerGas > 0n,
      maxFeePerBlobGas: call.maxFeePerBlobGas,
      accessList: call.accessList ?? [],
      blobVersionedHashes: call.blobVersionedHashes ?? [],
      authorizationList: call.authorizationList ?? [],
      nonce: defaults.validation ? nonce : undefined,
    },
  }
}

/** The newest type that can represent the call; without a base fee, or with a gas price, a legacy transaction. */
function unsigned(call: CallObject, nonce: bigint, { gas, chainId, baseFeePerGas }: CallDefaults): Transaction {
  const common = { nonce, gasLimit: gas, value: call.value ?? 0n, data: call.data, r: 0n, s: 0n }
  const gasPrice = call.gasPrice ?? (baseFeePerGas === undefined ? 0n : undefined)
  if (gasPrice !== undefined) return { type: 0, ...common, to: call.to, gasPrice, v: 0n, chainId: undefined }
  const fees = {
    ...common,
    chainId,
    yParity: 0n,
    accessList: call.accessList ?? [],
    maxFeePerGas: call.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: call.maxPriorityFeePerGas ?? 0n,
  }
  if (call.authorizationList !== undefined) {
    const authorizationList: readonly Authorization[] = call.authorizationList
    return { type: 4, ...fees, to: call.to ?? ZERO_ADDRESS, authorizationList }
  }
  if (call.blobVersionedHashes !== undefined) {
    const { blobVersionedHashes, maxFeePerBlobGas = 0n } = call
    return { type: 3, ...fees, to: call.to ?? ZERO_ADDRESS, blobVersionedHashes, maxFeePerBlobGas }
  }
  return { type: 2, ...fees, to: call.to }
}
