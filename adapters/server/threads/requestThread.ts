import { REQUEST_WORKER_CLOSE_MS, REQUEST_WORKER_SUBJECTS } from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { LruCache } from '../../../src/base/primitives/lruCache.ts'
import { executionAborted } from '../../../src/evm/errors.ts'
import type { RequestTask, TaskThread as RequestTaskThread } from '../../../src/node/requestTask.ts'
import { type FromWorker, type ReaderData, type ToWorker, unpackError } from './requestWire.ts'
import type { ClosedThread, PoolThread, PoolThreadEvents } from './threadPool.ts'
import { WorkerThread } from './workerThread.ts'

export interface RequestThreadOptions {
  readonly workerUrl: URL
  readonly data: ReaderData
  readonly idleMs: number
}

/** A thread and its running tasks. When it dies, they fail, unless it was never ready: then they have not begun. */
export class RequestThread implements RequestTaskThread, PoolThread<RequestTask> {
  readonly #thread: WorkerThread<ToWorker, FromWorker>
  readonly #events: PoolThreadEvents<RequestTask>
  /** Includes aborted tasks until the thread has ended them. */
  readonly #tasks = new Map<number, RequestTask>()
  readonly #ids = new Map<RequestTask, number>()
  #nextId = 0
  readonly #subjects = new LruCache<string, true>(REQUEST_WORKER_SUBJECTS)
  #isOver = false
  #onClosed: (() => void) | undefined

  /** @throws {Error} when no thread can be started */
  constructor({ workerUrl, data, idleMs }: RequestThreadOptions, events: PoolThreadEvents<RequestTask>) {
    this.#events = events
    const threadEvents = {
      ready: () => events.ready(),
      answer: (message: FromWorker) => this.#onMessage(message),
      idle: () => events.idle(),
      ended: (error: unknown) => this.#onEnd(error),
    }
    this.#thread = new WorkerThread(workerUrl, threadEvents, { data, idleMs })
  }

  get isReady(): boolean {
    return this.#thread.isReady
  }

  get load(): number {
    return this.#tasks.size
  }

  /** Whether it recently had a task with this subject. */
  knows(subject: string | undefined): boolean {
    return subject !== undefined && this.#subjects.get(subject) === true
  }

  begin(task: RequestTask): void {
    const id = this.#nextId++
    const { method, params, subject } = task.request
    this.#tasks.set(id, task)
    this.#ids.set(task, id)
    if (subject !== undefined) this.#subjects.set(subject, true)
    task.begin(this)
    this.#thread.send({ kind: 'run', id, method, params })
  }

  taken(task: RequestTask, bytes: number): void {
    const id = this.#ids.get(task)
    if (id !== undefined) this.#thread.send({ kind: 'taken', id, bytes })
  }

  abort(task: RequestTask): void {
    const id = this.#ids.get(task)
    if (id !== undefined) this.#thread.send({ kind: 'abort', id })
  }

  /** The running tasks fail. */
  close(): ClosedThread<RequestTask> {
    return { unfinished: [], ended: this.#close() }
  }

  async #close(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    for (const task of this.#tasks.values()) task.fail(executionAborted('the node is being stopped'))
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REQUEST_WORKER_CLOSE_MS)
      this.#onClosed = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#thread.send({ kind: 'close' })
    })
    await this.#thread.terminate()
  }

  #onMessage(message: FromWorker): void {
    if (message.kind === 'closed') this.#onClosed?.()
    else {
      const task = this.#tasks.get(message.id)
      if (task === undefined) return
      if (message.kind === 'chunk') task.chunk(message.bytes)
      else this.#settle(message.id, task, message)
    }
  }

  #settle(id: number, task: RequestTask, message: Extract<FromWorker, { kind: 'done' | 'failed' }>): void {
    this.#tasks.delete(id)
    this.#ids.delete(task)
    if (message.kind === 'done') task.done()
    else task.fail(unpackError(message.error))
    if (this.#isOver) return
    this.#events.free()
    if (this.#tasks.size === 0) this.#thread.rest()
  }

  #onEnd(error: unknown): void {
    this.#onClosed?.()
    if (this.#isOver) return
    this.#isOver = true
    const tasks = [...this.#tasks.values()]
    this.#tasks.clear()
    void this.#thread.terminate()
    if (!this.isReady) {
      this.#events.died(error, tasks)
      return
    }
    const failure = new NodeError({ code: 'WORKER_FAILED' }, 'the worker thread of this trace ended', {
      cause: error,
    })
    for (const task of tasks) task.fail(failure)
    this.#events.died(error, [])
  }
}
