/**
 * Proofs of blobs on a worker thread; Node, Deno and Bun.
 * @module
 */
import { Worker } from 'node:worker_threads'
import { BLOB_WORKER_IDLE_MS, MAX_BLOB_VERIFICATIONS } from '../../src/config/limits.ts'
import { NodeError } from '../../src/primitives/errors.ts'
import { verifySidecar } from '../../src/txpool/blobs.ts'
import type { BlobAnswer, BlobTask } from './blobWorker.ts'
import { yieldToHost } from './systemPorts.ts'

/** After so many threads that died no more are started. */
const MAX_DEATHS = 3

export interface BlobVerifierOptions {
  /** The worker's module; the default is the file beside this one. */
  readonly workerUrl?: URL
  /** A thread without work ends after so long, milliseconds. */
  readonly idleMs?: number
}

interface Waiting {
  readonly task: BlobTask
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function defaultWorkerUrl(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./blobWorker.${extension}`, import.meta.url)
}

/**
 * One thread, which starts with the first transaction that has blobs. What it cannot do, because it does not start or
 * dies, the calling thread does.
 */
export class BlobVerifier {
  readonly #workerUrl: URL
  readonly #idleMs: number
  /** In the order in which they came. */
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  /** A thread that is not ready may lose what it is sent (Deno, Bun). */
  #isReady = false
  #nextId = 0
  #deaths = 0
  #idle: ReturnType<typeof setTimeout> | undefined

  constructor({ workerUrl = defaultWorkerUrl(), idleMs = BLOB_WORKER_IDLE_MS }: BlobVerifierOptions = {}) {
    this.#workerUrl = workerUrl
    this.#idleMs = idleMs
  }

  /**
   * As verifySidecar of the pool (src/txpool/blobs.ts).
   * @throws {NodeError} INVALID_BLOB_SIDECAR; TRANSACTION_POOL_FULL when too many wait
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
      this.#dispatch(task)
    })
  }

  /** Ends the thread; what waits is verified on the calling thread. */
  async close(): Promise<void> {
    this.#deaths = MAX_DEATHS
    await this.#stop()
    this.#verifyHere()
  }

  #dispatch(task: BlobTask): void {
    if (this.#worker === undefined && this.#deaths < MAX_DEATHS) this.#start()
    if (this.#worker === undefined) this.#verifyHere()
    else if (this.#isReady) this.#send(this.#worker, task)
  }

  #start(): void {
    try {
      const worker = new Worker(this.#workerUrl)
      this.#worker = worker
      worker.on('message', (message: BlobAnswer) => this.#onMessage(worker, message))
      worker.on('error', () => this.#onDeath(worker))
      worker.on('exit', () => this.#onDeath(worker))
    } catch {
      this.#deaths = MAX_DEATHS
    }
  }

  #send(worker: Worker, task: BlobTask): void {
    clearTimeout(this.#idle)
    worker.ref()
    worker.postMessage(task)
  }

  #onMessage(worker: Worker, message: BlobAnswer): void {
    if (worker !== this.#worker) return
    if (message.kind === 'ready') {
      this.#isReady = true
      for (const { task } of this.#waiting.values()) this.#send(worker, task)
    } else {
      this.#settle(message)
    }
    if (this.#waiting.size > 0) return
    worker.unref()
    this.#idle = setTimeout(() => void this.#stop(), this.#idleMs)
    this.#idle.unref()
  }

  #settle({ id, reason, error }: Exclude<BlobAnswer, { kind: 'ready' }>): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error !== undefined) waiting?.reject(new Error(error))
    else if (reason !== undefined) waiting?.reject(new NodeError({ code: 'INVALID_BLOB_SIDECAR' }, reason))
    else waiting?.resolve()
  }

  #onDeath(worker: Worker): void {
    if (worker !== this.#worker) return
    this.#deaths++
    this.#forget()
    this.#verifyHere()
  }

  async #stop(): Promise<void> {
    const worker = this.#worker
    this.#forget()
    await worker?.terminate()
  }

  #forget(): void {
    clearTimeout(this.#idle)
    this.#worker = undefined
    this.#isReady = false
  }

  #verifyHere(): void {
    for (const { task, resolve, reject } of this.#waiting.values()) {
      verifySidecar(task, task.sidecar, yieldToHost).then(resolve, reject)
    }
    this.#waiting.clear()
  }
}
