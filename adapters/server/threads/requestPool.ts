/**
 * Heavy requests on worker threads of Node, Deno or Bun.
 * @module
 */
import { MAX_REQUEST_QUEUE, MAX_REQUESTS_PER_WORKER, REQUEST_WORKER_IDLE_MS } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import type { RequestWorkers, WorkerRequest } from '../../../src/base/ports/requestWorkers.ts'
import type { ByteSink } from '../../../src/base/primitives/byteSink.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { executionAborted } from '../../../src/evm/errors.ts'
import { RequestTask } from '../../../src/node/requestTask.ts'
import { RequestThread } from './requestThread.ts'
import type { ReaderData } from './requestWire.ts'
import { ThreadPool } from './threadPool.ts'
import { workerUrl } from './workerThread.ts'

export interface RequestPoolOptions {
  readonly data: ReaderData
  readonly logger: Logger
  /** Maximum number of threads. */
  readonly workers: number
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
  readonly #logger: Logger
  readonly #pool: ThreadPool<RequestTask, RequestThread>

  constructor(options: RequestPoolOptions) {
    const { data, logger, workerUrl: url = workerUrl(import.meta.url, 'requestWorker') } = options
    const { idleMs = REQUEST_WORKER_IDLE_MS } = options
    this.#logger = logger
    this.#pool = new ThreadPool({
      open: (events) => new RequestThread({ workerUrl: url, data, idleMs }, events),
      size: options.workers,
      maxLoad: MAX_REQUESTS_PER_WORKER,
      counted: 'starts',
      isReplaced: true,
      suits: (thread, { request }) => thread.knows(request.subject),
      onStranded: () => this.#onStranded(),
      onDeath: (error, wasReady) => this.#onDeath(error, wasReady),
    })
  }

  get isBroken(): boolean {
    return this.#pool.isBroken
  }

  run(request: WorkerRequest, sink: ByteSink, signal: AbortSignal | undefined): Promise<void> {
    if (this.#pool.isClosed) return Promise.reject(stopping())
    if (signal?.aborted === true) return Promise.reject(executionAborted(signal.reason))
    if (this.#pool.waiting >= MAX_REQUEST_QUEUE) {
      const message = `${MAX_REQUEST_QUEUE} traces are waiting already`
      return Promise.reject(new NodeError({ code: 'WORKERS_BUSY' }, message))
    }
    const task = new RequestTask(request, sink, signal)
    task.onEnd = () => this.#pool.remove(task)
    this.#pool.add(task)
    return task.ended
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  #onStranded(): void {
    for (let task = this.#pool.take(); task !== undefined; task = this.#pool.take()) {
      const unavailable = new NodeError({ code: 'WORKERS_UNAVAILABLE' }, 'no worker thread for traces can be started')
      task.fail(this.#pool.isClosed ? stopping() : unavailable)
    }
  }

  #onDeath(error: unknown, wasReady: boolean): void {
    if (wasReady) this.#logger.error('a worker thread for traces ended', { error })
    else if (this.isBroken) {
      this.#logger.warn('no worker thread can be started: traces run on the main thread', { error })
    } else this.#logger.debug('cannot start a worker thread for traces', { error })
  }
}

function stopping(): NodeError {
  return executionAborted('the node is being stopped')
}
