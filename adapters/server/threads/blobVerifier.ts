/**
 * Verification of blob proofs on a worker thread of Node, Deno or Bun.
 * @module
 */
import { BLOB_WORKER_IDLE_MS, MAX_BLOB_VERIFICATIONS } from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { verifySidecar } from '../../../src/txpool/blobs.ts'
import { yieldToHost } from '../systemPorts.ts'
import type { BlobAnswer, BlobTask } from './blobWorker.ts'
import { WorkerThread, workerUrl } from './workerThread.ts'

/** After this number of failures, no further thread is started. */
const MAX_DEATHS = 3

export interface BlobVerifierOptions {
  /** The worker's module. Default: the file next to this one. */
  readonly workerUrl?: URL
  /** Idle time after which the thread ends, in milliseconds. */
  readonly idleMs?: number
}

interface Waiting {
  readonly task: BlobTask
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Verifies on one thread, which starts with the first blob transaction. If the thread cannot start or fails, the
 * calling thread does its work.
 */
export class BlobVerifier {
  readonly #workerUrl: URL
  readonly #idleMs: number
  /** In order of arrival. */
  readonly #waiting = new Map<number, Waiting>()
  #thread: WorkerThread<BlobTask, BlobAnswer> | undefined
  #nextId = 0
  #deaths = 0

  constructor(options: BlobVerifierOptions = {}) {
    this.#workerUrl = options.workerUrl ?? workerUrl(import.meta.url, 'blobWorker')
    this.#idleMs = options.idleMs ?? BLOB_WORKER_IDLE_MS
  }

  /**
   * Equivalent to the pool's verifySidecar (src/txpool/blobs.ts).
   * @throws {NodeError} INVALID_BLOB_SIDECAR; TRANSACTION_POOL_FULL when too many sidecars are waiting
   */
  readonly verify = (
    { blobVersionedHashes }: Pick<BlobTask, 'blobVersionedHashes'>,
    sidecar: BlobTask['sidecar'],
  ): Promise<void> => {
    if (this.#waiting.size >= MAX_BLOB_VERIFICATIONS) {
      const message = `txpool is full: ${MAX_BLOB_VERIFICATIONS} blob transactions are being verified`
      return Promise.reject(new NodeError({ code: 'TRANSACTION_POOL_FULL' }, message))
    }
    const task: BlobTask = { id: this.#nextId++, blobVersionedHashes, sidecar }
    return new Promise((resolve, reject) => {
      this.#waiting.set(task.id, { task, resolve, reject })
      this.#thread ??= this.#start()
      if (this.#thread === undefined) this.#verifyHere()
      else this.#thread.send(task)
    })
  }

  /** Ends the thread. The calling thread verifies the remaining sidecars. */
  async close(): Promise<void> {
    this.#deaths = MAX_DEATHS
    await this.#stop()
    this.#verifyHere()
  }

  #start(): WorkerThread<BlobTask, BlobAnswer> | undefined {
    if (this.#deaths >= MAX_DEATHS) return undefined
    const events = {
      answer: (answer: BlobAnswer) => this.#settle(answer),
      idle: () => void this.#stop(),
      ended: () => this.#onDeath(),
    }
    try {
      return new WorkerThread(this.#workerUrl, events, { idleMs: this.#idleMs })
    } catch {
      this.#deaths = MAX_DEATHS
      return undefined
    }
  }

  #settle({ id, reason, error }: BlobAnswer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error !== undefined) waiting?.reject(new Error(error))
    else if (reason !== undefined) waiting?.reject(new NodeError({ code: 'INVALID_BLOB_SIDECAR' }, reason))
    else waiting?.resolve()
    if (this.#waiting.size === 0) this.#thread?.rest()
  }

  #onDeath(): void {
    this.#deaths++
    this.#thread = undefined
    this.#verifyHere()
  }

  async #stop(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }

  #verifyHere(): void {
    for (const { task, resolve, reject } of this.#waiting.values()) {
      verifySidecar(task, task.sidecar, yieldToHost).then(resolve, reject)
    }
    this.#waiting.clear()
  }
}
