/**
 * Whether a transaction may enter the pool. The order of the checks determines which error clients see; each returns
 * the reason for a refusal, or undefined.
 * @see eth_sendRawTransaction of Besu 23.4; EIP-155, EIP-1559, EIP-3607, EIP-7594
 * @module
 */

import { EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../base/primitives/keccak.ts'
import { maxFeePerGas } from '../chain/fees.ts'
import {
  initCodeLimit,
  maxCost,
  validateExternallyOwned,
  validateFunds,
} from '../chain/transition/validateTransaction.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { ForkRules } from '../config/forks.ts'
import type { AccountState, StateReader } from '../state/contract.ts'
import type { Transaction } from '../types/transaction.ts'
import {
  checkChainId,
  checkFees,
  checkGas,
  checkInitCode,
  checkNonce,
  checkSignature,
  checkType,
  checkTypedFields,
  type TransactionFormErrorCode,
} from '../types/transactionForm.ts'
import type { IncomingTransaction, PoolSettings } from './contract.ts'

export type AdmissionErrorCode =
  | TransactionFormErrorCode
  | 'TX_FEECAP_EXCEEDED'
  | 'GAS_PRICE_TOO_LOW'
  | 'NONCE_OVERFLOW'
  | 'MISSING_BLOB_SIDECAR'
  | 'INVALID_BLOB_SIDECAR'
  | 'REPLAY_PROTECTED_SIGNATURE_REQUIRED'
  | 'EXCEEDS_BLOCK_GAS_LIMIT'
  | 'CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE'
  | 'TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE'
  | 'NONCE_TOO_LOW'
  | 'TX_SENDER_NOT_AUTHORIZED'
  | 'TRANSACTION_ALREADY_KNOWN'
  | 'LOWER_NONCE_INVALID_TRANSACTION_EXISTS'
  | 'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER'
  | 'TRANSACTION_REPLACEMENT_UNDERPRICED'
  | 'TRANSACTION_POOL_FULL'

/** Reason of a refusal. A plain value, which avoids the cost of a stack trace. */
export interface AdmissionError {
  readonly code: AdmissionErrorCode
  readonly message: string
}

/** `undecided`: the rules cannot be evaluated on the state of the head. */
export type PermissionVerdict = 'allowed' | 'refused' | 'undecided'

/**
 * Permissioning: whether an account may send this transaction.
 * @throws {StoreMiss} while the verdict is not known
 */
export type AccountPermission = (sender: Uint8Array, transaction: Transaction) => PermissionVerdict

/** The data that transactions are checked against. */
export interface AdmissionContext {
  readonly config: ChainConfig
  /** Chain id of the next block. */
  readonly chainId: bigint
  /** Rules of the next block. */
  readonly rules: ForkRules
  readonly blockGasLimit: bigint
  /** Base fee of the next block, wei; undefined before London. */
  readonly baseFeePerGas: bigint | undefined
  readonly settings: PoolSettings
  /** Whether the node produces blocks: local transactions may then have any price. */
  readonly isSealing: boolean
  readonly permits: AccountPermission
}

/** EIP-1559: an adjusted base fee never falls below this. wei */
const MIN_BASE_FEE = 7n

export function refuse(code: AdmissionErrorCode, message: string): AdmissionError {
  return { code, message }
}

/** Checks that do not need the sender. */
export function checkBeforeSender(
  incoming: IncomingTransaction,
  context: AdmissionContext,
): AdmissionError | undefined {
  const { transaction } = incoming
  return (
    checkFeeCap(incoming, context) ??
    checkPrice(incoming, context) ??
    checkChainId(transaction, context.rules, context.chainId) ??
    (incoming.impersonatedSender === undefined ? checkSignature(transaction, context.rules) : undefined)
  )
}

/** Checks that do not need the state. */
export function checkWithoutState(
  incoming: IncomingTransaction,
  context: AdmissionContext,
): AdmissionError | undefined {
  const { transaction } = incoming
  const { rules, config } = context
  return (
    checkType(transaction, rules) ??
    checkNonceRange(transaction) ??
    checkInitCode(transaction, rules, initCodeLimit(config.options.contractSizeLimit)) ??
    checkTypedFields(transaction, rules) ??
    checkSidecar(incoming, rules) ??
    checkFees(transaction) ??
    checkGas(transaction, rules) ??
    checkReplayProtection(incoming, context) ??
    checkBlockGasLimit(transaction, context)
  )
}

/** Checks against the sender's account. */
export function checkSender(
  incoming: IncomingTransaction,
  sender: Uint8Array,
  account: AccountState | undefined,
  state: StateReader,
  context: AdmissionContext,
): AdmissionError | undefined {
  const { transaction } = incoming
  return (
    checkFunds(transaction, sender, account) ??
    checkNonceUnused(transaction, account) ??
    (incoming.impersonatedSender === undefined ? checkCode(sender, account, state, context) : undefined) ??
    checkPermission(sender, transaction, context)
  )
}

/** Number of nonces, starting at the account's, that the sender may use in the pool. */
function accountLimit({ maxSize, limitByAccount }: PoolSettings): number {
  return Math.ceil(maxSize * limitByAccount)
}

export function checkDistance(
  { nonce }: Transaction,
  account: AccountState | undefined,
  settings: PoolSettings,
): AdmissionError | undefined {
  const limit = accountLimit(settings)
  const distance = nonce - (account?.nonce ?? 0n)
  if (distance < BigInt(limit)) return undefined
  const message = `Transaction nonce is too distant from current sender nonce: ${distance} ahead, limit ${limit}`
  return refuse('NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER', message)
}

function checkFeeCap(
  { transaction, isLocal }: IncomingTransaction,
  { settings }: AdmissionContext,
): AdmissionError | undefined {
  const { feeCap } = settings
  if (!isLocal || feeCap === 0n) return undefined
  const fee = transaction.gasLimit * maxFeePerGas(transaction)
  if (fee <= feeCap) return undefined
  const message = `tx fee (${inEther(fee)} ether) exceeds the configured cap (${inEther(feeCap)} ether)`
  return refuse('TX_FEECAP_EXCEEDED', message)
}

function inEther(wei: bigint): string {
  return (Number(wei) / 1e18).toFixed(2)
}

function checkPrice(
  { transaction, isLocal }: IncomingTransaction,
  context: AdmissionContext,
): AdmissionError | undefined {
  const { settings, isSealing, baseFeePerGas = 0n } = context
  const price = maxFeePerGas(transaction)
  const floor = baseFeePerGas < MIN_BASE_FEE ? baseFeePerGas : MIN_BASE_FEE
  const minGasPrice = isLocal && isSealing ? 0n : settings.minGasPrice
  const least = minGasPrice > floor ? minGasPrice : floor
  if (price >= least) return undefined
  return refuse('GAS_PRICE_TOO_LOW', `transaction underpriced: gas price ${price}, minimum needed ${least}`)
}

function checkNonceRange(transaction: Transaction): AdmissionError | undefined {
  const error = checkNonce(transaction)
  return error === undefined ? undefined : refuse('NONCE_OVERFLOW', error.message)
}

/** Clients older than EIP-7594 send version 0 indefinitely; on the network only the fork's version is valid. */
function checkSidecar(
  { transaction, sidecar, isLocal }: IncomingTransaction,
  { eips }: ForkRules,
): AdmissionError | undefined {
  if (transaction.type !== 3) return undefined
  if (sidecar === undefined) return refuse('MISSING_BLOB_SIDECAR', 'missing sidecar in blob transaction')
  const sidecarVersion = eips.has(7594) ? 1 : 0
  if (sidecar.version === sidecarVersion || (isLocal && sidecar.version === 0)) return undefined
  const message = `unexpected sidecar version, want: ${sidecarVersion}, got: ${sidecar.version}`
  return refuse('INVALID_BLOB_SIDECAR', message)
}

function checkReplayProtection(
  { transaction, isLocal }: IncomingTransaction,
  { settings }: AdmissionContext,
): AdmissionError | undefined {
  if (!isLocal || !settings.requireReplayProtection || transaction.chainId !== undefined) return undefined
  const message = 'only replay-protected (EIP-155) transactions allowed over RPC'
  return refuse('REPLAY_PROTECTED_SIGNATURE_REQUIRED', message)
}

function checkBlockGasLimit(
  { gasLimit }: Transaction,
  { blockGasLimit }: AdmissionContext,
): AdmissionError | undefined {
  if (gasLimit <= blockGasLimit) return undefined
  return refuse('EXCEEDS_BLOCK_GAS_LIMIT', `exceeds block gas limit: have ${gasLimit}, limit ${blockGasLimit}`)
}

function checkFunds(
  transaction: Transaction,
  sender: Uint8Array,
  account: AccountState | undefined,
): AdmissionError | undefined {
  const rejection = validateFunds(sender, account?.balance ?? 0n, maxCost(transaction))
  return rejection === undefined ? undefined : refuse('TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE', rejection.message)
}

function checkNonceUnused({ nonce }: Transaction, account: AccountState | undefined): AdmissionError | undefined {
  const next = account?.nonce ?? 0n
  return nonce >= next ? undefined : refuse('NONCE_TOO_LOW', `nonce too low: next nonce ${next}, tx nonce ${nonce}`)
}

function checkCode(
  sender: Uint8Array,
  account: AccountState | undefined,
  state: StateReader,
  { rules }: AdmissionContext,
): AdmissionError | undefined {
  const hasCode = account !== undefined && !equalBytes(account.codeHash, EMPTY_CODE_HASH)
  const rejection = validateExternallyOwned(sender, account, hasCode ? state.getCode(sender) : EMPTY_BYTES, rules)
  return rejection === undefined ? undefined : refuse('TX_SENDER_NOT_AUTHORIZED', rejection.message)
}

function checkPermission(
  sender: Uint8Array,
  transaction: Transaction,
  { permits }: AdmissionContext,
): AdmissionError | undefined {
  const verdict = permits(sender, transaction)
  if (verdict === 'allowed') return undefined
  if (verdict === 'undecided') {
    return refuse('CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE', 'the permissioning contract has no verdict on the sender')
  }
  return refuse('TX_SENDER_NOT_AUTHORIZED', 'sender account not authorized to send transactions')
}
