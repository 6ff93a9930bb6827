/**
 * Comparison of passwords on a worker thread of Node, Deno or Bun: one takes 50 ms or more.
 * @module
 */
import { PASSWORD_WORKER_IDLE_MS } from '../../src/config/limits.ts'
import type { MatchPassword } from '../../src/http/access/login.ts'
import type { PasswordAnswer, PasswordTask } from './passwordWorker.ts'
import { WorkerThread, workerUrl } from './workerThread.ts'

interface Waiting {
  readonly resolve: (isMatch: boolean) => void
  readonly reject: (error: unknown) => void
}

/** The thread starts with the first login and ends when it is idle. Callers bound the number of comparisons. */
export class PasswordMatcher {
  readonly #workerUrl: URL
  readonly #waiting = new Map<number, Waiting>()
  #thread: WorkerThread<PasswordTask, PasswordAnswer> | undefined
  #nextId = 0
  #isClosed = false

  constructor(url: URL = workerUrl(import.meta.url, 'passwordWorker')) {
    this.#workerUrl = url
  }

  readonly matches: MatchPassword = (password, hash) => {
    if (this.#isClosed) return Promise.reject(new Error('the node is closing'))
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#thread ??= this.#start()
      this.#waiting.set(id, { resolve, reject })
      this.#thread.send({ id, password, hash })
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#stop()
    this.#fail(new Error('the node is closing'))
  }

  #start(): WorkerThread<PasswordTask, PasswordAnswer> {
    const events = {
      answer: ({ id, isMatch }: PasswordAnswer) => this.#settle(id, isMatch),
      idle: () => void this.#stop(),
      ended: (error: unknown) => {
        this.#thread = undefined
        this.#fail(error)
      },
    }
    return new WorkerThread(this.#workerUrl, events, { idleMs: PASSWORD_WORKER_IDLE_MS })
  }

  #settle(id: number, isMatch: boolean): void {
    this.#waiting.get(id)?.resolve(isMatch)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#thread?.rest()
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  async #stop(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }
}
