/**
 * Sender recovery on worker threads of Node, Deno or Bun.
 * @module
 */
import { availableParallelism } from 'node:os'
import { MAX_RECOVERY_QUEUE_TASKS } from '../../../src/base/limits/limits.ts'
import type { RecoveryTask, SenderRecovery } from '../../../src/base/ports/host.ts'
import { InlineRecovery } from '../../../src/base/ports/inlineRecovery.ts'
import { systemClock, yieldToHost } from '../../shared/systemPorts.ts'
import { packTasks, unpackAnswers } from './recoveryWire.ts'
import { type MessageTask, TaskThread } from './taskThread.ts'
import { ThreadPool } from './threadPool.ts'
import { workerUrl } from './workerThread.ts'

/** Below this, the message costs more than it saves. */
const MIN_POOLED_TASKS = 64
/** Tasks per message: some milliseconds of work. */
const CHUNK_TASKS = 128
/** Chunks that a worker holds, so that the next one is available when it finishes the first. */
const CHUNKS_IN_FLIGHT = 2

export interface RecoveryPoolOptions {
  readonly workers?: number
  /** The worker's module. Default: the file next to this one. */
  readonly workerUrl?: URL
  readonly inline?: SenderRecovery
}

type Addresses = (Uint8Array | undefined)[]
type Records = Uint8Array<ArrayBuffer>

class Chunk implements MessageTask<Records, Uint8Array> {
  readonly tasks: readonly RecoveryTask[]
  readonly recovered: Promise<Addresses>
  #resolve: (addresses: Addresses) => void = () => {}
  #reject: (reason: unknown) => void = () => {}

  constructor(tasks: readonly RecoveryTask[]) {
    this.tasks = tasks
    this.recovered = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  message(): Records {
    return packTasks(this.tasks)
  }

  transferOf({ buffer }: Records): readonly ArrayBuffer[] {
    return [buffer]
  }

  done(answer: Uint8Array): void {
    this.#resolve(unpackAnswers(answer))
  }

  doneHere(addresses: Addresses): void {
    this.#resolve(addresses)
  }

  failed(reason: unknown): void {
    this.#reject(reason)
  }
}

/**
 * Chunks wait in one queue, from which any free worker takes the next. Threads start with the first large batch. While
 * none is ready, or when none is left, the calling thread processes the queue itself, in slices.
 */
export class RecoveryPool implements SenderRecovery {
  readonly #inline: SenderRecovery
  readonly #pool: ThreadPool<Chunk, TaskThread<Records, Uint8Array, Chunk>>
  /** Signatures in chunks that are not answered. */
  #pendingTasks = 0
  #isWorking = false

  constructor(options: RecoveryPoolOptions = {}) {
    const url = options.workerUrl ?? workerUrl(import.meta.url, 'recoveryWorker')
    this.#inline = options.inline ?? new InlineRecovery({ clock: systemClock, yieldToHost })
    this.#pool = new ThreadPool({
      open: (events) => new TaskThread(url, events),
      size: options.workers ?? Math.max(1, availableParallelism() - 1),
      maxLoad: CHUNKS_IN_FLIGHT,
      start: 'together',
      onStranded: () => void this.#workHere(),
    })
  }

  async recover(tasks: readonly RecoveryTask[]): Promise<Addresses> {
    const isFull = this.#pendingTasks + tasks.length > MAX_RECOVERY_QUEUE_TASKS
    if (this.#pool.isClosed || isFull || tasks.length < MIN_POOLED_TASKS) return this.#inline.recover(tasks)
    const chunks: Chunk[] = []
    for (let from = 0; from < tasks.length; from += CHUNK_TASKS) {
      chunks.push(new Chunk(tasks.slice(from, from + CHUNK_TASKS)))
    }
    this.#pendingTasks += tasks.length
    this.#pool.add(...chunks)
    return (await Promise.all(chunks.map((chunk) => this.#settled(chunk)))).flat()
  }

  /** Stops the threads; the calling thread finishes the remaining work. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #settled({ recovered, tasks }: Chunk): Promise<Addresses> {
    try {
      return await recovered
    } finally {
      this.#pendingTasks -= tasks.length
    }
  }

  async #workHere(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    for (let chunk = this.#pool.take(); chunk !== undefined; chunk = this.#nextForHere()) {
      try {
        chunk.doneHere(await this.#inline.recover(chunk.tasks))
      } catch (error) {
        chunk.failed(error)
      }
      await yieldToHost()
    }
    this.#isWorking = false
  }

  /** @returns undefined as soon as a thread is ready */
  #nextForHere(): Chunk | undefined {
    return this.#pool.isReady ? undefined : this.#pool.take()
  }
}
