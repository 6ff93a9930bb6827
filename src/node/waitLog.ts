import type { ActivityLog } from '../activityLog/activityLog.ts'
import { missingNonce } from '../api/contracts/waitReason.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import type { Unsubscribe } from '../base/primitives/events.ts'
import type { Chain } from '../chain/chain.ts'
import type { StateSource } from '../state/contract.ts'
import type { PooledTransaction } from '../txpool/contract.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Says in the log of the dev chain for which nonce a transaction waits. */
export class WaitLog implements Lifecycle {
  readonly name = 'log of waiting transactions'
  readonly #log: Pick<ActivityLog, 'note'>
  readonly #pool: Pick<TransactionPool, 'bySender' | 'events'>
  readonly #chain: Pick<Chain, 'head'>
  readonly #states: Pick<StateSource, 'at'>
  #unsubscribe: Unsubscribe | undefined

  constructor(
    log: Pick<ActivityLog, 'note'>,
    pool: Pick<TransactionPool, 'bySender' | 'events'>,
    chain: Pick<Chain, 'head'>,
    states: Pick<StateSource, 'at'>,
  ) {
    this.#log = log
    this.#pool = pool
    this.#chain = chain
    this.#states = states
  }

  start(): void {
    this.#unsubscribe = this.#pool.events.on('added', (pooled) => {
      const missing = this.#missingNonce(pooled)
      if (missing === undefined) return
      const { hash, sender, transaction } = pooled
      const name = `transaction ${bytesToHex(hash)} with nonce ${transaction.nonce}`
      this.#log.note('info', `${name} waits for nonce ${missing} of ${bytesToHex(sender)}`)
    })
  }

  stop(): void {
    this.#unsubscribe?.()
  }

  /** The first nonce before the transaction's that neither the chain nor the pool has; undefined: none. */
  #missingNonce({ sender, transaction }: PooledTransaction): bigint | undefined {
    let next: bigint
    try {
      next = this.#states.at(this.#chain.head)?.getAccount(sender)?.nonce ?? 0n
    } catch {
      // A state that is not in memory is not worth waiting for.
      return undefined
    }
    return missingNonce({ sender, transaction }, next, this.#pool)
  }
}
