/**
 * Executes one transaction of a block.
 * @module
 */

import { type MaybePromise, mapMaybe } from '../../base/primitives/maybePromise.ts'
import type { MessageResult, StartOptions } from '../../evm/evm.ts'
import type { MutableState } from '../../state/contract.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import { createAddress } from '../../types/address.ts'
import { logsBloom } from '../../types/bloom.ts'
import { intrinsicGas } from '../../types/intrinsicGas.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type { Transaction } from '../../types/transaction.ts'
import { blobGas, effectiveGasPrice } from '../fees.ts'
import {
  type AppliedMessage,
  applyMessage,
  type ExecutionContext,
  missCause,
  type TransactionMessage,
} from './applyMessage.ts'
import type { Rejection } from './rejection.ts'
import { type BlockBudget, validateForm, validateInBlock, validateSender } from './validateTransaction.ts'

export interface TransactionInput {
  readonly transaction: Transaction
  /** 20 bytes */
  readonly sender: Uint8Array
  /** Whether the sender may be a contract: it is impersonated (dev chain), or was accepted when the block was built. */
  readonly mayHaveCode?: boolean
  readonly budget: BlockBudget
  /** Gas used by the block before this transaction. */
  readonly gasUsedBefore: bigint
  readonly keepRevertReason: boolean
}

export type TransactionOutcome =
  | {
      readonly kind: 'executed'
      readonly receipt: StoredReceipt
      readonly result: MessageResult
      readonly gasUsed: bigint
    }
  /** The state is unchanged. */
  | { readonly kind: 'invalid'; readonly rejection: Rejection }

export type AppliedTransaction =
  | ({ readonly kind: 'applied' } & AppliedMessage)
  | Extract<TransactionOutcome, { readonly kind: 'invalid' }>

/** Checks and executes a transaction; synchronously when no data is missing and the EVM answers synchronously. */
export function executeTransaction(
  input: TransactionInput,
  state: MutableState,
  context: ExecutionContext,
): MaybePromise<TransactionOutcome> {
  return mapMaybe(applyTransaction(input, state, context), (outcome) => {
    if (outcome.kind === 'invalid') return outcome
    const receipt = retryMissesMaybe(() => receiptOf(input, outcome, state, context), context.control.residency)
    const { result, gasUsed } = outcome
    return mapMaybe(receipt, (receipt) => ({ kind: 'executed', receipt, result, gasUsed }))
  })
}

/**
 * Like {@link executeTransaction}, but without a receipt.
 * @param prepare receives the message before its execution begins, and returns additional options for the EVM
 */
export function applyTransaction(
  input: Pick<TransactionInput, 'transaction' | 'sender' | 'mayHaveCode' | 'budget'>,
  state: MutableState,
  context: ExecutionContext,
  prepare?: (message: TransactionMessage) => StartOptions,
): MaybePromise<AppliedTransaction> {
  const { transaction, sender, budget } = input
  const { to, value, data } = transaction
  const cause = missCause({ sender, to, value, data }, context)
  const validated = retryMissesMaybe(() => validateTransaction(input, state, context), context.control.residency, cause)
  return mapMaybe(validated, (rejection) => {
    if (rejection !== undefined) return { kind: 'invalid', rejection }
    const message = messageOf(transaction, sender, budget, context)
    const applied = applyMessage(message, state, context, prepare?.(message))
    return mapMaybe(applied, ({ result, gasUsed, gasUsedBeforeRefund }) => ({
      kind: 'applied',
      result,
      gasUsed,
      gasUsedBeforeRefund,
    }))
  })
}

/** All rules for a transaction of a block. Only reads the state. */
function validateTransaction(
  {
    transaction,
    sender,
    mayHaveCode,
    budget,
  }: Pick<TransactionInput, 'transaction' | 'sender' | 'mayHaveCode' | 'budget'>,
  state: Pick<MutableState, 'getAccount' | 'getCode'>,
  context: Pick<ExecutionContext, 'rules' | 'chainId' | 'contractSizeLimit'>,
): Rejection | undefined {
  const codeOf = (): Uint8Array | undefined => (mayHaveCode === true ? undefined : state.getCode(sender))
  return (
    validateForm(transaction, context) ??
    validateInBlock(transaction, sender, budget) ??
    validateSender(transaction, sender, state.getAccount(sender), codeOf(), context.rules)
  )
}

function messageOf(
  transaction: Transaction,
  sender: Uint8Array,
  { baseFeePerGas, blobBaseFee }: BlockBudget,
  { rules }: ExecutionContext,
): TransactionMessage {
  const gasPrice = effectiveGasPrice(transaction, baseFeePerGas)
  const { to, value, data, gasLimit } = transaction
  return {
    sender,
    to,
    value,
    data,
    gasLimit,
    gasPrice,
    priorityFee: gasPrice - (baseFeePerGas ?? 0n),
    blobFee: blobGas(transaction) * (blobBaseFee ?? 0n),
    accessList: transaction.type === 0 ? [] : transaction.accessList,
    blobVersionedHashes: transaction.type === 3 ? transaction.blobVersionedHashes : [],
    authorizationList: transaction.type === 4 ? transaction.authorizationList : [],
    intrinsic: intrinsicGas(transaction, rules),
  }
}

function receiptOf(
  { transaction, sender, gasUsedBefore, keepRevertReason }: TransactionInput,
  { result, gasUsed }: AppliedMessage,
  state: MutableState,
  { rules }: ExecutionContext,
): StoredReceipt {
  const keepsReason = keepRevertReason && result.outcome === 'revert'
  const receipt: { -readonly [Name in keyof StoredReceipt]: StoredReceipt[Name] } = {
    type: transaction.type,
    cumulativeGasUsed: gasUsedBefore + gasUsed,
    logsBloom: logsBloom(result.logs),
    logs: result.logs,
    gasUsed,
  }
  if (rules.eips.has(658)) receipt.status = result.outcome === 'success'
  else receipt.postState = state.rootHash()
  if (transaction.to === undefined) receipt.contractAddress = createAddress(sender, transaction.nonce)
  if (keepsReason) receipt.revertReason = result.output
  return receipt
}
