import { Worker } from 'node:worker_threads'
import { holdDefaultFlags } from '../program/heapFlags.ts'

/** The first message of every worker, which then receives messages. */
export interface Ready {
  readonly kind: 'ready'
}

export interface WorkerThreadEvents<Answer> {
  ready?(): void
  answer(answer: Answer): void
  /** No task was pending for `idleMs`. */
  idle?(): void
  /** The thread failed or ended on its own. Called at most once, and never after {@link WorkerThread.release}. */
  ended(error: unknown): void
}

export interface WorkerThreadOptions {
  /** Structured-cloneable; available to the worker as `workerData`. */
  readonly data?: unknown
  readonly idleMs?: number
}

/** URL of a worker module next to `importer`: TypeScript in the source tree, JavaScript in a build. */
export function workerUrl(importer: string, name: string): URL {
  return new URL(`./${name}.${importer.endsWith('.ts') ? 'ts' : 'js'}`, importer)
}

/** A worker thread of Node, Deno or Bun that keeps the process alive only while it has work. */
export class WorkerThread<Task, Answer> {
  readonly #worker: Worker
  readonly #events: WorkerThreadEvents<Answer>
  readonly #idleMs: number | undefined
  /** On Deno and Bun, a thread may lose messages that are sent before it is ready. */
  #unsent: Task[] = []
  #isReady = false
  #isReleased = false
  #idle: ReturnType<typeof setTimeout> | undefined
  /** Called when the thread has loaded the program, whose stored code needs the default flags. */
  readonly #restoreFlags: () => void

  /** @throws {Error} when no thread can be started */
  constructor(url: URL, events: WorkerThreadEvents<Answer>, { data, idleMs }: WorkerThreadOptions = {}) {
    this.#events = events
    this.#idleMs = idleMs
    this.#worker = new Worker(url, { workerData: data })
    this.#restoreFlags = holdDefaultFlags()
    this.#worker.on('message', (message: Ready | Answer) => this.#onMessage(message))
    this.#worker.on('error', (error) => this.#onEnd(error))
    this.#worker.on('messageerror', (error) => this.#onEnd(error))
    this.#worker.on('exit', (code) => this.#onEnd(new Error(`the thread has ended with code ${code}`)))
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Sends a task now, or as soon as the thread is ready. Keeps the process alive until {@link rest}. */
  send(task: Task, transfer: readonly ArrayBuffer[] = []): void {
    clearTimeout(this.#idle)
    this.#worker.ref()
    if (this.#isReady) this.#worker.postMessage(task, transfer)
    else this.#unsent.push(task)
  }

  /** Reports that no task is pending: the thread no longer keeps the process alive, unless it is being terminated. */
  rest(): void {
    if (this.#isReleased) return
    this.#worker.unref()
    const { idle } = this.#events
    if (this.#idleMs === undefined || idle === undefined) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => idle.call(this.#events), this.#idleMs)
    this.#idle.unref()
  }

  /** Answers still arrive, but the end of the thread is no longer reported. */
  release(): void {
    this.#isReleased = true
    this.#restoreFlags()
    clearTimeout(this.#idle)
  }

  /** Terminates the thread. Keeps the process alive until then. */
  async terminate(): Promise<void> {
    this.release()
    await this.#worker.terminate()
  }

  #onMessage(message: Ready | Answer): void {
    if (!isReady(message)) {
      this.#events.answer(message)
      return
    }
    this.#isReady = true
    this.#restoreFlags()
    for (const task of this.#unsent.splice(0)) this.#worker.postMessage(task)
    this.#events.ready?.()
  }

  #onEnd(error: unknown): void {
    if (this.#isReleased) return
    this.release()
    this.#events.ended(error)
  }
}

function isReady(message: unknown): message is Ready {
  return (message as Partial<Ready>).kind === 'ready'
}
