import { MAX_URGENT_RUN } from '../base/limits/limits.ts'
import { NodeError } from '../base/primitives/errors.ts'

/** `urgent`: seals, proposals, fork choice, changes of the dev chain. `ordinary`: everything else. */
export type Lane = 'urgent' | 'ordinary'

type Job = () => Promise<void>

/**
 * Runs one task at a time. Each lane is first in, first out and has its own bound. Urgent tasks precede ordinary ones;
 * after MAX_URGENT_RUN of them in a row a waiting ordinary task runs, so neither lane starves the other.
 */
export class WorkQueue {
  readonly #capacity: number
  readonly #waiting: Readonly<Record<Lane, Job[]>> = { urgent: [], ordinary: [] }
  /** Waiting and running tasks of each lane. */
  readonly #counts: Record<Lane, number> = { urgent: 0, ordinary: 0 }
  #urgentInARow = 0
  #worker: Promise<void> | undefined
  #closed = false

  /** @param capacity of each lane */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Number of waiting and running tasks. */
  get length(): number {
    return this.#counts.urgent + this.#counts.ordinary
  }

  /** Whether an ordinary task should yield as soon as possible. */
  get hasUrgent(): boolean {
    return this.#waiting.urgent.length > 0
  }

  /**
   * Queues a task. Its error rejects only the returned promise.
   * @throws {NodeError} WRITER_QUEUE_FULL, WRITER_CLOSED (as rejections)
   */
  run<T>(job: () => T | Promise<T>, lane: Lane = 'ordinary'): Promise<T> {
    if (this.#closed) return Promise.reject(new NodeError({ code: 'WRITER_CLOSED' }, 'the chain is closed'))
    const waiting = this.#counts[lane]
    if (waiting >= this.#capacity) {
      const message = `too many chain updates are queued: ${waiting}`
      return Promise.reject(new NodeError({ code: 'WRITER_QUEUE_FULL', waiting }, message))
    }
    this.#counts[lane]++
    return new Promise((resolve, reject) => {
      this.#waiting[lane].push(async () => {
        try {
          const result = await job()
          this.#counts[lane]--
          resolve(result)
        } catch (error) {
          this.#counts[lane]--
          reject(error)
        }
      })
      this.#worker ??= this.#work()
    })
  }

  /**
   * Called by an ordinary task between two commits: waiting urgent tasks run first, at most MAX_URGENT_RUN in a row.
   * Other ordinary tasks wait for the caller.
   */
  async giveWay(): Promise<void> {
    while (this.#urgentInARow < MAX_URGENT_RUN) {
      const job = this.#waiting.urgent.shift()
      if (job === undefined) break
      this.#urgentInARow++
      await job()
    }
    this.#urgentInARow = 0
  }

  /** Refuses new tasks and waits for those accepted. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#worker
  }

  async #work(): Promise<void> {
    await undefined
    for (let job = this.#next(); job !== undefined; job = this.#next()) await job()
    this.#worker = undefined
  }

  #next(): Job | undefined {
    const { urgent, ordinary } = this.#waiting
    const isUrgentNext = urgent.length > 0 && (ordinary.length === 0 || this.#urgentInARow < MAX_URGENT_RUN)
    if (isUrgentNext) this.#urgentInARow++
    else this.#urgentInARow = 0
    return isUrgentNext ? urgent.shift() : ordinary.shift()
  }
}
