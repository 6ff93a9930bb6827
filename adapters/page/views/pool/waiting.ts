/**
 * Transactions of the pool by sender, and why each waits.
 * @module
 */
import { count, quantity } from '../../format/hex.ts'
import { amount } from '../../format/numbers.ts'
import type { Transaction } from '../../rpc/types.ts'

/** Answer of txpool_content: transactions by sender and nonce. */
export interface PoolContent {
  readonly pending?: BySender
  readonly queued?: BySender
}

type BySender = Readonly<Record<string, Readonly<Record<string, Transaction>>>>

export interface Sender {
  readonly address: string
  /** In the order of their nonces. */
  readonly transactions: readonly Transaction[]
}

/** The state of the account after the head. */
export interface Account {
  readonly nonce: number
  readonly balance: bigint
}

export interface Conditions {
  /** undefined before EIP-1559 */
  readonly baseFee: bigint | undefined
  readonly gasLimit: bigint
  /** false: blocks are made on request or at an interval; undefined: not known */
  readonly isMinedAtOnce: boolean | undefined
}

export interface Reason {
  readonly isReady: boolean
  readonly text: string
}

export function listOf({ pending = {}, queued = {} }: PoolContent): Transaction[] {
  return [pending, queued].flatMap((part) => Object.values(part).flatMap((byNonce) => Object.values(byNonce)))
}

/** Senders with the most transactions first. */
export function bySender(transactions: readonly Transaction[]): Sender[] {
  const senders = new Map<string, Transaction[]>()
  for (const transaction of transactions) {
    const list = senders.get(transaction.from)
    if (list === undefined) senders.set(transaction.from, [transaction])
    else list.push(transaction)
  }
  return Array.from(senders, ([address, list]) => ({
    address,
    transactions: list.sort((a, b) => count(a.nonce) - count(b.nonce)),
  })).sort((a, b) => b.transactions.length - a.transactions.length)
}

/** Why each transaction of a sender waits, in the order of their nonces. */
export function reasonsOf({ transactions }: Sender, account: Account, conditions: Conditions): Reason[] {
  const reasons: Reason[] = []
  let next = account.nonce
  let balance = account.balance
  let isBlocked = false
  for (const transaction of transactions) {
    const nonce = count(transaction.nonce)
    if (nonce > next) {
      reasons.push(waits(`needs nonce ${next} first`))
      continue
    }
    const obstacle: string | undefined = isBlocked
      ? 'waits for the one before it'
      : obstacleOf(transaction, balance, conditions)
    isBlocked ||= obstacle !== undefined
    reasons.push(obstacle === undefined ? ready(conditions) : waits(obstacle))
    balance -= costOf(transaction)
    next = nonce + 1
  }
  return reasons
}

function obstacleOf(transaction: Transaction, balance: bigint, conditions: Conditions): string | undefined {
  const { baseFee, gasLimit } = conditions
  const fee = feeOf(transaction)
  if (quantity(transaction.gas) > gasLimit) return 'its gas is above the limit of a block'
  if (baseFee !== undefined && fee < baseFee) return `its fee ${text(fee)} is below the base fee ${text(baseFee)}`
  const cost = costOf(transaction)
  return cost > balance ? `costs up to ${text(cost)}, the balance is ${text(balance)}` : undefined
}

function ready({ isMinedAtOnce }: Conditions): Reason {
  return { isReady: true, text: isMinedAtOnce === false ? 'ready: waits until a block is mined' : 'ready' }
}

function waits(reason: string): Reason {
  return { isReady: false, text: reason }
}

/** The most that it pays for a unit of gas, in wei. */
export function feeOf({ maxFeePerGas, gasPrice }: Transaction): bigint {
  return quantity(maxFeePerGas ?? gasPrice)
}

function costOf(transaction: Transaction): bigint {
  return quantity(transaction.value) + quantity(transaction.gas) * feeOf(transaction)
}

function text(wei: bigint): string {
  const { text: digits, unit } = amount(wei)
  return `${digits} ${unit}`
}
