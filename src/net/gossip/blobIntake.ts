/**
 * Verifies the blobs of transactions from peers, one transaction at a time: a proof takes much longer than a signature.
 * @module
 */
import { MAX_PEER_WAITING_BLOB_TRANSACTIONS, MAX_WAITING_BLOB_TRANSACTIONS } from '../../base/limits/limits.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { checkCommitments, verifySidecar } from '../../txpool/blobs.ts'
import type { IncomingTransaction } from '../../txpool/contract.ts'
import type { BlobSidecar } from '../../types/blobSidecar.ts'
import type { BlobTransaction } from '../../types/transaction.ts'
import type { EthPeer } from '../eth/contract.ts'
import type { GossipDeps } from './contract.ts'
import type { DecodedTransaction } from './receivedTransaction.ts'
import type { RefusedTransactions } from './refusedTransactions.ts'

export interface BlobIntakeDeps
  extends Pick<GossipDeps, 'pool' | 'verifySidecar' | 'yieldToHost' | 'residency' | 'logger'> {
  readonly refused: RefusedTransactions
  admit(incoming: IncomingTransaction, received: DecodedTransaction, peer: EthPeer): Promise<void> | undefined
  /** The transaction was admitted, refused or dropped. */
  onEnd(received: DecodedTransaction): void
}

interface WaitingBlobs {
  readonly received: DecodedTransaction
  readonly sender: Uint8Array
  readonly peer: EthPeer
}

export class BlobIntake {
  readonly #deps: BlobIntakeDeps
  readonly #waiting: WaitingBlobs[] = []
  #isRunning = false
  #isStopped = false

  constructor(deps: BlobIntakeDeps) {
    this.#deps = deps
  }

  /** @returns false when too many are waiting */
  offer(received: DecodedTransaction, sender: Uint8Array, peer: EthPeer): boolean {
    const ofPeer = this.#waiting.filter((waiting) => waiting.peer === peer).length
    const isFull = ofPeer >= MAX_PEER_WAITING_BLOB_TRANSACTIONS || this.#waiting.length >= MAX_WAITING_BLOB_TRANSACTIONS
    if (isFull || this.#isStopped) return false
    this.#waiting.push({ received, sender, peer })
    if (!this.#isRunning) this.#start()
    return true
  }

  stop(): void {
    this.#isStopped = true
    this.#waiting.length = 0
  }

  #start(): void {
    this.#isRunning = true
    this.#run().then(() => {
      this.#isRunning = false
    })
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#verify(next).catch((error: unknown) =>
        this.#deps.logger.error('could not admit a blob transaction from a peer', { error }),
      )
      this.#deps.onEnd(next.received)
    }
  }

  async #verify({ received, sender, peer }: WaitingBlobs): Promise<void> {
    const { pool, refused, residency, yieldToHost, verifySidecar: verify, admit } = this.#deps
    const transaction = received.transaction as BlobTransaction
    const sidecar = received.sidecar as BlobSidecar
    const incoming: IncomingTransaction = { transaction, sidecar, encoding: received.encoding, isLocal: false, sender }
    try {
      // The pool need not accept the transaction for its sender to be at fault.
      checkCommitments(transaction, sidecar)
      const error = await retryMisses(() => pool.check(incoming), residency)
      if (error !== undefined) {
        if (!error.code.endsWith('_BLOB_SIDECAR')) refused.add(received.hash)
        return
      }
      await (verify?.(transaction, sidecar) ?? verifySidecar(transaction, sidecar, yieldToHost))
    } catch (error) {
      if (isNodeError(error, 'INVALID_BLOB_SIDECAR')) peer.disconnect('breachOfProtocol', error.message)
      else if (!isNodeError(error, 'TRANSACTION_POOL_FULL')) throw error
      return
    }
    if (!this.#isStopped) await admit(incoming, received, peer)
  }
}
