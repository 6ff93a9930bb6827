/**
 * Sender recovery on worker threads of Node, Deno or Bun.
 * @module
 */
import { availableParallelism } from 'node:os'
import { MAX_RECOVERY_QUEUE_TASKS } from '../../../src/base/limits/limits.ts'
import type { RecoveryTask, SenderRecovery } from '../../../src/base/ports/host.ts'
import { InlineRecovery } from '../../../src/base/ports/inlineRecovery.ts'
import { systemClock, yieldToHost } from '../systemPorts.ts'
import { packTasks, unpackAnswers } from './recoveryWire.ts'
import { WorkerThread, workerUrl } from './workerThread.ts'

/** Below this, the message costs more than it saves. */
const MIN_POOLED_TASKS = 64
/** Tasks per message: some milliseconds of work. */
const CHUNK_TASKS = 128
/** Chunks that a worker holds, so that the next one is available when it finishes the first. */
const CHUNKS_IN_FLIGHT = 2
/** No new threads are started after this number of deaths. */
const MAX_DEATHS = 3

export interface RecoveryPoolOptions {
  readonly workers?: number
  /** The worker's module. Default: the file next to this one. */
  readonly workerUrl?: URL
  readonly inline?: SenderRecovery
}

interface Chunk {
  readonly tasks: readonly RecoveryTask[]
  readonly done: (addresses: (Uint8Array | undefined)[]) => void
  readonly failed: (reason: unknown) => void
}

interface PooledWorker {
  readonly thread: WorkerThread<Uint8Array<ArrayBuffer>, Uint8Array>
  /** In the order in which they were sent, which is the order of the answers. */
  readonly inFlight: Chunk[]
}

/**
 * Chunks wait in one queue, from which any free worker takes the next. Threads start with the first large batch. While
 * none is ready, or when none is left, the calling thread processes the queue itself, in slices.
 */
export class RecoveryPool implements SenderRecovery {
  readonly #size: number
  readonly #workerUrl: URL
  readonly #inline: SenderRecovery
  readonly #workers = new Set<PooledWorker>()
  readonly #queue: Chunk[] = []
  #queuedTasks = 0
  #working = false
  #deaths = 0
  #closed = false

  constructor(options: RecoveryPoolOptions = {}) {
    this.#size = options.workers ?? Math.max(1, availableParallelism() - 1)
    this.#workerUrl = options.workerUrl ?? workerUrl(import.meta.url, 'recoveryWorker')
    this.#inline = options.inline ?? new InlineRecovery({ clock: systemClock, yieldToHost })
  }

  async recover(tasks: readonly RecoveryTask[]): Promise<(Uint8Array | undefined)[]> {
    const isFull = this.#queuedTasks + tasks.length > MAX_RECOVERY_QUEUE_TASKS
    if (this.#closed || isFull || tasks.length < MIN_POOLED_TASKS) return this.#inline.recover(tasks)
    const parts: Promise<(Uint8Array | undefined)[]>[] = []
    for (let from = 0; from < tasks.length; from += CHUNK_TASKS) {
      parts.push(this.#enqueue(tasks.slice(from, from + CHUNK_TASKS)))
    }
    this.#startWorkers()
    this.#dispatch()
    return (await Promise.all(parts)).flat()
  }

  /** Stops the threads; the calling thread finishes the remaining work. */
  async close(): Promise<void> {
    this.#closed = true
    const stopped = [...this.#workers].map((worker) => worker.thread.terminate())
    for (const worker of this.#workers) this.#retire(worker)
    await Promise.all(stopped)
  }

  #enqueue(tasks: readonly RecoveryTask[]): Promise<(Uint8Array | undefined)[]> {
    this.#queuedTasks += tasks.length
    return new Promise((done, failed) => this.#queue.push({ tasks, done, failed }))
  }

  #startWorkers(): void {
    while (this.#workers.size < this.#size && this.#deaths < MAX_DEATHS) {
      try {
        this.#startWorker()
      } catch {
        this.#deaths = MAX_DEATHS
      }
    }
  }

  #startWorker(): void {
    const thread: PooledWorker['thread'] = new WorkerThread(this.#workerUrl, {
      ready: () => {
        this.#dispatch()
        if (worker.inFlight.length === 0) thread.rest()
      },
      answer: (answer) => this.#onAnswer(worker, answer),
      ended: () => this.#onDeath(worker),
    })
    const worker: PooledWorker = { thread, inFlight: [] }
    this.#workers.add(worker)
  }

  #onAnswer(worker: PooledWorker, answer: Uint8Array): void {
    // A thread that is being stopped may still answer, but its chunks are already back in the queue.
    if (!this.#workers.has(worker)) return
    const chunk = worker.inFlight.shift()
    if (chunk) this.#settle(chunk, unpackAnswers(answer))
    this.#dispatch()
    if (worker.inFlight.length === 0) worker.thread.rest()
  }

  #onDeath(worker: PooledWorker): void {
    this.#deaths++
    this.#retire(worker)
  }

  /** Returns the worker's chunks to the front of the queue. */
  #retire(worker: PooledWorker): void {
    this.#workers.delete(worker)
    this.#queue.unshift(...worker.inFlight.splice(0))
    this.#dispatch()
  }

  #dispatch(): void {
    let isStaffed = false
    for (const worker of this.#workers) {
      if (!worker.thread.isReady) continue
      isStaffed = true
      while (worker.inFlight.length < CHUNKS_IN_FLIGHT) {
        const chunk = this.#queue.shift()
        if (chunk === undefined) return
        this.#send(worker, chunk)
      }
    }
    if (!isStaffed && this.#queue.length > 0) void this.#workHere()
  }

  #send(worker: PooledWorker, chunk: Chunk): void {
    let records: Uint8Array<ArrayBuffer>
    try {
      records = packTasks(chunk.tasks)
    } catch (error) {
      this.#fail(chunk, error)
      return
    }
    worker.inFlight.push(chunk)
    worker.thread.send(records, [records.buffer])
  }

  async #workHere(): Promise<void> {
    if (this.#working) return
    this.#working = true
    for (let chunk = this.#queue.shift(); chunk !== undefined; chunk = this.#nextForHere()) {
      try {
        this.#settle(chunk, await this.#inline.recover(chunk.tasks))
      } catch (error) {
        this.#fail(chunk, error)
      }
      await yieldToHost()
    }
    this.#working = false
    this.#dispatch()
  }

  #nextForHere(): Chunk | undefined {
    for (const worker of this.#workers) if (worker.thread.isReady) return undefined
    return this.#queue.shift()
  }

  #settle(chunk: Chunk, addresses: (Uint8Array | undefined)[]): void {
    this.#queuedTasks -= chunk.tasks.length
    chunk.done(addresses)
  }

  #fail(chunk: Chunk, reason: unknown): void {
    this.#queuedTasks -= chunk.tasks.length
    chunk.failed(reason)
  }
}
