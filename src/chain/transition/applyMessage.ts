/**
 * The effect of a valid transaction on the state: buy gas, run the message, refund unused gas, pay the beneficiary.
 * Shared by the transactions of blocks and the calls of clients.
 * @see Yellow Paper 6.2; EIP-1559, EIP-3529, EIP-4844, EIP-7623, EIP-7702
 * @module
 */

import type { MissCause } from '../../base/ports/keyValueStore.ts'
import { type MaybePromise, mapMaybe } from '../../base/primitives/maybePromise.ts'
import { delegationTarget } from '../../evm/delegation.ts'
import { type ExecutionControl, type RunOptions, runMessage } from '../../evm/driver.ts'
import type {
  BlockEnvironment,
  Evm,
  ExecutionEnvironment,
  Message,
  MessageResult,
  StartOptions,
} from '../../evm/evm.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import type { MutableState } from '../../state/contract.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import type { IntrinsicGas } from '../../types/intrinsicGas.ts'
import type { AccessList, Authorization } from '../../types/transaction.ts'
import { applyAuthorization } from './delegation.ts'
import type { ChainRules } from './validateTransaction.ts'

/** The environment in which messages run. */
export interface ExecutionContext extends ChainRules {
  readonly block: BlockEnvironment
  readonly evm: Evm
  readonly control: ExecutionControl
  /** Precompiles at overridden addresses: new address in hex → original address in hex. */
  readonly movedPrecompiles?: ReadonlyMap<string, string> | undefined
  /** 20 bytes: calls to it are recorded in the results. */
  readonly watchedAddress?: Uint8Array | undefined
}

/** A transaction, or a call with the same fields. */
export interface TransactionMessage {
  readonly sender: Uint8Array
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  /** Effective, wei. */
  readonly gasPrice: bigint
  /** The beneficiary's share of the gas price, wei. */
  readonly priorityFee: bigint
  /** Burnt for blob gas, wei. */
  readonly blobFee: bigint
  readonly accessList: AccessList
  readonly blobVersionedHashes: readonly Uint8Array[]
  readonly authorizationList: readonly Authorization[]
  readonly intrinsic: IntrinsicGas
}

export interface AppliedMessage {
  readonly result: MessageResult
  /** Gas that the sender pays for. */
  readonly gasUsed: bigint
  /** Gas used before refunds and without the floor of EIP-7623. */
  readonly gasUsedBeforeRefund: bigint
}

const REFUND_QUOTIENT = 2n
/** EIP-3529 */
const REFUND_QUOTIENT_LONDON = 5n

/**
 * Runs a message whose sender can pay. Begins and ends the transaction on the state.
 * @returns the result; synchronously when no data is missing and the EVM answers synchronously
 * @throws {NodeError} EXECUTION_TIMEOUT, EXECUTION_ABORTED, EXECUTION_OUT_OF_MEMORY; the state is then unusable, unless
 *   the transaction is optional
 */
export function applyMessage(
  message: TransactionMessage,
  state: MutableState,
  context: ExecutionContext,
  options: StartOptions = {},
): MaybePromise<AppliedMessage> {
  const ran =
    context.control.isOptional === true
      ? runOptional(message, state, context, options)
      : run(message, state, context, options)
  if (ran instanceof Promise) return concludeLater(ran, message, state, context)
  return conclude(message, ran.result, ran.refund, state, context)
}

interface RanMessage {
  readonly result: MessageResult
  /** Of its authorizations. */
  readonly refund: bigint
}

/** Where no data are loaded, only the message itself may have to wait. Closures for the other steps would be much garbage. */
function run(
  message: TransactionMessage,
  state: MutableState,
  context: ExecutionContext,
  options: StartOptions,
): MaybePromise<RanMessage> {
  if (context.control.residency !== undefined || message.authorizationList.length > 0)
    return runLoading(message, state, context, options)
  buyGas(message, state)
  const warm = withDelegationTarget(NO_ADDRESSES, message, state, context)
  const environment = environmentOf(message, warm, context)
  const result = runMessage(context.evm, callOf(message), environment, state, runOptions(context, options))
  return result instanceof Promise ? result.then(withoutRefund) : withoutRefund(result)
}

