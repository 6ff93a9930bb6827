/**
 * Shared by the transactions of a block.
 * @module
 */
import type { BlockEnvironment } from '../../evm/evm.ts'
import { blobBaseFee, GAS_PER_BLOB } from '../fees.ts'
import type { ExecutionContext } from './applyMessage.ts'
import type { BlockExecutionInput } from './contract.ts'
import { headerEnvironment } from './headerEnvironment.ts'
import type { BlockBudget, BlockFees } from './validateTransaction.ts'

/** The environment of the block's messages. */
export function executionContext(input: BlockExecutionInput): ExecutionContext {
  const { config, rules, evm, residency, scheduler, watchedAddress } = input
  return {
    chainId: input.dev?.chainId ?? config.chainId,
    rules,
    contractSizeLimit: config.options.contractSizeLimit,
    block: blockEnvironment(input),
    evm,
    control: { residency, scheduler, isBlock: true },
    watchedAddress,
  }
}

function blockEnvironment(
  input: Pick<BlockExecutionInput, 'block' | 'engine' | 'author' | 'blockHash' | 'dev'>,
): BlockEnvironment {
  const { header } = input.block
  return {
    ...headerEnvironment(header, input.author ?? input.engine.author(header)),
    dev: input.dev,
    blockHash: (number) => input.blockHash(number),
  }
}

/** Fees of the block. */
export function feesIn(
  { rules: { blobs } }: Pick<BlockExecutionInput, 'rules'>,
  { block }: ExecutionContext,
): BlockFees {
  const { baseFeePerGas, excessBlobGas } = block
  return {
    baseFeePerGas,
    blobBaseFee: blobs === undefined || excessBlobGas === undefined ? undefined : blobBaseFee(excessBlobGas, blobs),
  }
}

/** Fees of the block, and its gas and blob gas left for the next transaction. */
export function budgetIn(
  { block: { header }, rules: { blobs } }: Pick<BlockExecutionInput, 'block' | 'rules'>,
  { baseFeePerGas, blobBaseFee }: BlockFees,
  blockUsage: { readonly gas: bigint; readonly blobGas: bigint },
): BlockBudget {
  return {
    baseFeePerGas,
    blobBaseFee,
    gasLeft: header.gasLimit - blockUsage.gas,
    blobGasLeft: (blobs?.max ?? 0n) * GAS_PER_BLOB - blockUsage.blobGas,
  }
}
