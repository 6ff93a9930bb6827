/**
 * Sends the pool to peers that join: hashes, or transactions before eth/65. One walk over the pool serves all peers that
 * wait when it begins, and pauses after each slice.
 * @see docs/reference/p2p.md section 8
 * @module
 */
import { MAX_PEER_POOL_BYTES, POOL_SLICE_BYTES, POOL_SLICE_TRANSACTIONS } from '../../base/limits/limits.ts'
import { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import type { PooledTransaction } from '../../txpool/contract.ts'
import type { EthPeer } from '../eth/contract.ts'
import { isSent } from '../protocols/eth/batches.ts'
import type { GossipDeps } from './contract.ts'
import { announces, MessageBatch, sendBatch } from './messageBatch.ts'

/** Milliseconds of sending between two yields. */
const SLICE_MS = 4

export interface PoolBroadcastDeps extends Pick<GossipDeps, 'pool' | 'progress' | 'clock' | 'yieldToHost' | 'logger'> {
  /** Whether a transaction will soon be sent to all peers. */
  readonly isBatched: (pooled: PooledTransaction) => boolean
}

export class PoolBroadcast {
  readonly #deps: PoolBroadcastDeps
  /** For the next walk. */
  #waiting = new Set<EthPeer>()
  #isRunning = false
  #isStopped = false

  constructor(deps: PoolBroadcastDeps) {
    this.#deps = deps
  }

  add(peer: EthPeer): void {
    this.#waiting.add(peer)
    if (this.#isRunning) return
    this.#isRunning = true
    this.#run()
      .catch((error: unknown) => this.#deps.logger.error('could not send the pool to peers', { error }))
      .then(() => {
        this.#isRunning = false
      })
  }

  stop(): void {
    this.#isStopped = true
    this.#waiting.clear()
  }

  async #run(): Promise<void> {
    const slicer = new TimeSlicer({ ...this.#deps, sliceMs: SLICE_MS })
    while (this.#waiting.size > 0) {
      // Peers that join at the same time share a walk.
      await slicer.yield()
      const peers = new Map([...this.#waiting].map((peer) => [peer, MAX_PEER_POOL_BYTES]))
      this.#waiting = new Set()
      await this.#walk(peers, slicer)
    }
  }

  /** @param peers and the bytes that each may still get */
  async #walk(peers: Map<EthPeer, number>, slicer: TimeSlicer): Promise<void> {
    for (const slice of this.#slices()) {
      const batch = new MessageBatch(slice)
      for (const [peer, left] of peers) {
        // All peers get the pool once the node has caught up.
        if (this.#isStopped || this.#deps.progress.isBehind) return
        const rest = left - sendBatch(peer, batch, !announces(peer.version))
        if (peer.isOpen && rest > 0) peers.set(peer, rest)
        else peers.delete(peer)
        if (slicer.isDue) await slicer.yield()
      }
      if (peers.size === 0) return
      await slicer.yield()
    }
  }

  /** Transactions that are added meanwhile are left to their batch. */
  *#slices(): Generator<PooledTransaction[], void, undefined> {
    const { pool, isBatched } = this.#deps
    let slice: PooledTransaction[] = []
    let bytes = 0
    for (const pooled of pool.transactions()) {
      if (!isSent(pooled) || isBatched(pooled)) continue
      slice.push(pooled)
      bytes += pooled.encoding.length
      if (slice.length < POOL_SLICE_TRANSACTIONS && bytes < POOL_SLICE_BYTES) continue
      yield slice
      slice = []
      bytes = 0
    }
    if (slice.length > 0) yield slice
  }
}
