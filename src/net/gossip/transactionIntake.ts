/**
 * Admits transactions from peers to the pool. Each peer has a queue; the queues are served in turn. Senders are
 * recovered in batches, on other threads if the host has them.
 * @see docs/reference/p2p.md section 8
 * @module
 */
import {
  ADMISSION_BATCH_TRANSACTIONS,
  MAX_PEER_WAITING_TRANSACTION_BYTES,
  MAX_PEER_WAITING_TRANSACTIONS,
  MAX_TRANSACTION_AGE_MS,
  MAX_WAITING_TRANSACTION_BYTES,
  PEER_REFUSAL_BURST,
  PEER_REFUSALS_PER_SECOND,
} from '../../base/limits/limits.ts'
import { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { TokenBucket } from '../../base/primitives/tokenBucket.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import type { IncomingTransaction } from '../../txpool/contract.ts'
import { signatureOf } from '../../types/transactionCodec.ts'
import type { EthPeer } from '../eth/contract.ts'
import { BlobIntake } from './blobIntake.ts'
import type { GossipDeps } from './contract.ts'
import { type DecodedTransaction, decoded, ownedCopy, type ReceivedTransaction } from './receivedTransaction.ts'
import type { RefusedTransactions } from './refusedTransactions.ts'

/** Milliseconds of admissions between two yields. */
const SLICE_MS = 8

interface Waiting {
  readonly received: ReceivedTransaction
  readonly sinceMs: number
}

type Batch = { readonly received: DecodedTransaction; readonly peer: EthPeer }[]

interface RecoveredBatch {
  readonly batch: Batch
  /** undefined: the signature is invalid */
  readonly senders: readonly (Uint8Array | undefined)[]
}

/** Transactions from one peer. */
interface PeerQueue {
  readonly waiting: Waiting[]
  bytes: number
  readonly refusals: TokenBucket
}

export interface TransactionIntakeDeps
  extends Pick<GossipDeps, 'pool' | 'senders' | 'verifySidecar' | 'clock' | 'yieldToHost' | 'residency' | 'logger'> {
  readonly refused: RefusedTransactions
}

export class TransactionIntake {
  readonly #deps: TransactionIntakeDeps
  readonly #blobs: BlobIntake
  /** Peers with waiting transactions, the next one first. */
  readonly #queues = new Map<EthPeer, PeerQueue>()
  readonly #refusals = new WeakMap<EthPeer, TokenBucket>()
  /** Waiting transactions and those under admission. */
  readonly #keys = new Set<string>()
  #bytes = 0
  #isRunning = false
  #isStopped = false

  constructor(deps: TransactionIntakeDeps) {
    this.#deps = deps
    this.#blobs = new BlobIntake({
      ...deps,
      admit: (incoming, received, peer) => this.#admit(incoming, received, peer),
      onEnd: ({ key }) => this.#keys.delete(key),
    })
  }

  /** Number of transactions that wait or are being admitted. */
  get size(): number {
    return this.#keys.size
  }

  get isAdmitting(): boolean {
    return this.#isRunning
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  /** Queues transactions that are new: neither queued, nor in the pool, nor refused before. */
  offer(peer: EthPeer, transactions: readonly ReceivedTransaction[]): void {
    const { pool, refused, clock } = this.#deps
    const nowMs = clock.monotonic()
    for (const received of transactions) {
      const { key, hash, encoding } = received
      if (this.#isStopped || this.#keys.has(key) || pool.byHash(hash) !== undefined || refused.has(hash)) continue
      const waiting = { received: ownedCopy(received), sinceMs: nowMs }
      if (!this.#enqueue(peer, waiting, encoding.length, nowMs)) break
      this.#keys.add(key)
    }
    if (this.#isRunning || this.#queues.size === 0) return
    this.#isRunning = true
    this.#run()
      .catch((error: unknown) => this.#deps.logger.error('could not admit transactions from a peer', { error }))
      .then(() => {
        this.#isRunning = false
      })
  }

  stop(): void {
    this.#isStopped = true
    this.#queues.clear()
    this.#keys.clear()
    this.#blobs.stop()
  }

  /** @returns false when the peer has used up its share */
  #enqueue(peer: EthPeer, waiting: Waiting, bytes: number, nowMs: number): boolean {
    let queue = this.#queues.get(peer)
    if (queue === undefined) {
      let refusals = this.#refusals.get(peer)
      if (refusals === undefined) {
        refusals = new TokenBucket(PEER_REFUSALS_PER_SECOND, PEER_REFUSAL_BURST, nowMs)
        this.#refusals.set(peer, refusals)
      }
      queue = { waiting: [], bytes: 0, refusals }
    }
    const isFull = queue.waiting.length >= MAX_PEER_WAITING_TRANSACTIONS
    if (isFull || queue.bytes + bytes > MAX_PEER_WAITING_TRANSACTION_BYTES) return false
    if (this.#bytes + bytes > MAX_WAITING_TRANSACTION_BYTES || !queue.refusals.take(nowMs)) return false
    queue.waiting.push(waiting)
    queue.bytes += bytes
    this.#bytes += bytes
    this.#queues.set(peer, queue)
    return true
  }

  /** The senders of the next batch are recovered while one is admitted. */
  async #run(): Promise<void> {
    const { clock, yieldToHost } = this.#deps
    const slicer = new TimeSlicer({ clock, yieldToHost, sliceMs: SLICE_MS })
    let next = this.#recoverNext()
    while (next !== undefined && !this.#isStopped) {
      const { batch, senders } = await next
      next = this.#recoverNext()
      // Awaited later, or never after a failed admission.
      next?.catch(() => {})
      for (const [i, { received, peer }] of batch.entries()) {
        if (this.#isStopped) return
        const pending = this.#recovered(received, senders[i], peer)
        if (pending !== undefined) await pending
        if (slicer.isDue) await slicer.yield()
      }
      next ??= this.#recoverNext()
    }
  }

  /** @returns undefined when nothing waits */
  #recoverNext(): Promise<RecoveredBatch> | undefined {
    if (this.#queues.size === 0) return undefined
    const batch = this.#nextBatch()
    return this.#deps.senders
      .recover(batch.map(({ received }) => signatureOf(received.transaction)))
      .then((senders) => ({ batch, senders }))
  }

  /** The oldest transactions from each peer in turn. */
  #nextBatch(): Batch {
    const oldestMs = this.#deps.clock.monotonic() - MAX_TRANSACTION_AGE_MS
    const batch: Batch = []
    const share = Math.ceil(ADMISSION_BATCH_TRANSACTIONS / this.#queues.size)
    for (const [peer, queue] of [...this.#queues]) {
      if (batch.length >= ADMISSION_BATCH_TRANSACTIONS) break
      const taken = queue.waiting.splice(0, share)
      const startMs = this.#deps.clock.monotonic()
      for (const { received, sinceMs } of taken) {
        queue.bytes -= received.encoding.length
        this.#bytes -= received.encoding.length
        const transaction = sinceMs >= oldestMs ? this.#decode(received, peer) : undefined
        if (transaction === undefined) this.#keys.delete(received.key)
        else batch.push({ received: transaction, peer })
      }
      peer.charge(this.#deps.clock.monotonic() - startMs)
      this.#queues.delete(peer)
      if (queue.waiting.length > 0) this.#queues.set(peer, queue)
    }
    return batch
  }

  /** @returns undefined for a malformed transaction, which ends the connection */
  #decode(received: ReceivedTransaction, peer: EthPeer): DecodedTransaction | undefined {
    try {
      return decoded(received)
    } catch (error) {
      if (!isNodeError(error)) throw error
      peer.disconnect('breachOfProtocol', error.message)
      return undefined
    }
  }

  #recovered(received: DecodedTransaction, sender: Uint8Array | undefined, peer: EthPeer): Promise<void> | undefined {
    if (sender === undefined) {
      this.#keys.delete(received.key)
      peer.disconnect('breachOfProtocol', 'a transaction with an invalid signature')
      return undefined
    }
    if (received.sidecar !== undefined) {
      if (!this.#blobs.offer(received, sender, peer)) this.#keys.delete(received.key)
      return undefined
    }
    const { transaction, encoding } = received
    const pending = this.#admit({ transaction, encoding, isLocal: false, sender }, received, peer)
    if (pending === undefined) this.#keys.delete(received.key)
    return pending?.finally(() => this.#keys.delete(received.key))
  }

  /** @returns a promise over a store that had to fetch data */
  #admit(incoming: IncomingTransaction, { hash }: DecodedTransaction, peer: EthPeer): Promise<void> | undefined {
    const { pool, refused, residency } = this.#deps
    const verdict = retryMissesMaybe(() => pool.admit(incoming), residency)
    const finish = (result: Awaited<typeof verdict>): void => {
      if (result.kind === 'admitted') {
        this.#refusals.get(peer)?.giveBack()
        return
      }
      const { code } = result.error
      // With another sidecar, or when the state is available, the same transaction may be admitted.
      const isFinal = !code.endsWith('_BLOB_SIDECAR') && code !== 'CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE'
      if (isFinal) refused.add(hash)
    }
    if (verdict instanceof Promise) return verdict.then(finish)
    finish(verdict)
    return undefined
  }
}
