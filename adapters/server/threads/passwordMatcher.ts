/**
 * Comparison of passwords on a worker thread of Node, Deno or Bun: one takes 50 ms or more.
 * @module
 */
import { PASSWORD_WORKER_IDLE_MS } from '../../../src/base/limits/limits.ts'
import type { MatchPassword } from '../../../src/http/access/login.ts'
import type { PasswordAnswer, PasswordTask } from './passwordWorker.ts'
import { WorkerThread, workerUrl } from './workerThread.ts'

/** After this number of failures, no further thread is started. */
const MAX_DEATHS = 3

interface Waiting {
  readonly task: PasswordTask
  readonly resolve: (isMatch: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * The thread starts with the first login and ends when it is idle. If it cannot start or fails, the calling thread does
 * its work. Callers bound the number of comparisons.
 */
export class PasswordMatcher {
  readonly #workerUrl: URL
  readonly #waiting = new Map<number, Waiting>()
  #thread: WorkerThread<PasswordTask, PasswordAnswer> | undefined
  #nextId = 0
  #deaths = 0
  #isClosed = false

  constructor(url: URL = workerUrl(import.meta.url, 'passwordWorker')) {
    this.#workerUrl = url
  }

  readonly matches: MatchPassword = (password, hash) => {
    if (this.#isClosed) return Promise.reject(new Error('the node is closing'))
    const task: PasswordTask = { id: this.#nextId++, password, hash }
    return new Promise((resolve, reject) => {
      this.#waiting.set(task.id, { task, resolve, reject })
      this.#thread ??= this.#start()
      if (this.#thread === undefined) this.#matchHere()
      else this.#thread.send(task)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#stop()
    for (const { reject } of this.#waiting.values()) reject(new Error('the node is closing'))
    this.#waiting.clear()
  }

  #start(): WorkerThread<PasswordTask, PasswordAnswer> | undefined {
    if (this.#deaths >= MAX_DEATHS) return undefined
    const events = {
      answer: ({ id, isMatch }: PasswordAnswer) => this.#settle(id, isMatch),
      idle: () => void this.#stop(),
      ended: () => {
        this.#deaths++
        this.#thread = undefined
        this.#matchHere()
      },
    }
    try {
      return new WorkerThread(this.#workerUrl, events, { idleMs: PASSWORD_WORKER_IDLE_MS })
    } catch {
      this.#deaths = MAX_DEATHS
      return undefined
    }
  }

  #settle(id: number, isMatch: boolean): void {
    this.#waiting.get(id)?.resolve(isMatch)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#thread?.rest()
  }

  /** bcryptjs yields every 100 ms. */
  #matchHere(): void {
    const tasks = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { task, resolve, reject } of tasks) {
      import('bcryptjs').then(({ default: { compare } }) => compare(task.password, task.hash)).then(resolve, reject)
    }
  }

  async #stop(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }
}
