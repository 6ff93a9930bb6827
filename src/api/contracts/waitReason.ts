/**
 * Why a transaction is still in the pool.
 * @module
 */
import { ether, grouped, gwei } from '../../base/primitives/amounts.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { ChainReader } from '../../chain/contract.ts'
import { maxFeePerGas } from '../../chain/fees.ts'
import { nextBaseFeeOf } from '../../chain/nextBlock.ts'
import type { Account } from '../../evm/stateDb.ts'
import type { MiningInfo } from '../../sealing/contract.ts'
import type { PooledTransaction, PoolReader } from '../../txpool/contract.ts'

/** When the dev chain makes blocks. */
export interface DevSealing {
  readonly automine: boolean
  /** 0: not at an interval */
  readonly intervalMs: number
}

export interface WaitInput {
  readonly chain: Pick<ChainReader, 'config' | 'head'>
  readonly pool: Pick<PoolReader, 'bySender' | 'transactions'>
  readonly mining: Pick<MiningInfo, 'mining'>
  /** undefined on other chains */
  readonly sealing: DevSealing | undefined
  /** Base fee of the next block, wei; undefined: derived from the head. */
  readonly nextBaseFee: bigint | undefined
}

export interface WaitReason {
  /** `queued`: another transaction of the sender is missing. */
  readonly status: 'pending' | 'queued'
  readonly text: string
}

/** @param account of the sender at the head */
export function waitReason(pooled: PooledTransaction, account: Account | undefined, input: WaitInput): WaitReason {
  const nonce = account?.nonce ?? 0n
  const missing = missingNonce(pooled, nonce, input.pool)
  if (missing !== undefined) {
    return {
      status: 'queued',
      text: `it has nonce ${pooled.transaction.nonce}, and nonce ${missing} of its sender is missing`,
    }
  }
  const text =
    priceReason(pooled, input) ??
    fundsReason(pooled, account) ??
    earlierReason(pooled, nonce, input) ??
    roomReason(pooled, input) ??
    blockReason(input)
  return { status: 'pending', text }
}

/**
 * The first nonce before the transaction's that neither the chain nor the pool has; undefined: none.
 * @param next nonce of the sender at the head
 */
export function missingNonce(
  { sender, transaction }: Pick<PooledTransaction, 'sender' | 'transaction'>,
  next: bigint,
  pool: Pick<PoolReader, 'bySender'>,
): bigint | undefined {
  let first = next
  for (const { transaction: other } of pool.bySender(sender)) if (other.nonce === first) first++
  return first < transaction.nonce ? first : undefined
}

function priceReason({ transaction }: PooledTransaction, { chain, nextBaseFee }: WaitInput): string | undefined {
  const baseFee = nextBaseFee ?? nextBaseFeeOf(chain.config, chain.head.header)
  const most = maxFeePerGas(transaction)
  if (baseFee === undefined || most >= baseFee) return undefined
  return `its maximum fee of ${gwei(most)} is below the base fee of ${gwei(baseFee)}`
}

function fundsReason({ transaction }: PooledTransaction, account: Account | undefined): string | undefined {
  const cost = transaction.value + transaction.gasLimit * maxFeePerGas(transaction)
  const balance = account?.balance ?? 0n
  return balance >= cost ? undefined : `it may cost ${ether(cost)}, and its sender has ${ether(balance)}`
}

function earlierReason(pooled: PooledTransaction, nonce: bigint, { pool }: WaitInput): string | undefined {
  if (pooled.transaction.nonce <= nonce) return undefined
  const first = pool.bySender(pooled.sender).find(({ transaction }) => transaction.nonce === nonce)
  return first && `an earlier transaction of its sender, ${bytesToHex(first.hash)}, is not in a block yet`
}

function roomReason(pooled: PooledTransaction, { chain, pool }: WaitInput): string | undefined {
  const limit = chain.head.header.gasLimit
  const { gasLimit } = pooled.transaction
  if (gasLimit > limit) return `its gas limit of ${grouped(gasLimit)} exceeds that of a block, ${grouped(limit)}`
  let ahead = 0n
  for (const other of pool.transactions()) {
    if (other.sequence < pooled.sequence) ahead += other.transaction.gasLimit
  }
  if (ahead + gasLimit <= limit) return undefined
  return `${grouped(ahead)} gas is ahead of it in the pool, and a block has ${grouped(limit)}`
}

function blockReason({ sealing, mining }: WaitInput): string {
  if (sealing === undefined) return mining.mining ? 'the next block' : 'a block of another node'
  if (sealing.intervalMs > 0) return `the next block, one of which is made every ${sealing.intervalMs / 1000} seconds`
  return sealing.automine ? 'the next block' : 'a block, which is made on request only: automine is off'
}
