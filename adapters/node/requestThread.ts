import type { Worker } from 'node:worker_threads'
import { MAX_REQUESTS_PER_WORKER, REQUEST_WORKER_CLOSE_MS, REQUEST_WORKER_SUBJECTS } from '../../src/config/limits.ts'
import { executionAborted } from '../../src/evm/errors.ts'
import { NodeError } from '../../src/primitives/errors.ts'
import { LruCache } from '../../src/primitives/lruCache.ts'
import type { RequestTask, TaskThread } from './requestTask.ts'
import { type FromWorker, type ToWorker, unpackError } from './requestWire.ts'

/** What a thread tells its pool. */
export interface ThreadEvents {
  ready(): void
  /** A task has ended. */
  free(): void
  /** It had nothing to do for long. */
  idle(): void
  /** It has ended, though nobody told it to; its tasks have failed. */
  died(error: unknown): void
}

/** One thread and the tasks that are under way there. */
export class RequestThread implements TaskThread {
  readonly #worker: Worker
  readonly #events: ThreadEvents
  readonly #idleMs: number
  /** Those that nobody waits for any more, too, until the thread has ended them. */
  readonly #tasks = new Map<number, RequestTask>()
  readonly #ids = new Map<RequestTask, number>()
  /** A thread that is not ready may lose what it is sent (Deno, Bun). */
  #unsent: ToWorker[] = []
  #nextId = 0
  readonly #subjects = new LruCache<string, true>(REQUEST_WORKER_SUBJECTS)
  #isReady = false
  #isOver = false
  #idle: ReturnType<typeof setTimeout> | undefined
  #onClosed: (() => void) | undefined

  constructor(worker: Worker, events: ThreadEvents, idleMs: number) {
    this.#worker = worker
    this.#events = events
    this.#idleMs = idleMs
    worker.on('message', (message: FromWorker) => this.#onMessage(message))
    worker.on('error', (error) => this.#onEnd(error))
    worker.on('messageerror', (error) => this.#onEnd(error))
    worker.on('exit', (code) => this.#onEnd(new Error(`the thread has ended with code ${code}`)))
  }

  get isReady(): boolean {
    return this.#isReady
  }

  get load(): number {
    return this.#tasks.size
  }

  get hasRoom(): boolean {
    return this.#tasks.size < MAX_REQUESTS_PER_WORKER
  }

  /** Whether it lately had a task with this subject. */
  knows(subject: string | undefined): boolean {
    return subject !== undefined && this.#subjects.get(subject) === true
  }

  begin(task: RequestTask): void {
    const id = this.#nextId++
    const { method, params, subject } = task.request
    this.#tasks.set(id, task)
    this.#ids.set(task, id)
    if (subject !== undefined) this.#subjects.set(subject, true)
    clearTimeout(this.#idle)
    this.#worker.ref()
    task.begin(this)
    this.#send({ kind: 'run', id, method, params })
  }

  taken(task: RequestTask, bytes: number): void {
    const id = this.#ids.get(task)
    if (id !== undefined) this.#send({ kind: 'taken', id, bytes })
  }

  abort(task: RequestTask): void {
    const id = this.#ids.get(task)
    if (id !== undefined) this.#send({ kind: 'abort', id })
  }

  /** Ends what runs and the thread. */
  async close(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#idle)
    for (const task of this.#tasks.values()) task.fail(executionAborted('the node is being stopped'))
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REQUEST_WORKER_CLOSE_MS)
      this.#onClosed = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#send({ kind: 'close' })
    })
    await this.#worker.terminate()
  }

  #send(message: ToWorker): void {
    if (this.#isReady) this.#worker.postMessage(message)
    else this.#unsent.push(message)
  }

  #onMessage(message: FromWorker): void {
    if (message.kind === 'closed') this.#onClosed?.()
    else if (message.kind === 'ready') {
      this.#isReady = true
      for (const unsent of this.#unsent.splice(0)) this.#send(unsent)
      this.#events.ready()
    } else {
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
    if (this.#tasks.size > 0) return
    this.#worker.unref()
    this.#idle = setTimeout(() => this.#events.idle(), this.#idleMs)
    this.#idle.unref()
  }

  #onEnd(error: unknown): void {
    this.#onClosed?.()
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#idle)
    const failure = new NodeError({ code: 'WORKER_FAILED' }, 'the thread that traced has ended', { cause: error })
    for (const task of this.#tasks.values()) task.fail(failure)
    this.#tasks.clear()
    void this.#worker.terminate()
    this.#events.died(error)
  }
}
