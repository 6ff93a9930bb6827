/**
 * Exchanges transactions with peers: sends admitted ones, admits received ones, and fetches announced ones.
 * @see docs/reference/p2p.md section 8
 * @module
 */
import type { Unsubscribe } from '../../base/primitives/events.ts'
import type { EthPeer } from '../eth/contract.ts'
import type { EncodedTransaction } from '../protocols/eth/messages.ts'
import { AnnouncedTransactions } from './announcedTransactions.ts'
import type { GossipDeps } from './contract.ts'
import { PoolBroadcast } from './poolBroadcast.ts'
import { isAnnouncedOnly, received } from './receivedTransaction.ts'
import { RefusedTransactions } from './refusedTransactions.ts'
import { TransactionBroadcast } from './transactionBroadcast.ts'
import { TransactionIntake } from './transactionIntake.ts'

export class TransactionGossip {
  readonly #deps: GossipDeps
  readonly #refused: RefusedTransactions
  readonly #intake: TransactionIntake
  readonly #announced: AnnouncedTransactions
  readonly #broadcast: TransactionBroadcast
  readonly #poolBroadcast: PoolBroadcast
  #unsubscribe: readonly Unsubscribe[] = []

  constructor(deps: GossipDeps) {
    const { pool, random, clock } = deps
    this.#deps = deps
    this.#refused = new RefusedTransactions(random, clock)
    this.#intake = new TransactionIntake({ ...deps, refused: this.#refused })
    this.#announced = new AnnouncedTransactions({
      ...deps,
      isKnown: (hash, key) => this.#intake.has(key) || pool.byHash(hash) !== undefined || this.#refused.has(hash),
      onDelivered: (peer, transactions) => this.#intake.offer(peer, transactions),
    })
    this.#broadcast = new TransactionBroadcast({ ...deps, expectsMore: () => this.#intake.isAdmitting })
    this.#poolBroadcast = new PoolBroadcast({ ...deps, isBatched: (pooled) => this.#broadcast.has(pooled) })
  }

  start(): void {
    const { peers, pool, progress } = this.#deps
    this.#unsubscribe = [
      pool.events.on('added', (pooled) => {
        if (!progress.isBehind) this.#broadcast.add(pooled)
      }),
      pool.events.on('mined', ({ hash }) => this.#refused.add(hash)),
      pool.events.on('dropped', ({ pooled }) => this.#refused.add(pooled.hash)),
      peers.events.on('joined', (peer) => {
        if (!progress.isBehind) this.#poolBroadcast.add(peer)
      }),
      peers.events.on('left', (peer) => this.#announced.left(peer)),
      peers.events.on('gossip', ({ peer, message }) => {
        if (progress.isBehind) return
        if (message.kind === 'transactions') this.#received(peer, message.transactions)
        else if (message.kind === 'newPooledTransactionHashes') this.#announced.heard(peer, message)
      }),
      progress.onCaughtUp(() => this.#sendPool()),
    ]
    if (!progress.isBehind) this.#sendPool()
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#broadcast.stop()
    this.#poolBroadcast.stop()
    this.#announced.stop()
    this.#intake.stop()
  }

  #sendPool(): void {
    for (const peer of this.#deps.peers.all) this.#poolBroadcast.add(peer)
  }

  #received(peer: EthPeer, transactions: readonly EncodedTransaction[]): void {
    if (transactions.some(isAnnouncedOnly)) {
      peer.disconnect('breachOfProtocol', 'a blob transaction that was not requested')
      return
    }
    for (const { hash } of transactions) peer.knowledge.transactions.add(hash)
    this.#intake.offer(peer, transactions.map(received))
  }
}
