/**
 * Sender recovery on worker threads; Node, Deno and Bun.
 * @module
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { MAX_RECOVERY_QUEUE_TASKS } from '../../src/config/limits.ts'
import type { RecoveryTask, SenderRecovery } from '../../src/ports/host.ts'
import { InlineRecovery } from '../../src/ports/inlineRecovery.ts'
import { packTasks, unpackAnswers } from './recoveryWire.ts'
import { systemClock, yieldToHost } from './systemPorts.ts'

/** Below this the message costs more than it saves. */
const MIN_POOLED_TASKS = 64
/** Tasks of one message: some milliseconds of work. */
const CHUNK_TASKS = 128
/** Chunks that a worker holds, so that the next one is there when it is done with the first. */
const CHUNKS_IN_FLIGHT = 2
/** After so many dead workers no more are started. */
const MAX_DEATHS = 3

export interface RecoveryPoolOptions {
  readonly workers?: number
  /** The worker's module; the default is the file beside this one. */
  readonly workerUrl?: URL
  readonly inline?: SenderRecovery
}

interface Chunk {
  readonly tasks: readonly RecoveryTask[]
  readonly done: (addresses: (Uint8Array | undefined)[]) => void
  readonly failed: (reason: unknown) => void
}

interface PooledWorker {
  readonly thread: Worker
  /** In the order in which they were sent, which is the order of the answers. */
  readonly inFlight: Chunk[]
  ready: boolean
}

function defaultWorkerUrl(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./recoveryWorker.${extension}`, import.meta.url)
}

/**
 * Chunks wait in one queue; whoever is free takes the next. Threads start with the first big batch; until one of them
 * is ready, and whenever none is left, the calling thread works through the queue itself, in slices.
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
    this.#workerUrl = options.workerUrl ?? defaultWorkerUrl()
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

  /** Stops the threads; what still waits is finished on the calling thread. */
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
    const worker: PooledWorker = { thread: new Worker(this.#workerUrl), inFlight: [], ready: false }
    this.#workers.add(worker)
    worker.thread.on('message', (message: 'ready' | Uint8Array) => this.#onMessage(worker, message))
    worker.thread.on('error', () => this.#onDeath(worker))
    worker.thread.on('exit', () => this.#onDeath(worker))
  }

  #onMessage(worker: PooledWorker, message: 'ready' | Uint8Array): void {
    // A thread that is being stopped may still have its say; the process has to wait for its end all the same.
    if (!this.#workers.has(worker)) return
    if (message === 'ready') worker.ready = true
    else {
      const chunk = worker.inFlight.shift()
      if (chunk) this.#settle(chunk, unpackAnswers(message))
    }
    this.#dispatch()
    if (worker.inFlight.length === 0) worker.thread.unref()
  }

  #onDeath(worker: PooledWorker): void {
    if (!this.#workers.has(worker)) return
    this.#deaths++
    this.#retire(worker)
  }

  /** Puts back what the worker had, ahead of the rest. */
  #retire(worker: PooledWorker): void {
    this.#workers.delete(worker)
    this.#queue.unshift(...worker.inFlight.splice(0))
    this.#dispatch()
  }

  #dispatch(): void {
    let isStaffed = false
    for (const worker of this.#workers) {
      if (!worker.ready) continue
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
    worker.thread.ref()
    worker.thread.postMessage(records, [records.buffer])
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
    for (const worker of this.#workers) if (worker.ready) return undefined
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