function withoutRefund(result: MessageResult): RanMessage {
  return { result, refund: 0n }
}

function runOptional(
  message: TransactionMessage,
  state: MutableState,
  context: ExecutionContext,
  options: StartOptions,
): MaybePromise<RanMessage> {
  return undoing(() => run(message, state, context, options), state)
}

function runLoading(
  message: TransactionMessage,
  state: MutableState,
  context: ExecutionContext,
  options: StartOptions,
): MaybePromise<RanMessage> {
  const bought = retryMissesMaybe(() => buyGas(message, state), context.control.residency, missCause(message, context))
  const authorized = mapMaybe(bought, () => authorize(message, state, context))
  return mapMaybe(authorized, ({ warm, refund }) => {
    const environment = environmentOf(message, warm, context)
    const result = runMessage(context.evm, callOf(message), environment, state, runOptions(context, options))
    return mapMaybe(result, (result) => ({ result, refund }))
  })
}

/** For a residency, which may load at once what the message will need. */
export function missCause(
  { sender, to, value, data }: Omit<MissCause, 'beneficiary'>,
  { control, block }: ExecutionContext,
): MissCause | undefined {
  return control.residency && { sender, to, value, data, beneficiary: block.beneficiary }
}

/** Runs work that changes the state completely or not at all. */
function undoing<T>(work: () => MaybePromise<T>, state: MutableState): MaybePromise<T> {
  const failed = (error: unknown): never => {
    state.revert()
    throw error
  }
  const ended = (value: T): T => {
    state.endSection()
    return value
  }
  state.checkpoint()
  let running: MaybePromise<T>
  try {
    running = work()
  } catch (error) {
    return failed(error)
  }
  return running instanceof Promise ? running.then(ended, failed) : ended(running)
}

function buyGas({ sender, gasLimit, gasPrice, blobFee }: TransactionMessage, state: MutableState): void {
  const account = state.getAccount(sender)
  state.beginTransaction()
  state.setBalance(sender, (account?.balance ?? 0n) - gasLimit * gasPrice - blobFee)
  // The nonce can wrap only in a simulation, which does not check it.
  state.setNonce(sender, BigInt.asUintN(64, (account?.nonce ?? 0n) + 1n))
}

interface Authorized {
  readonly warm: readonly Uint8Array[]
  readonly refund: bigint
}

const NO_ADDRESSES: readonly Uint8Array[] = []

function authorize(message: TransactionMessage, state: StateDB, context: ExecutionContext): MaybePromise<Authorized> {
  const applied: MaybePromise<Authorized> =
    message.authorizationList.length === 0
      ? { warm: NO_ADDRESSES, refund: 0n }
      : applyAuthorizations(message.authorizationList, state, context)
  return mapMaybe(applied, ({ warm, refund }) =>
    retryMissesMaybe(
      () => ({ warm: withDelegationTarget(warm, message, state, context), refund }),
      context.control.residency,
      missCause(message, context),
    ),
  )
}

async function applyAuthorizations(
  authorizations: readonly Authorization[],
  state: StateDB,
  { chainId, control }: ExecutionContext,
): Promise<Authorized> {
  const warm: Uint8Array[] = []
  let total = 0n
  for (const authorization of authorizations) {
    const apply = () => applyAuthorization(authorization, chainId, state)
    const { authority, refund } = await retryMissesMaybe(apply, control.residency)
    if (authority !== undefined) warm.push(authority)
    total += refund
  }
  return { warm, refund: total }
}

function withDelegationTarget(
  warm: readonly Uint8Array[],
  { to }: TransactionMessage,
  state: StateDB,
  { rules }: ExecutionContext,
): readonly Uint8Array[] {
  if (to === undefined || !rules.eips.has(7702)) return warm
  const target = delegationTarget(state.getCode(to))
  return target === undefined ? warm : [...warm, target]
}

/** Member by member, because copying with unknown members costs more than a transfer. */
function runOptions({ control, watchedAddress }: ExecutionContext, options: StartOptions): RunOptions {
  return {
    scheduler: control.scheduler,
    deadlineMs: control.deadlineMs,
    signal: control.signal,
    isBlock: options.isBlock ?? control.isBlock,
    isOptional: control.isOptional,
    residency: control.residency,
    collectAccessed: options.collectAccessed,
    transferLogs: options.transferLogs,
    watchedAddress: options.watchedAddress ?? watchedAddress,
    hooks: options.hooks,
  }
}

