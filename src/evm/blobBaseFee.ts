/**
 * Price of blob gas.
 * @see EIP-4844 `fake_exponential`; EIP-7840
 * @module
 */
import type { BlobParameters } from '../config/forks.ts'

const MIN_BASE_FEE_PER_BLOB_GAS = 1n

/**
 * @param excessBlobGas of the block itself
 * @returns wei per unit of blob gas
 */
export function blobBaseFee(excessBlobGas: bigint, blobs: Pick<BlobParameters, 'baseFeeUpdateFraction'>): bigint {
  return fakeExponential(MIN_BASE_FEE_PER_BLOB_GAS, excessBlobGas, blobs.baseFeeUpdateFraction)
}

/** factor * e ** (numerator / denominator), by Taylor's series in integers. */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    sum += term
    term = (term * numerator) / (denominator * i)
  }
  return sum / denominator
}
