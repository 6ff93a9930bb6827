/**
 * Comparison of passwords on a worker thread of Node, Deno or Bun: one takes 50 ms or more.
 * @module
 */
import { PASSWORD_WORKER_IDLE_MS } from '../../../src/base/limits/limits.ts'
import type { MatchPassword } from '../../../src/http/access/login.ts'
import type { PasswordAnswer, PasswordTask } from './passwordWorker.ts'
import { type MessageTask, TaskThread } from './taskThread.ts'
import { ThreadPool } from './threadPool.ts'
import { workerUrl } from './workerThread.ts'

/**
 * The thread starts with the first login and ends when it is idle. If it cannot start or fails, the calling thread does
 * its work. Callers bound the number of comparisons.
 */
export class PasswordMatcher {
  readonly #pool: ThreadPool<MessageTask<PasswordTask, PasswordAnswer>, TaskThread<PasswordTask, PasswordAnswer>>

  constructor(url: URL = workerUrl(import.meta.url, 'passwordWorker')) {
    this.#pool = new ThreadPool({
      open: (events) => new TaskThread(url, events, { idleMs: PASSWORD_WORKER_IDLE_MS }),
      onStranded: () => this.#matchHere(),
    })
  }

  readonly matches: MatchPassword = (password, hash) =>
    new Promise((resolve, reject) => {
      this.#pool.add({
        message: () => ({ password, hash }),
        done: ({ isMatch }) => resolve(isMatch),
        failed: reject,
      })
    })

  async close(): Promise<void> {
    await this.#pool.close()
  }

  /** bcryptjs yields every 100 ms. */
  #matchHere(): void {
    for (let task = this.#pool.take(); task !== undefined; task = this.#pool.take()) {
      const { message, done, failed } = task
      if (this.#pool.isClosed) {
        failed(new Error('the node is closing'))
        continue
      }
      const { password, hash } = message()
      import('bcryptjs')
        .then(({ default: { compare } }) => compare(password, hash))
        .then((isMatch) => done({ kind: 'compared', isMatch }), failed)
    }
  }
}
