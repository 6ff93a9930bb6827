/**
 * Converts a call object to a simulated transaction: defaults, prices, and whether fees are charged.
 * @see docs/reference/eth-objects.md section 7
 * @module
 */

import { invalidParams } from '../errors.ts'
import type { ApiOptions } from '../options.ts'
import type { CallObject, SimulatedBlock, SimulatedTransaction } from './contract.ts'
import { withoutBaseFee } from './environment.ts'

const ZERO_ADDRESS = new Uint8Array(20)

export interface PreparedCall {
  readonly transaction: SimulatedTransaction
  /** With base fee 0 when no fees are charged. */
  readonly block: SimulatedBlock
  readonly chargesFees: boolean
}

/** @param gas overrides the gas of the call */
export function prepareCall(
  call: CallObject,
  block: SimulatedBlock,
  options: Pick<ApiOptions, 'profile' | 'callGasCap'>,
  chargesFees: boolean,
  gas?: bigint,
): PreparedCall {
  checkPrices(call)
  const caps = chargesFees ? feeCaps(call) : { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  return {
    chargesFees,
    block: chargesFees ? block : withoutBaseFee(block),
    transaction: {
      from: call.from ?? ZERO_ADDRESS,
      to: call.to,
      gas: smaller(gas ?? call.gas ?? defaultGas(block, options), options.callGasCap),
      value: call.value ?? 0n,
      data: call.data,
      ...caps,
      chargesFees,
      maxFeePerBlobGas: chargesFees ? call.maxFeePerBlobGas : undefined,
      accessList: call.accessList ?? [],
      blobVersionedHashes: call.blobVersionedHashes ?? [],
      authorizationList: call.authorizationList ?? [],
      nonce: undefined,
    },
  }
}

/** eth_call charges fees when the client requests it or gives a price. */
export function callChargesFees(call: CallObject, block: SimulatedBlock): boolean {
  if (call.strict !== undefined) return call.strict
  const prices = block.rules.eips.has(1559)
    ? [call.gasPrice, call.maxFeePerGas, call.maxPriorityFeePerGas]
    : [call.gasPrice]
  return prices.some((price) => price !== undefined && price > 0n)
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function defaultGas(block: SimulatedBlock, options: Pick<ApiOptions, 'profile' | 'callGasCap'>): bigint {
  return options.profile === 'geth' ? options.callGasCap : block.environment.gasLimit
}

function checkPrices(call: CallObject): void {
  if (call.gasPrice === undefined) return
  if (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined) {
    throw invalidParams('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
}

interface FeeCaps {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

function feeCaps(call: CallObject): FeeCaps {
  if (call.gasPrice !== undefined) return { maxFeePerGas: call.gasPrice, maxPriorityFeePerGas: call.gasPrice }
  return { maxFeePerGas: call.maxFeePerGas ?? 0n, maxPriorityFeePerGas: call.maxPriorityFeePerGas ?? 0n }
}
