/**
 * Threads that start on demand, and the tasks that wait for them.
 * @module
 */

/** After this number of deaths, no further thread is started. */
export const MAX_THREAD_DEATHS = 3

/** A thread and the tasks that it runs. */
export interface PoolThread<Task> {
  readonly isReady: boolean
  /** Number of running tasks. */
  readonly load: number
  begin(task: Task): void
  close(): ClosedThread<Task>
}

export interface ClosedThread<Task> {
  /** Tasks that go back to the pool. */
  readonly unfinished: readonly Task[]
  /** Settles when the thread has ended. */
  readonly ended: Promise<void>
}

export interface PoolThreadEvents<Task> {
  ready(): void
  /** A task has ended. */
  free(): void
  /** No task was pending for the idle time. */
  idle(): void
  /**
   * The thread has failed or ended on its own. A task that fails is not a death.
   * @param unfinished tasks that can begin again elsewhere
   */
  died(error: unknown, unfinished: readonly Task[]): void
}

export interface ThreadPoolOptions<Task, Thread extends PoolThread<Task>> {
  /** @throws {Error} when no thread can be started, which counts as a death */
  readonly open: (events: PoolThreadEvents<Task>) => Thread
  /** Maximum number of threads. Default: 1 */
  readonly size?: number
  /** Maximum number of tasks of one thread. Default: unlimited */
  readonly maxLoad?: number
  /**
   * `demand`: a thread starts when all others are busy, and is given tasks before it is ready. `together`: all threads
   * start with the first task, and tasks are given only to those that are ready.
   */
  readonly start?: 'demand' | 'together'
  /** Deaths that count: all, or those of consecutive threads that were never ready. Default: all */
  readonly counted?: 'all' | 'starts'
  /** Whether a new thread continues the tasks of one that died. Default: the other threads, or `onStranded` */
  readonly isReplaced?: boolean
  /** Whether an idle thread is the best one for a task. */
  readonly suits?: (thread: Thread, task: Task) => boolean
  /** Tasks wait but no thread will take them: the owner of the pool has to `take` them. */
  readonly onStranded: () => void
  /** @param wasReady false: the thread could not start */
  readonly onDeath?: (error: unknown, wasReady: boolean) => void
}

export class ThreadPool<Task, Thread extends PoolThread<Task>> {
  readonly #options: ThreadPoolOptions<Task, Thread>
  readonly #size: number
  readonly #maxLoad: number
  readonly #startsTogether: boolean
  readonly #countsStarts: boolean
  readonly #threads = new Set<Thread>()
  /** Ends of threads that were closed. */
  readonly #ending = new Set<Promise<void>>()
  /** In order of arrival. */
  readonly #waiting: Task[] = []
  #deaths = 0
  #isClosed = false

  constructor(options: ThreadPoolOptions<Task, Thread>) {
    this.#options = options
    this.#size = options.size ?? 1
    this.#maxLoad = options.maxLoad ?? Number.POSITIVE_INFINITY
    this.#startsTogether = options.start === 'together'
    this.#countsStarts = options.counted === 'starts'
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether too many threads have died. */
  get isBroken(): boolean {
    return this.#deaths >= MAX_THREAD_DEATHS
  }

  get isReady(): boolean {
    for (const thread of this.#threads) if (thread.isReady) return true
    return false
  }

  /** Number of tasks that wait for a thread. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Number of tasks that threads run. */
  get running(): number {
    let count = 0
    for (const { load } of this.#threads) count += load
    return count
  }

  add(...tasks: readonly Task[]): void {
    this.#waiting.push(...tasks)
    if (this.#startsTogether) while (this.#threads.size < this.#size && this.#start() !== undefined);
    this.#dispatch(!this.#startsTogether)
  }

  /** Takes the first waiting task off the queue, to be done without a thread. */
  take(): Task | undefined {
    return this.#waiting.shift()
  }

  /** Removes a task that waits; one that runs is aborted by its thread. */
  remove(task: Task): void {
    const at = this.#waiting.indexOf(task)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /** Ends all threads. Tasks that they leave unfinished, and those that wait, are stranded. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const thread of this.#threads) this.#end(thread)
    this.#dispatch(false)
    await Promise.all(this.#ending)
  }

  #dispatch(mayStart: boolean): void {
    for (let task = this.#waiting[0]; task !== undefined; task = this.#waiting[0]) {
      const thread = this.#threadFor(task, mayStart)
      if (thread === undefined) break
      this.#waiting.shift()
      thread.begin(task)
    }
    if (this.#waiting.length === 0) return
    if (this.#startsTogether ? !this.isReady : this.#threads.size === 0) this.#options.onStranded()
  }

  /** Prefers an idle thread that suits the task, then any idle one, then a new one, then the one with the lowest load. */
  #threadFor(task: Task, mayStart: boolean): Thread | undefined {
    const { suits } = this.#options
    let freest: Thread | undefined
    for (const thread of this.#threads) {
      if (this.#startsTogether && !thread.isReady) continue
      if (thread.load === 0 && suits?.(thread, task) === true) return thread
      if (freest === undefined || thread.load < freest.load) freest = thread
    }
    const isBusy = freest === undefined || freest.load > 0
    if (mayStart && isBusy && this.#threads.size < this.#size) freest = this.#start() ?? freest
    return freest !== undefined && freest.load < this.#maxLoad ? freest : undefined
  }

  #start(): Thread | undefined {
    if (this.#isClosed || this.isBroken) return undefined
    let thread: Thread
    const events: PoolThreadEvents<Task> = {
      ready: () => {
        if (this.#countsStarts) this.#deaths = 0
        if (this.#startsTogether) this.#dispatch(false)
      },
      free: () => this.#dispatch(!this.#startsTogether),
      idle: () => this.#end(thread),
      died: (error, unfinished) => this.#onDeath(thread, error, unfinished),
    }
    try {
      thread = this.#options.open(events)
    } catch (error) {
      this.#count(error, false)
      return undefined
    }
    this.#threads.add(thread)
    return thread
  }

  #end(thread: Thread): void {
    this.#threads.delete(thread)
    const { unfinished, ended } = thread.close()
    this.#waiting.unshift(...unfinished)
    this.#ending.add(ended)
    void ended.then(() => this.#ending.delete(ended))
  }

  #onDeath(thread: Thread, error: unknown, unfinished: readonly Task[]): void {
    this.#threads.delete(thread)
    this.#count(error, thread.isReady)
    this.#waiting.unshift(...unfinished)
    this.#dispatch(this.#options.isReplaced === true)
  }

  #count(error: unknown, wasReady: boolean): void {
    if (!(this.#countsStarts && wasReady)) this.#deaths++
    this.#options.onDeath?.(error, wasReady)
  }
}
