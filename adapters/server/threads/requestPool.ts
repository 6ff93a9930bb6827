/**
 * Heavy requests on worker threads of Node, Deno or Bun.
 * @module
 */
import { availableParallelism } from 'node:os'
import { MAX_REQUEST_QUEUE, MAX_REQUEST_WORKERS, REQUEST_WORKER_IDLE_MS } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import type { RequestWorkers, WorkerRequest } from '../../../src/base/ports/requestWorkers.ts'
import type { ByteSink } from '../../../src/base/primitives/byteSink.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { executionAborted } from '../../../src/evm/errors.ts'
import { RequestTask } from '../../../src/node/requestTask.ts'
import { RequestThread } from './requestThread.ts'
import type { ReaderData } from './requestWire.ts'
import { workerUrl } from './workerThread.ts'

/** After this number of consecutive failed starts, no further threads are started. */
const MAX_FAILED_STARTS = 3

export interface RequestPoolOptions {
  readonly data: ReaderData
  readonly logger: Logger
  /** Maximum number of threads. Default: one per core, minus one for the main thread. */
  readonly workers?: number
  /** The worker's module. Default: the file next to this one. */
  readonly workerUrl?: URL
  /** Idle time after which a thread ends. */
  readonly idleMs?: number
}

/**
 * Threads start on demand. A thread alternates between its requests, so an answer that has a slow reader or takes
 * minutes does not delay the others.
 */
export class RequestPool implements RequestWorkers {
  readonly #options: RequestPoolOptions
  readonly #size: number
  readonly #workerUrl: URL
  readonly #idleMs: number
  readonly #threads = new Set<RequestThread>()
  /** Includes threads that are about to end. */
  readonly #ending = new Set<Promise<void>>()
  readonly #queue = new Set<RequestTask>()
  #failedStarts = 0
  #closed = false

  constructor(options: RequestPoolOptions) {
    this.#options = options
    this.#size = options.workers ?? Math.min(MAX_REQUEST_WORKERS, Math.max(1, availableParallelism() - 1))
    this.#workerUrl = options.workerUrl ?? workerUrl(import.meta.url, 'requestWorker')
    this.#idleMs = options.idleMs ?? REQUEST_WORKER_IDLE_MS
  }

  get isBroken(): boolean {
    return this.#failedStarts >= MAX_FAILED_STARTS
  }

  run(request: WorkerRequest, sink: ByteSink, signal: AbortSignal | undefined): Promise<void> {
    if (this.#closed) return Promise.reject(executionAborted('the node is being stopped'))
    if (signal?.aborted === true) return Promise.reject(executionAborted(signal.reason))
    if (this.#queue.size >= MAX_REQUEST_QUEUE) {
      const message = `${MAX_REQUEST_QUEUE} traces are waiting already`
      return Promise.reject(new NodeError({ code: 'WORKERS_BUSY' }, message))
    }
    const task = new RequestTask(request, sink, signal)
    task.onEnd = () => this.#queue.delete(task)
    this.#queue.add(task)
    this.#dispatch()
    return task.ended
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const task of this.#queue) task.fail(executionAborted('the node is being stopped'))
    for (const thread of this.#threads) this.#end(thread)
    await Promise.all(this.#ending)
  }

  #dispatch(): void {
    for (const task of this.#queue) {
      const thread = this.#threadFor(task.request)
      if (thread === undefined && this.#threads.size > 0) return
      if (thread === undefined) {
        task.fail(new NodeError({ code: 'WORKERS_UNAVAILABLE' }, 'no worker thread for traces can be started'))
        continue
      }
      this.#queue.delete(task)
      thread.begin(task)
    }
  }

  /** Prefers an idle thread that recently traced this subject, then any idle one, then a new one, then the least loaded. */
  #threadFor({ subject }: WorkerRequest): RequestThread | undefined {
    let least: RequestThread | undefined
    for (const thread of this.#threads) {
      if (thread.load === 0 && thread.knows(subject)) return thread
      if (least === undefined || thread.load < least.load) least = thread
    }
    if (least === undefined || (least.load > 0 && this.#threads.size < this.#size)) return this.#start() ?? least
    return least.hasRoom ? least : undefined
  }

  #start(): RequestThread | undefined {
    if (this.#closed || this.isBroken) return undefined
    let thread: RequestThread
    const events = {
      ready: () => {
        this.#failedStarts = 0
      },
      free: () => this.#dispatch(),
      idle: () => this.#end(thread),
      died: (error: unknown, unsent: readonly RequestTask[]) => this.#died(thread, error, unsent),
    }
    const { data } = this.#options
    try {
      thread = new RequestThread({ workerUrl: this.#workerUrl, data, idleMs: this.#idleMs }, events)
    } catch (error) {
      this.#failed(error)
      return undefined
    }
    this.#threads.add(thread)
    return thread
  }

  #end(thread: RequestThread): void {
    this.#threads.delete(thread)
    const ending = thread.close()
    this.#ending.add(ending)
    void ending.then(() => this.#ending.delete(ending))
  }

  #died(thread: RequestThread, error: unknown, unsent: readonly RequestTask[]): void {
    this.#threads.delete(thread)
    if (thread.isReady) this.#options.logger.error('a worker thread for traces ended', { error })
    else this.#failed(error)
    for (const task of unsent) this.#queue.add(task)
    this.#dispatch()
  }

  #failed(error: unknown): void {
    const { logger } = this.#options
    this.#failedStarts++
    if (this.isBroken) logger.warn('no worker thread can be started: traces run on the main thread', { error })
    else logger.debug('cannot start a worker thread for traces', { error })
  }
}
