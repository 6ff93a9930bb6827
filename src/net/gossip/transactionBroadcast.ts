/**
 * Sends admitted transactions to peers, collected for a short time: whole to a few, as hashes to the others.
 * @see docs/reference/p2p.md section 8
 * @module
 */
import {
  MAX_BATCHED_TRANSACTION_BYTES,
  MAX_BATCHED_TRANSACTIONS,
  MAX_TRANSACTION_BATCH_MS,
  TRANSACTION_BATCH_MS,
} from '../../base/limits/limits.ts'
import { randomUint32 } from '../../base/ports/random.ts'
import type { Timer } from '../../base/ports/timers.ts'
import type { PooledTransaction } from '../../txpool/contract.ts'
import type { EthPeer } from '../eth/contract.ts'
import { isSent } from '../protocols/eth/batches.ts'
import type { GossipDeps } from './contract.ts'
import { announces, MessageBatch, sendBatch } from './messageBatch.ts'

export interface TransactionBroadcastDeps extends Pick<GossipDeps, 'peers' | 'pool' | 'random' | 'clock' | 'timers'> {
  /** Whether further transactions will soon be added: a batch then waits for them. */
  readonly expectsMore: () => boolean
}

export class TransactionBroadcast {
  readonly #deps: TransactionBroadcastDeps
  #batch = new Set<PooledTransaction>()
  #bytes = 0
  #openedMs = 0
  #timer: Timer | undefined

  constructor(deps: TransactionBroadcastDeps) {
    this.#deps = deps
  }

  /** Sends a transaction with the next batch. */
  add(pooled: PooledTransaction): void {
    if (!isSent(pooled)) return
    if (this.#batch.size === 0) this.#openedMs = this.#deps.clock.monotonic()
    this.#batch.add(pooled)
    this.#bytes += pooled.encoding.length
    const isFull = this.#batch.size >= MAX_BATCHED_TRANSACTIONS || this.#bytes >= MAX_BATCHED_TRANSACTION_BYTES
    if (isFull) this.#flush()
    else if (this.#timer === undefined) this.#wait()
  }

  /** Whether the next batch has the transaction. */
  has(pooled: PooledTransaction): boolean {
    return this.#batch.has(pooled)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#clear()
  }

  #clear(): void {
    this.#batch = new Set()
    this.#bytes = 0
  }

  #wait(): void {
    this.#timer = this.#deps.timers.schedule(TRANSACTION_BATCH_MS, () => {
      const { clock, expectsMore } = this.#deps
      const isLate = clock.monotonic() - this.#openedMs >= MAX_TRANSACTION_BATCH_MS
      if (isLate || !expectsMore()) this.#flush()
      else this.#wait()
    })
  }

  #flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const { peers, pool } = this.#deps
    const waiting = [...this.#batch].filter(({ hash }) => pool.byHash(hash) !== undefined)
    this.#clear()
    if (waiting.length === 0) return
    const batch = new MessageBatch(waiting)
    const whole = this.#wholeTargets()
    for (const peer of peers.all) sendBatch(peer, batch, whole.has(peer))
  }

  /** Peers before eth/65, and random ones up to the square root of all. */
  #wholeTargets(): ReadonlySet<EthPeer> {
    const { peers, random } = this.#deps
    const targets = new Set(peers.all.filter(({ version }) => !announces(version)))
    const others = peers.all.filter(({ version }) => announces(version))
    const count = Math.ceil(Math.sqrt(peers.all.length))
    for (let left = others.length; left > 0 && targets.size < count; left--) {
      const at = randomUint32(random) % left
      targets.add(others[at] as EthPeer)
      others[at] = others[left - 1] as EthPeer
    }
    return targets
  }
}
