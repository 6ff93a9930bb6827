/**
 * Prices of gas and blob gas, derived from the parent block, and fees of a transaction.
 * @see EIP-1559, EIP-4844, EIP-7918
 * @module
 */
import type { ChainConfig } from '../config/chainConfig.ts'
import type { ForkRules } from '../config/forks.ts'
import { blobBaseFee } from '../evm/blobBaseFee.ts'
import type { Header } from '../types/block.ts'
import type { Transaction } from '../types/transaction.ts'

export { blobBaseFee } from '../evm/blobBaseFee.ts'

/** EIP-4844 */
export const GAS_PER_BLOB = 131_072n
/** wei; the first block with a base fee. */
const INITIAL_BASE_FEE = 1_000_000_000n

const ELASTICITY_MULTIPLIER = 2n
const BASE_FEE_MAX_CHANGE_DENOMINATOR = 8n
/** EIP-7918 */
const BLOB_BASE_COST = 8192n

/** Base fee of the block after `parent`, wei; undefined when the rules have none. */
export function nextBaseFee(
  parent: Pick<Header, 'baseFeePerGas' | 'gasUsed' | 'gasLimit'>,
  rules: Pick<ForkRules, 'eips'>,
  config: ChainConfig,
): bigint | undefined {
  if (!rules.eips.has(1559)) return undefined
  if (config.options.zeroBaseFee === true) return 0n
  const { baseFeePerGas, gasUsed, gasLimit } = parent
  if (baseFeePerGas === undefined) return INITIAL_BASE_FEE
  const target = gasLimit / ELASTICITY_MULTIPLIER
  if (gasUsed === target || target === 0n) return baseFeePerGas
  if (gasUsed > target) {
    const increase = (baseFeePerGas * (gasUsed - target)) / target / BASE_FEE_MAX_CHANGE_DENOMINATOR
    return baseFeePerGas + (increase > 0n ? increase : 1n)
  }
  return baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / BASE_FEE_MAX_CHANGE_DENOMINATOR
}

/** Excess blob gas of the block after `parent`; undefined when the rules have no blobs. `rules` are those of the block. */
export function nextExcessBlobGas(
  parent: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
  { blobs, eips }: Pick<ForkRules, 'blobs' | 'eips'>,
): bigint | undefined {
  if (blobs === undefined) return undefined
  const excess = parent.excessBlobGas ?? 0n
  const parentBlobGas = parent.blobGasUsed ?? 0n
  const target = blobs.target * GAS_PER_BLOB
  if (excess + parentBlobGas < target) return 0n
  if (eips.has(7918) && reservePriceApplies(parent.baseFeePerGas ?? 0n, blobBaseFee(excess, blobs))) {
    return excess + (parentBlobGas * (blobs.max - blobs.target)) / blobs.max
  }
  return excess + parentBlobGas - target
}

/** EIP-7918: whether blobs would cost less than the execution gas of their transactions. */
function reservePriceApplies(baseFee: bigint, blobFee: bigint): boolean {
  return BLOB_BASE_COST * baseFee > GAS_PER_BLOB * blobFee
}

/** Maximum price of one unit of gas for the sender, wei. */
export function maxFeePerGas(transaction: Transaction): bigint {
  return transaction.type < 2
    ? (transaction as { gasPrice: bigint }).gasPrice
    : (transaction as { maxFeePerGas: bigint }).maxFeePerGas
}

/** Maximum share of the beneficiary in one unit of gas, wei. */
export function maxPriorityFeePerGas(transaction: Transaction): bigint {
  return transaction.type < 2
    ? (transaction as { gasPrice: bigint }).gasPrice
    : (transaction as { maxPriorityFeePerGas: bigint }).maxPriorityFeePerGas
}

/** Price of one unit of gas in a block with this base fee, wei. */
export function effectiveGasPrice(transaction: Transaction, baseFeePerGas: bigint | undefined): bigint {
  const limit = maxFeePerGas(transaction)
  const uncappedPrice = (baseFeePerGas ?? 0n) + maxPriorityFeePerGas(transaction)
  return transaction.type < 2 || uncappedPrice > limit ? limit : uncappedPrice
}

/** Blob gas of a transaction. */
export function blobGas(transaction: Transaction): bigint {
  return transaction.type === 3 ? GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) : 0n
}
