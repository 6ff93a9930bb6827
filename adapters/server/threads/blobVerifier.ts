/**
 * Verification of blob proofs on a worker thread of Node, Deno or Bun.
 * @module
 */
import { BLOB_WORKER_IDLE_MS, MAX_BLOB_VERIFICATIONS } from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { verifySidecar } from '../../../src/txpool/blobs.ts'
import { yieldToHost } from '../../shared/systemPorts.ts'
import type { BlobAnswer, BlobTask } from './blobWorker.ts'
import { type MessageTask, TaskThread } from './taskThread.ts'
import { ThreadPool } from './threadPool.ts'
import { workerUrl } from './workerThread.ts'

export interface BlobVerifierOptions {
  /** The worker's module. Default: the file next to this one. */
  readonly workerUrl?: URL
  /** Idle time after which the thread ends, in milliseconds. */
  readonly idleMs?: number
}

/**
 * Verifies on one thread, which starts with the first blob transaction. If the thread cannot start or fails, the
 * calling thread does its work.
 */
export class BlobVerifier {
  readonly #pool: ThreadPool<MessageTask<BlobTask, BlobAnswer>, TaskThread<BlobTask, BlobAnswer>>

  constructor({
    workerUrl: url = workerUrl(import.meta.url, 'blobWorker'),
    idleMs = BLOB_WORKER_IDLE_MS,
  }: BlobVerifierOptions = {}) {
    this.#pool = new ThreadPool({
      open: (events) => new TaskThread(url, events, { idleMs }),
      onStranded: () => this.#verifyHere(),
    })
  }

  /**
   * Equivalent to the pool's verifySidecar (src/txpool/blobs.ts).
   * @throws {NodeError} INVALID_BLOB_SIDECAR; TRANSACTION_POOL_FULL when too many sidecars are waiting
   */
  readonly verify = (
    { blobVersionedHashes }: Pick<BlobTask, 'blobVersionedHashes'>,
    sidecar: BlobTask['sidecar'],
  ): Promise<void> => {
    if (this.#pool.waiting + this.#pool.running >= MAX_BLOB_VERIFICATIONS) {
      const message = `txpool is full: ${MAX_BLOB_VERIFICATIONS} blob transactions are being verified`
      return Promise.reject(new NodeError({ code: 'TRANSACTION_POOL_FULL' }, message))
    }
    return new Promise((resolve, reject) => {
      this.#pool.add({
        message: () => ({ blobVersionedHashes, sidecar }),
        done: ({ reason, error }) => {
          if (error !== undefined) reject(new Error(error))
          else if (reason !== undefined) reject(new NodeError({ code: 'INVALID_BLOB_SIDECAR' }, reason))
          else resolve()
        },
        failed: reject,
      })
    })
  }

  /** Ends the thread. The calling thread verifies the remaining sidecars. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  #verifyHere(): void {
    for (let task = this.#pool.take(); task !== undefined; task = this.#pool.take()) {
      const { message, done, failed } = task
      const { blobVersionedHashes, sidecar } = message()
      verifySidecar({ blobVersionedHashes }, sidecar, yieldToHost).then(() => done({ kind: 'verified' }), failed)
    }
  }
}
