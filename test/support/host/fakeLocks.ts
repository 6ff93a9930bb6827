/** The Web Locks API within the process, for tests on runtimes without it. */

interface Wish {
  readonly isShared: boolean
  grant(): void
}

interface LockOptions {
  readonly mode?: 'exclusive' | 'shared'
  readonly ifAvailable?: boolean
  readonly signal?: AbortSignal
}

class Lock {
  readonly #waiting: Wish[] = []
  #held = 0
  #isShared = false

  isFree(isShared: boolean): boolean {
    return this.#held === 0 || (isShared && this.#isShared && this.#waiting.length === 0)
  }

  async hold<T>({ mode, signal }: LockOptions, use: () => Promise<T> | T): Promise<T> {
    signal?.throwIfAborted()
    const isShared = mode === 'shared'
    await new Promise<void>((resolve, reject) => {
      const wish = { isShared, grant: resolve }
      this.#waiting.push(wish)
      signal?.addEventListener('abort', () => {
        const at = this.#waiting.indexOf(wish)
        if (at >= 0) this.#waiting.splice(at, 1)
        reject(signal.reason)
      })
      this.#grant()
    })
    try {
      return await use()
    } finally {
      this.#held--
      this.#grant()
    }
  }

  #grant(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#held > 0 && !(next.isShared && this.#isShared)) return
      this.#waiting.shift()
      this.#held++
      this.#isShared = next.isShared
      next.grant()
    }
  }
}

export class FakeLocks {
  readonly #locks = new Map<string, Lock>()

  async request<T>(name: string, options: LockOptions, use: (lock: object | null) => Promise<T> | T): Promise<T> {
    const lock = this.#locks.get(name) ?? new Lock()
    this.#locks.set(name, lock)
    if (options.ifAvailable === true && !lock.isFree(options.mode === 'shared')) return use(null)
    return lock.hold(options, () => use({ name }))
  }
}
