/**
 * Commits on a worker thread of Node, Deno or Bun: writing and syncing a batch takes up to some 0.5 s, in which the calling
 * thread serves requests.
 * @module
 */
import { COMMIT_THREAD_IDLE_MS } from '../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { packBatch } from '../data/packedBatch.ts'
import type { CommitAnswer, CommitMessage, CommitWorkerData } from './commitWorker.ts'
import { unpackError } from './requestWire.ts'
import { type MessageTask, TaskThread } from './taskThread.ts'
import { ThreadPool } from './threadPool.ts'
import { workerUrl } from './workerThread.ts'

export interface CommitThreadOptions extends CommitWorkerData {
  /** Commits on the calling thread, when no thread can. @throws errors of the store */
  readonly commitHere: (batch: readonly Mutation[]) => void
  /** The worker's module. Default: the file next to this one. */
  readonly workerUrl?: URL
}

interface CommitTask extends MessageTask<CommitMessage, CommitAnswer> {
  readonly batch: readonly Mutation[]
}

/** The thread starts on demand and ends when it is idle. Batches are committed in the order in which they arrive. */
export class CommitThread {
  readonly #options: CommitThreadOptions
  readonly #pool: ThreadPool<CommitTask, TaskThread<CommitMessage, CommitAnswer, CommitTask>>
  /** Settles when all batches have been committed, or have failed. */
  #last: Promise<void> | undefined
  /** Settles when the thread has started ahead of its first batch. */
  #started: Promise<void> | undefined

  constructor(options: CommitThreadOptions) {
    const { directory, durability, workerUrl: url = workerUrl(import.meta.url, 'commitWorker') } = options
    this.#options = options
    const data: CommitWorkerData = { directory, durability }
    this.#pool = new ThreadPool({
      open: (events) => new TaskThread(url, events, { data, idleMs: COMMIT_THREAD_IDLE_MS }),
      onStranded: () => this.#commitHere(),
    })
  }

  get isReady(): boolean {
    return this.#pool.isReady
  }

  /** Whether a batch is waiting or being committed. */
  get isBusy(): boolean {
    return this.#last !== undefined
  }

  /** Starts the thread, if it does not run. */
  start(): void {
    if (!this.#pool.isReady && this.#pool.running === 0)
      this.#started = this.#add([], new Uint8Array(0)).catch(() => {})
  }

  /** @param batch must not change until it has been committed @throws {NodeError} as a rejection; nothing is stored then */
  commit(batch: readonly Mutation[]): Promise<void> {
    const before = this.#last
    const committed = (async () => {
      const packed = await packBatch(batch)
      await before
      await this.#add(batch, packed)
    })()
    const last = committed.then(
      () => {},
      () => {},
    )
    this.#last = last
    void last.then(() => {
      if (this.#last === last) this.#last = undefined
    })
    return committed
  }

  /** Waits for the thread: one that is ended while it holds a lock of the database waits for this lock for ever. */
  async close(): Promise<void> {
    await Promise.all([this.#started, this.#last])
    await this.#pool.close()
  }

  #add(batch: readonly Mutation[], packed: Uint8Array<ArrayBuffer>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pool.add({
        batch,
        message: () => ({ packed }),
        transferOf: () => [packed.buffer],
        done: ({ error }) => (error === undefined ? resolve() : reject(unpackError(error))),
        failed: reject,
      })
    })
  }

  /** A thread that died may have committed the batch: to commit it again changes nothing. */
  #commitHere(): void {
    for (let task = this.#pool.take(); task !== undefined; task = this.#pool.take()) {
      try {
        this.#options.commitHere(task.batch)
        task.done({})
      } catch (error) {
        task.failed(error)
      }
    }
  }
}
