/**
 * Transactions that a replica passes on to a node, and shows until they are published.
 * @module
 */
import { MAX_UPSTREAM_TRANSACTIONS, UPSTREAM_RETENTION_MS } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../base/primitives/errors.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { ChainReader } from '../../chain/contract.ts'
import { mirrorUnavailable } from '../../mirror/errors.ts'
import type { RemoteClient } from '../../remote/contract.ts'
import type { PooledTransaction, PoolReader } from '../../txpool/contract.ts'
import { decodeSubmission } from '../../txpool/decode.ts'
import type { SubmissionVerdict, TransactionSubmission } from '../../txpool/submission.ts'
import { encodeTransaction, transactionSender } from '../../types/transactionCodec.ts'

/** The transactions that the node accepted, as the pool of the replica. */
export class UpstreamTransactions implements PoolReader, TransactionSubmission {
  readonly #remote: Pick<RemoteClient, 'request'>
  readonly #clock: Clock
  /** By hash, oldest first. */
  readonly #accepted = new Map<string, PooledTransaction>()
  readonly maxSize: number = MAX_UPSTREAM_TRANSACTIONS
  #sequence = 0

  constructor(remote: Pick<RemoteClient, 'request'>, clock: Clock) {
    this.#remote = remote
    this.#clock = clock
  }

  /** @throws {NodeError} REMOTE_REFUSED with the node's error; MIRROR_UNAVAILABLE when the node cannot be reached */
  async submitRaw(raw: Uint8Array): Promise<SubmissionVerdict> {
    const decoded = decodedOf(raw)
    if ('kind' in decoded) return decoded
    await this.#send(raw)
    const { transaction } = decoded
    const encoding = encodeTransaction(transaction)
    const hash = keccak256(encoding)
    const sender = transactionSender(transaction)
    if (sender !== undefined) {
      const addedAtMs = this.#clock.now()
      this.#keep({ transaction, encoding, hash, sender, isLocal: true, addedAtMs, sequence: this.#sequence++ })
    }
    return { kind: 'accepted', hash }
  }

  async submit(): Promise<never> {
    throw new NodeError({ code: 'READ_ONLY_NODE' }, 'this node is read-only: it has no keys to sign transactions with')
  }

  /** Forgets what the chain has by now, and what has waited for too long. Reads of the chain may miss. */
  forgetPublished(chain: Pick<ChainReader, 'transactionLocation'>): void {
    const oldest = this.#clock.now() - UPSTREAM_RETENTION_MS
    for (const [key, { hash, addedAtMs }] of this.#accepted) {
      if (addedAtMs < oldest || chain.transactionLocation(hash) !== undefined) this.#accepted.delete(key)
    }
  }

  get size(): number {
    return this.#accepted.size
  }

  get localCount(): number {
    return this.#accepted.size
  }

  byHash(hash: Uint8Array): PooledTransaction | undefined {
    return this.#accepted.get(bytesToHex(hash))
  }

  nextNonce(sender: Uint8Array): bigint | undefined {
    const last = this.bySender(sender).at(-1)
    return last && last.transaction.nonce + 1n
  }

  transactions(): Iterable<PooledTransaction> {
    return this.#accepted.values()
  }

  senders(): Iterable<Uint8Array> {
    return new Map([...this.#accepted.values()].map(({ sender }) => [bytesToHex(sender), sender])).values()
  }

  bySender(sender: Uint8Array): readonly PooledTransaction[] {
    const name = bytesToHex(sender)
    const own = [...this.#accepted.values()].filter((pooled) => bytesToHex(pooled.sender) === name)
    return own.sort((a, b) => Number(a.transaction.nonce - b.transaction.nonce))
  }

  #keep(pooled: PooledTransaction): void {
    this.#accepted.set(bytesToHex(pooled.hash), pooled)
    const [oldest] = this.#accepted.keys()
    if (this.#accepted.size > MAX_UPSTREAM_TRANSACTIONS && oldest !== undefined) this.#accepted.delete(oldest)
  }

  async #send(raw: Uint8Array): Promise<void> {
    try {
      await this.#remote.request('eth_sendRawTransaction', [bytesToHex(raw)])
    } catch (cause) {
      if (isNodeError(cause, 'REMOTE_REFUSED')) throw cause
      throw mirrorUnavailable('the node of --mirror-upstream', 'it does not answer', { cause })
    }
  }
}

function decodedOf(raw: Uint8Array) {
  try {
    return decodeSubmission(raw)
  } catch (error) {
    if (!isNodeError(error)) throw error
    const { code, message, details } = error
    return { kind: 'undecodable' as const, error: { code, message, v: (details as { readonly v?: bigint }).v } }
  }
}
