/**
 * The transactions of the pool for the block on top of another.
 * @module
 */
import type { Chain } from '../chain/chain.ts'
import type { ChainHeader } from '../chain/contract.ts'
import { nextBaseFeeOf, nextBlobBaseFeeOf } from '../chain/nextBlock.ts'
import type { StateSource } from '../state/contract.ts'
import type { PoolOrder, TransactionQueue } from '../txpool/contract.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'

export interface PoolQueueDeps {
  readonly chain: Pick<Chain, 'config'>
  readonly pool: Pick<TransactionPool, 'best'>
  readonly states: Pick<StateSource, 'at'>
}

export interface PoolQueueOptions {
  /** Default: derived from the parent. */
  readonly baseFeePerGas?: bigint | undefined
  /** Default: `price`. */
  readonly order?: PoolOrder | undefined
}

/** @throws {StoreMiss} when the state is not resident; the call can be repeated */
export function poolQueueOn(
  parent: ChainHeader,
  { chain, pool, states }: PoolQueueDeps,
  { baseFeePerGas, order }: PoolQueueOptions = {},
): TransactionQueue {
  const prices = {
    baseFeePerGas: baseFeePerGas ?? nextBaseFeeOf(chain.config, parent.header),
    blobBaseFee: nextBlobBaseFeeOf(chain.config, parent.header),
  }
  const state = states.at(parent)
  return pool.best(prices, (sender) => state?.getAccount(sender)?.nonce ?? 0n, order)
}
