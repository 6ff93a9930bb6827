import type { Logger } from '../base/ports/host.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import type { PooledTransaction } from '../txpool/contract.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import { SlowTransactions } from './slowTransactions.ts'

/** Transactions that cannot be in a block of this node. */
export class PoolRefusals {
  readonly slow: SlowTransactions = new SlowTransactions()
  readonly #pool: Pick<TransactionPool, 'remove'>
  readonly #logger: Logger

  constructor(pool: Pick<TransactionPool, 'remove'>, logger: Logger) {
    this.#pool = pool
    this.#logger = logger
  }

  /**
   * Drops the transaction from the pool. One that is only too slow for this node stays, since another node may include
   * it, and is skipped.
   */
  refuse({ hash }: PooledTransaction, rejection: Rejection): void {
    logRefusal(this.#logger, hash, rejection)
    if (rejection.code === 'EXECUTION_TOO_SLOW') this.slow.add(hash)
    else this.#pool.remove(hash, 'invalid')
  }
}

/** Warns of a valid transaction that this node cannot execute. */
export function logRefusal(logger: Logger, hash: Uint8Array, { code, message }: Rejection): void {
  if (code === 'EXECUTION_TOO_SLOW') {
    logger.warn('a transaction is too slow for the blocks of this node', { hash: bytesToHex(hash), reason: message })
  } else if (code === 'EXECUTION_OUT_OF_MEMORY') {
    logger.warn('dropped a transaction that needs more memory than this node has', { hash: bytesToHex(hash) })
  }
}
