/**
 * Simulates transactions with the rules of real ones, except for those that do not apply to simulations.
 * @module
 */

import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { type MaybePromise, mapMaybe } from '../../base/primitives/maybePromise.ts'
import { blobBaseFee, GAS_PER_BLOB } from '../../chain/fees.ts'
import {
  type AppliedMessage,
  applyMessage,
  type ExecutionContext,
  missCause,
  type TransactionMessage,
} from '../../chain/transition/applyMessage.ts'
import type { BlockExecutionInput } from '../../chain/transition/contract.ts'
import { closeBlock, openBlock } from '../../chain/transition/executeBlock.ts'
import { type ExecutionDeps, executionInput } from '../../chain/transition/executionInput.ts'
import { type Rejection, reject } from '../../chain/transition/rejection.ts'
import {
  validateFunds,
  validateGas,
  validateInitCode,
  validateNonce,
} from '../../chain/transition/validateTransaction.ts'
import { forkRules } from '../../config/forks.ts'
import type { AbortState } from '../../evm/driver.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import { type IntrinsicGas, intrinsicGas } from '../../types/intrinsicGas.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type {
  BlockStepInput,
  CallInput,
  CallLimits,
  CallOutcome,
  CallSimulator,
  SimulatedBlock,
  SimulatedTransaction,
} from './contract.ts'
import { controlOf } from './executionControl.ts'
import type { TracedCall } from './tracedCall.ts'

/** Rules without EIP-7825: the gas of a simulation may exceed the limit per transaction. */
const NO_GAS_CAP = forkRules('frontier')

export class TransitionCallSimulator implements CallSimulator {
  readonly #modules: ExecutionDeps

  constructor(modules: ExecutionDeps) {
    this.#modules = modules
  }

  limits(signal: AbortState | undefined, timeoutMs: number): CallLimits {
    const { scheduler, residency } = this.#modules.control
    const now = scheduler?.clock.monotonic() ?? 0
    return { signal, deadline: now + timeoutMs, loads: scheduler && residency?.forCall?.(scheduler.clock) }
  }

  slicer(): TimeSlicer | undefined {
    return this.#modules.control.scheduler?.slicer()
  }

  run(input: CallInput): MaybePromise<CallOutcome> {
    const { block, transaction, limits, movedPrecompiles, watchedAddress } = input
    const context = this.#context(block, limits, movedPrecompiles, watchedAddress)
    const intrinsic = intrinsicGas(transaction, block.rules)
    if (context.control.residency !== undefined) return runLoading(input, intrinsic, context)
    const rejection = validate(input, intrinsic, context)
    return rejection === undefined ? execute(input, intrinsic, context) : { kind: 'invalid', rejection }
  }

  openBlock(input: BlockStepInput): Promise<void> {
    return openBlock(this.#execution(input), this.#context(input.block, input.limits))
  }

  async closeBlock(
    input: BlockStepInput,
    receipts: readonly StoredReceipt[],
  ): Promise<readonly Uint8Array[] | undefined> {
    const closed = await closeBlock(this.#execution(input), receipts, this.#context(input.block, input.limits))
    if (closed.kind === 'invalid') throw new NodeError({ code: 'SIMULATION_INVALID_TRANSACTION' }, closed.reason)
    return closed.requests
  }

  #execution({ state, block, header, withdrawals }: BlockStepInput): BlockExecutionInput {
    return executionInput(this.#modules, {
      block: { header, transactions: [], ommers: [], ...(withdrawals === undefined ? {} : { withdrawals }) },
      senders: [],
      state,
      dev: block.environment.dev,
      blockHash: (number) => block.environment.blockHash(number),
    })
  }

  #context(
    { rules, environment }: SimulatedBlock,
    limits: CallLimits,
    movedPrecompiles?: CallInput['movedPrecompiles'],
    watchedAddress?: CallInput['watchedAddress'],
  ): ExecutionContext {
    const { config, evm } = this.#modules
    return {
      chainId: environment.dev?.chainId ?? config.chainId,
      rules,
      contractSizeLimit: config.options.contractSizeLimit,
      block: environment,
      evm,
      control: controlOf(this.#modules, limits),
      movedPrecompiles,
      watchedAddress,
    }
  }
}

function runLoading(input: CallInput, intrinsic: IntrinsicGas, context: ExecutionContext): MaybePromise<CallOutcome> {
  const { from: sender, to, value, data } = input.transaction
  const cause = missCause({ sender, to, value, data }, context)
  const validated = retryMissesMaybe(() => validate(input, intrinsic, context), context.control.residency, cause)
  return mapMaybe(validated, (rejection) =>
    rejection === undefined ? execute(input, intrinsic, context) : { kind: 'invalid', rejection },
  )
}

