/**
 * Sends admitted transactions to peers, collected for a short time: whole to a few, as hashes to the others.
 * @see docs/reference/p2p.md section 8
 * @module
 */
import {
  MAX_BATCHED_TRANSACTION_BYTES,
  MAX_BATCHED_TRANSACTIONS,
  MAX_PEER_GOSSIP_BACKLOG_BYTES,
  MAX_TRANSACTION_BATCH_MS,
  TRANSACTION_BATCH_MS,
} from '../../base/limits/limits.ts'
import { randomUint32 } from '../../base/ports/random.ts'
import type { Timer } from '../../base/ports/timers.ts'
import type { PooledTransaction } from '../../txpool/contract.ts'
import { BLOB_TYPE } from '../../types/transaction.ts'
import type { EthPeer } from '../eth/contract.ts'
import { announcements, isSent, type PooledTransactionsMessage, transactionMessages } from '../protocols/eth/batches.ts'
import type { NewPooledTransactionHashes } from '../protocols/eth/messages.ts'
import type { EthVersion } from '../protocols/eth/versions.ts'
import type { GossipDeps } from './contract.ts'

export interface TransactionBroadcastDeps extends Pick<GossipDeps, 'peers' | 'pool' | 'random' | 'clock' | 'timers'> {
  /** Whether further transactions will soon be added: a batch then waits for them. */
  readonly expectsMore: () => boolean
}

export class TransactionBroadcast {
  readonly #deps: TransactionBroadcastDeps
  #batch: PooledTransaction[] = []
  #bytes = 0
  #openedMs = 0
  #timer: Timer | undefined

  constructor(deps: TransactionBroadcastDeps) {
    this.#deps = deps
  }

  /** Sends a transaction with the next batch. */
  add(pooled: PooledTransaction): void {
    if (!isSent(pooled)) return
    if (this.#batch.length === 0) this.#openedMs = this.#deps.clock.monotonic()
    this.#batch.push(pooled)
    this.#bytes += pooled.encoding.length
    const isFull = this.#batch.length >= MAX_BATCHED_TRANSACTIONS || this.#bytes >= MAX_BATCHED_TRANSACTION_BYTES
    if (isFull) this.#flush()
    else if (this.#timer === undefined) this.#wait()
  }

  /** Sends the whole pool to a peer: hashes, or transactions before eth/65. */
  sendPool(peer: EthPeer): void {
    this.#send(peer, new MessageBatch([...this.#deps.pool.transactions()].filter(isSent)), !announces(peer.version))
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#clear()
  }

  #clear(): void {
    this.#batch = []
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
    const waiting = this.#batch.filter(({ hash }) => pool.byHash(hash) !== undefined)
    this.#clear()
    if (waiting.length === 0) return
    const batch = new MessageBatch(waiting)
    const whole = this.#wholeTargets()
    for (const peer of peers.all) this.#send(peer, batch, whole.has(peer))
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

  /** Leaves out what the peer has, and everything if the peer does not read. */
  #send(peer: EthPeer, batch: MessageBatch, isWhole: boolean): void {
    if (!peer.isOpen || peer.backlog > MAX_PEER_GOSSIP_BACKLOG_BYTES) return
    const { transactions } = peer.knowledge
    const unknown = batch.pooled.filter(({ hash }) => !transactions.has(hash))
    if (unknown.length === 0) return
    const batchForPeer = unknown.length === batch.pooled.length ? batch : new MessageBatch(unknown)
    const isAnnounced = announces(peer.version)
    const messages = isWhole ? batchForPeer.whole : batchForPeer.announcements(peer.version)
    const blobs = isWhole && isAnnounced ? batchForPeer.blobAnnouncements(peer.version) : []
    for (const message of [...messages, ...blobs]) {
      if (peer.backlog > MAX_PEER_GOSSIP_BACKLOG_BYTES) return
      const hashes = message.kind === 'transactions' ? message.transactions.map(({ hash }) => hash) : message.hashes
      for (const hash of hashes) transactions.add(hash)
      peer.send(message)
    }
  }
}

/** EIP-2464 */
function announces({ number }: EthVersion): boolean {
  return number >= 65
}

/** Transactions for several peers: each message is encoded once. */
class MessageBatch {
  readonly pooled: readonly PooledTransaction[]
  readonly #announcements = new Map<boolean, readonly NewPooledTransactionHashes[]>()
  readonly #blobAnnouncements = new Map<boolean, readonly NewPooledTransactionHashes[]>()
  #whole: readonly PooledTransactionsMessage[] | undefined

  constructor(pooled: readonly PooledTransaction[]) {
    this.pooled = pooled
  }

  /** Without blob transactions. */
  get whole(): readonly PooledTransactionsMessage[] {
    this.#whole ??= transactionMessages(this.pooled)
    return this.#whole
  }

  announcements(version: EthVersion): readonly NewPooledTransactionHashes[] {
    return cached(this.#announcements, version, this.pooled)
  }

  blobAnnouncements(version: EthVersion): readonly NewPooledTransactionHashes[] {
    const blobs = this.pooled.filter(({ transaction }) => transaction.type === BLOB_TYPE)
    return blobs.length === 0 ? [] : cached(this.#blobAnnouncements, version, blobs)
  }
}

function cached(
  known: Map<boolean, readonly NewPooledTransactionHashes[]>,
  version: EthVersion,
  pooled: readonly PooledTransaction[],
): readonly NewPooledTransactionHashes[] {
  const present = known.get(version.announcesTypes)
  if (present !== undefined) return present
  const batches = announcements(version, pooled)
  known.set(version.announcesTypes, batches)
  return batches
}
