/**
 * Converts a simulated call to an unsigned transaction.
 * @module
 */

import type { FeeMarketTransaction, Transaction } from '../../types/transaction.ts'
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
  const { to, data, value = 0n } = call
  const gasPrice = call.gasPrice ?? (baseFeePerGas === undefined ? 0n : undefined)
  if (gasPrice !== undefined)
    return { type: 0, nonce, gasPrice, gasLimit: gas, to, value, data, v: 0n, chainId: undefined, r: 0n, s: 0n }
  const plain: FeeMarketTransaction = {
    type: 2,
    chainId,
    nonce,
    maxPriorityFeePerGas: call.maxPriorityFeePerGas ?? 0n,
    maxFeePerGas: call.maxFeePerGas ?? 0n,
    gasLimit: gas,
    to,
    value,
    data,
    accessList: call.accessList ?? [],
    yParity: 0n,
    r: 0n,
    s: 0n,
  }
  const { authorizationList, blobVersionedHashes, maxFeePerBlobGas = 0n } = call
  if (authorizationList !== undefined) return { ...plain, type: 4, to: to ?? ZERO_ADDRESS, authorizationList }
  if (blobVersionedHashes === undefined) return plain
  return { ...plain, type: 3, to: to ?? ZERO_ADDRESS, blobVersionedHashes, maxFeePerBlobGas }
}
