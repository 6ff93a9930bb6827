/**
 * The parts of the fee of a mined transaction.
 * @module
 */
import { quantity } from '../../format/hex.ts'
import type { Block, Receipt, Transaction } from '../../rpc/types.ts'

/** All in wei. */
export interface FeeParts {
  readonly total: bigint
  /** undefined: before EIP-1559 */
  readonly burnt: bigint | undefined
  readonly tip: bigint
  /** undefined: no blobs */
  readonly blobs: bigint | undefined
}

export function feeParts(
  transaction: Pick<Transaction, 'gasPrice'>,
  receipt: Receipt,
  block: Pick<Block, 'baseFeePerGas'> | null,
): FeeParts {
  const gasUsed = quantity(receipt.gasUsed)
  const execution = gasUsed * quantity(receipt.effectiveGasPrice ?? transaction.gasPrice)
  const burnt = block?.baseFeePerGas === undefined ? undefined : gasUsed * quantity(block.baseFeePerGas)
  const blobs =
    receipt.blobGasUsed === undefined ? undefined : quantity(receipt.blobGasUsed) * quantity(receipt.blobGasPrice)
  return { total: execution + (blobs ?? 0n), burnt, tip: execution - (burnt ?? 0n), blobs }
}
