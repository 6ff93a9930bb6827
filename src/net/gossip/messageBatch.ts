/**
 * Messages with transactions, shared by the peers that they are sent to.
 * @see docs/reference/p2p.md section 8
 * @module
 */
import { MAX_PEER_GOSSIP_BACKLOG_BYTES } from '../../base/limits/limits.ts'
import type { PooledTransaction } from '../../txpool/contract.ts'
import { BLOB_TYPE } from '../../types/transaction.ts'
import type { EthPeer } from '../eth/contract.ts'
import { announcements, type PooledTransactionsMessage, transactionMessages } from '../protocols/eth/batches.ts'
import type { NewPooledTransactionHashes } from '../protocols/eth/messages.ts'
import type { EthVersion } from '../protocols/eth/versions.ts'

/** EIP-2464 */
export function announces({ number }: EthVersion): boolean {
  return number >= 65
}

/** Transactions for several peers: each message is encoded once. */
export class MessageBatch {
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
  const earlier = known.get(version.announcesTypes)
  if (earlier !== undefined) return earlier
  const batches = announcements(version, pooled)
  known.set(version.announcesTypes, batches)
  return batches
}

/**
 * Leaves out what the peer has, and everything if the peer does not read.
 * @returns bytes of the hashes and transactions that were sent
 */
export function sendBatch(peer: EthPeer, batch: MessageBatch, isWhole: boolean): number {
  if (!peer.isOpen || peer.backlog > MAX_PEER_GOSSIP_BACKLOG_BYTES) return 0
  const { transactions } = peer.knowledge
  const unknown = batch.pooled.filter(({ hash }) => !transactions.has(hash))
  if (unknown.length === 0) return 0
  const batchForPeer = unknown.length === batch.pooled.length ? batch : new MessageBatch(unknown)
  const isAnnounced = announces(peer.version)
  const messages = isWhole ? batchForPeer.whole : batchForPeer.announcements(peer.version)
  const blobs = isWhole && isAnnounced ? batchForPeer.blobAnnouncements(peer.version) : []
  let bytes = 0
  for (const message of [...messages, ...blobs]) {
    if (peer.backlog > MAX_PEER_GOSSIP_BACKLOG_BYTES) break
    const isHashes = message.kind === 'newPooledTransactionHashes'
    const hashes = isHashes ? message.hashes : message.transactions.map(({ hash }) => hash)
    const sent = isHashes ? hashes : message.transactions.map(({ encoding }) => encoding)
    for (const hash of hashes) transactions.add(hash)
    for (const { length } of sent) bytes += length
    peer.send(message)
  }
  return bytes
}
