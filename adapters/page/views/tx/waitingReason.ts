/**
 * Why a transaction of the pool is not in a block yet, for nodes that do not say it.
 * @module
 */
import { count, quantity } from '../../format/hex.ts'
import { amount } from '../../format/numbers.ts'
import type { Transaction } from '../../rpc/types.ts'

type FeeFields = Pick<Transaction, 'nonce' | 'maxFeePerGas' | 'gasPrice'>

/** @param nextNonce of the sender's account, if it is known */
export function waitingReason(
  transaction: FeeFields,
  nextNonce: number | undefined,
  baseFee: string | undefined,
): string {
  const nonce = count(transaction.nonce)
  if (nextNonce !== undefined && nonce > nextNonce) {
    const missing = nonce - nextNonce
    return `${missing} ${missing === 1 ? 'transaction' : 'transactions'} of the sender must come first: its nonce is ${nonce}, the next is ${nextNonce}.`
  }
  const most = quantity(transaction.maxFeePerGas ?? transaction.gasPrice)
  if (baseFee !== undefined && most < quantity(baseFee)) {
    const [offered, wanted] = [amount(most), amount(quantity(baseFee))]
    return `It pays at most ${offered.text} ${offered.unit} for gas, and the base fee is ${wanted.text} ${wanted.unit}.`
  }
  return 'It waits for a block with room for it.'
}
