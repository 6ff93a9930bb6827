import { NodeError } from '../primitives/errors.ts'

/** First in, first out, one job at a time, with a bound on those that wait. */
export class WorkQueue {
  readonly #capacity: number
  #waiting = 0
  #tail: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Jobs that wait or run. */
  get length(): number {
    return this.#waiting
  }

  /**
   * Runs the job in its turn; an error of one job is its caller's and does not stop the next.
   * @throws {NodeError} WRITER_QUEUE_FULL, WRITER_CLOSED (as rejections)
   */
  run<T>(job: () => T | Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new NodeError({ code: 'WRITER_CLOSED' }, 'the chain is closed'))
    if (this.#waiting >= this.#capacity) {
      const message = `too many chain updates wait: ${this.#waiting}`
      return Promise.reject(new NodeError({ code: 'WRITER_QUEUE_FULL', waiting: this.#waiting }, message))
    }
    this.#waiting++
    const result = this.#tail.then(job)
    this.#tail = result.then(
      () => void this.#waiting--,
      () => void this.#waiting--,
    )
    return result
  }

  /** Refuses new jobs and waits for those accepted. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#tail
  }
}