function callOf({ sender, to, value, data, gasLimit, intrinsic }: TransactionMessage): Message {
  return { caller: sender, to, value, data, gas: gasLimit - intrinsic.intrinsic }
}

function environmentOf(
  message: TransactionMessage,
  warmAddresses: readonly Uint8Array[],
  { chainId, rules, contractSizeLimit, block, movedPrecompiles }: ExecutionContext,
): ExecutionEnvironment {
  const { sender, gasPrice, blobVersionedHashes, accessList } = message
  return {
    chainId,
    rules,
    contractSizeLimit,
    block,
    transaction: { origin: sender, gasPrice, blobVersionedHashes, accessList, warmAddresses },
    movedPrecompiles,
  }
}

function conclude(
  message: TransactionMessage,
  result: MessageResult,
  authorizationRefund: bigint,
  state: MutableState,
  context: ExecutionContext,
): MaybePromise<AppliedMessage> {
  const { residency } = context.control
  const gasUsedBeforeRefund = message.gasLimit - result.gasLeft
  const gasUsed = finalGas(gasUsedBeforeRefund, authorizationRefund + result.gasRefund, message, context)
  const ending = { selfDestructs: result.selfDestructs, clearEmpty: context.rules.eips.has(161) }
  const applied = { result, gasUsed, gasUsedBeforeRefund }
  if (residency !== undefined) return concludeLoading(message, applied, ending, state, context)
  payFees(message, gasUsed, state, context)
  state.endTransaction(ending)
  return applied
}

async function concludeLater(
  ran: Promise<RanMessage>,
  message: TransactionMessage,
  state: MutableState,
  context: ExecutionContext,
): Promise<AppliedMessage> {
  const { result, refund } = await ran
  return conclude(message, result, refund, state, context)
}

function concludeLoading(
  message: TransactionMessage,
  applied: AppliedMessage,
  ending: Parameters<MutableState['endTransaction']>[0],
  state: MutableState,
  context: ExecutionContext,
): MaybePromise<AppliedMessage> {
  const { residency } = context.control
  const paid = retryMissesMaybe(() => payFees(message, applied.gasUsed, state, context), residency)
  const ended = mapMaybe(paid, () => retryMissesMaybe(() => state.endTransaction(ending), residency))
  return mapMaybe(ended, () => applied)
}

function finalGas(
  gasUsedBeforeRefund: bigint,
  refund: bigint,
  { intrinsic }: TransactionMessage,
  { rules }: ExecutionContext,
): bigint {
  const most = gasUsedBeforeRefund / (rules.eips.has(3529) ? REFUND_QUOTIENT_LONDON : REFUND_QUOTIENT)
  const gasUsed = gasUsedBeforeRefund - (refund < most ? refund : most)
  return gasUsed > intrinsic.floor ? gasUsed : intrinsic.floor
}

/** Returns unused gas to the sender and pays the fee to the beneficiary. All reads precede the first write. */
function payFees(
  { sender, gasLimit, gasPrice, priorityFee }: TransactionMessage,
  gasUsed: bigint,
  state: StateDB,
  { block, rules }: ExecutionContext,
): void {
  const senderBalance = state.getAccount(sender)?.balance ?? 0n
  state.getAccount(block.beneficiary)
  const back = (gasLimit - gasUsed) * gasPrice
  if (back > 0n) state.setBalance(sender, senderBalance + back)
  credit(block.beneficiary, gasUsed * priorityFee, state, rules.eips.has(161))
}

/**
 * Adds to a balance. Adding zero still touches the account, and creates it before EIP-161.
 * @param clearsEmpty whether EIP-161 is active
 */
export function credit(address: Uint8Array, amount: bigint, state: StateDB, clearsEmpty: boolean): void {
  const account = state.getAccount(address)
  if (amount > 0n) state.setBalance(address, (account?.balance ?? 0n) + amount)
  else if (account === undefined && !clearsEmpty) state.createAccount(address)
  state.touch(address)
}