function execute(input: CallInput, intrinsic: IntrinsicGas, context: ExecutionContext): MaybePromise<CallOutcome> {
  const { state, block, transaction, collectAccessed, transferLogs, tracer } = input
  const message = messageOf(transaction, block, intrinsic)
  const options = { collectAccessed, transferLogs }
  if (tracer === undefined) return mapMaybe(applyMessage(message, state, context, options), executed)
  return traced({ message, state, block, context, options, tracer })
}

/** The code is loaded with the first trace. */
async function traced(call: TracedCall): Promise<CallOutcome> {
  const { applyTraced } = await import('./tracedCall.ts')
  return executed(await applyTraced(call))
}

function executed({ result, gasUsed, gasUsedBeforeRefund }: AppliedMessage): CallOutcome {
  return { kind: 'executed', result, gasUsed, gasUsedBeforeRefund }
}

/** Only reads the state. */
function validate(
  { state, transaction, block }: CallInput,
  intrinsic: IntrinsicGas,
  context: ExecutionContext,
): Rejection | undefined {
  const { from, nonce } = transaction
  const account = state.getAccount(from)
  return (
    (nonce === undefined ? undefined : validateNonce(nonce, from, account?.nonce ?? 0n)) ??
    validateFees(transaction, block) ??
    validateFunds(from, account?.balance ?? 0n, highestCost(transaction)) ??
    validateGas({ gasLimit: transaction.gas }, intrinsic, NO_GAS_CAP) ??
    validateInitCode(transaction, context)
  )
}

function validateFees(transaction: SimulatedTransaction, { environment }: SimulatedBlock): Rejection | undefined {
  const { maxFeePerGas, maxPriorityFeePerGas, chargesFees } = transaction
  if (!chargesFees) return undefined
  if (maxPriorityFeePerGas > maxFeePerGas) {
    const have = `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`
    return reject('PRIORITY_FEE_ABOVE_MAX_FEE', `max priority fee per gas higher than max fee per gas: ${have}`)
  }
  const { baseFeePerGas } = environment
  if (baseFeePerGas === undefined || maxFeePerGas >= baseFeePerGas) return undefined
  const have = `maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFeePerGas}`
  return reject('MAX_FEE_TOO_LOW', `max fee per gas less than block base fee: ${have}`)
}

function blobGasOf({ blobVersionedHashes }: SimulatedTransaction): bigint {
  return BigInt(blobVersionedHashes.length) * GAS_PER_BLOB
}

function highestCost(transaction: SimulatedTransaction): bigint {
  const { gas, maxFeePerGas, maxFeePerBlobGas = 0n, value, chargesFees } = transaction
  return (chargesFees ? gas * maxFeePerGas : 0n) + blobGasOf(transaction) * maxFeePerBlobGas + value
}

function messageOf(
  transaction: SimulatedTransaction,
  block: SimulatedBlock,
  intrinsic: IntrinsicGas,
): TransactionMessage {
  const { from, to, value, data, gas, accessList, blobVersionedHashes, authorizationList } = transaction
  const baseFee = block.environment.baseFeePerGas ?? 0n
  const gasPrice = effectivePrice(transaction, baseFee)
  return {
    sender: from,
    to,
    value,
    data,
    gasLimit: gas,
    gasPrice,
    priorityFee: gasPrice > baseFee ? gasPrice - baseFee : 0n,
    blobFee: transaction.maxFeePerBlobGas === undefined ? 0n : blobGasOf(transaction) * blobPrice(block),
    accessList,
    blobVersionedHashes,
    authorizationList,
    intrinsic,
  }
}

function effectivePrice(
  { maxFeePerGas, maxPriorityFeePerGas, chargesFees }: SimulatedTransaction,
  baseFee: bigint,
): bigint {
  if (!chargesFees) return 0n
  const price = baseFee + maxPriorityFeePerGas
  return price < maxFeePerGas ? price : maxFeePerGas
}

function blobPrice({ rules, environment }: SimulatedBlock): bigint {
  const { excessBlobGas } = environment
  if (environment.blobBaseFee !== undefined) return environment.blobBaseFee
  return excessBlobGas === undefined || rules.blobs === undefined ? 0n : blobBaseFee(excessBlobGas, rules.blobs)
}
