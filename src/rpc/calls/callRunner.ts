/**
 * Simulates transactions by the rules of real ones, with what a simulation leaves out.
 * @module
 */
import { blobBaseFee, GAS_PER_BLOB } from '../../chain/fees.ts'
import { applyMessage, type ExecutionContext, type TransactionMessage } from '../../chain/transition/applyMessage.ts'
import { type Rejection, reject } from '../../chain/transition/rejection.ts'
import {
  validateFunds,
  validateGas,
  validateInitCode,
  validateNonce,
} from '../../chain/transition/validateTransaction.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { forkRules } from '../../config/forks.ts'
import { type Patience, runResident } from '../../evm/driver.ts'
import type { Engine } from '../../evm/engine.ts'
import { type IntrinsicGas, intrinsicGas } from '../../types/intrinsicGas.ts'
import type { CallInput, CallOutcome, CallRunner, SimulatedBlock, SimulatedTransaction } from '../backend.ts'

export interface CallModules {
  readonly config: ChainConfig
  readonly engine: Engine
  /** Scheduler and residency; deadline and signal come with each call. */
  readonly patience: Patience
}

/** Rules without EIP-7825: a simulation may take more gas than one transaction may. */
const NO_GAS_CAP = forkRules('frontier')

export class MessageCallRunner implements CallRunner {
  readonly #modules: CallModules

  constructor(modules: CallModules) {
    this.#modules = modules
  }

  async run(input: CallInput): Promise<CallOutcome> {
    const { state, block, transaction } = input
    const context = this.#context(input)
    const intrinsic = intrinsicGas(transaction, block.rules)
    const rejection = await runResident(() => validate(input, intrinsic, context), context.patience.residency)
    if (rejection !== undefined) return { kind: 'invalid', rejection }
    const { collectAccessed, transferLogs } = input
    const applied = await applyMessage(messageOf(transaction, block, intrinsic), state, context, {
      collectAccessed,
      transferLogs,
    })
    return { kind: 'executed', ...applied }
  }

  #context({ block, limits, movedPrecompiles }: CallInput): ExecutionContext {
    const { config, engine, patience } = this.#modules
    return {
      chainId: config.chainId,
      rules: block.rules,
      contractSizeLimit: config.options.contractSizeLimit,
      block: block.environment,
      engine,
      patience: { ...patience, deadlineMs: limits.timeoutMs, signal: limits.signal },
      ...(movedPrecompiles === undefined ? {} : { movedPrecompiles }),
    }
  }
}

/** Reads only. */
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

/** A transaction without prices is under no rule about them. */
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
  const { gas, maxFeePerGas, maxFeePerBlobGas = 0n, value } = transaction
  return gas * maxFeePerGas + blobGasOf(transaction) * maxFeePerBlobGas + value
}

function messageOf(
  transaction: SimulatedTransaction,
  { rules, environment }: SimulatedBlock,
  intrinsic: IntrinsicGas,
): TransactionMessage {
  const { from, to, value, data, gas, accessList, blobVersionedHashes, authorizationList } = transaction
  const baseFee = environment.baseFeePerGas ?? 0n
  const price = effectivePrice(transaction, baseFee)
  const blobPrice =
    transaction.maxFeePerBlobGas === undefined || environment.excessBlobGas === undefined || rules.blobs === undefined
      ? 0n
      : (environment.blobBaseFee ?? blobBaseFee(environment.excessBlobGas, rules.blobs))
  return {
    sender: from,
    to,
    value,
    data,
    gasLimit: gas,
    gasPrice: price,
    priorityFee: price > baseFee ? price - baseFee : 0n,
    blobFee: blobGasOf(transaction) * blobPrice,
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
