import type { TimeSlicer } from '../ports/yieldToHost.ts'
import type { MaybePromise } from '../primitives/maybePromise.ts'

interface WaitingField {
  readonly work: () => MaybePromise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/**
 * Lets the fields of a request run until its time slice ends; further ones wait in order and continue in later turns of
 * the event loop.
 */
export class FieldGate {
  readonly #slicer: TimeSlicer | undefined
  #waiting: WaitingField[] = []
  #isRunning = false
  #isClosed = false

  constructor(slicer: TimeSlicer | undefined) {
    this.#slicer = slicer
  }

  enter(work: () => MaybePromise<unknown>): MaybePromise<unknown> {
    if (this.#waiting.length === 0 && this.#slicer?.isDue !== true) return work()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  /** Discards all waiting fields. */
  close(): void {
    this.#isClosed = true
    this.#waiting = []
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0 && !this.#isClosed) {
      await this.#slicer?.yield()
      const fields = this.#waiting
      let next = 0
      while (next < fields.length && this.#slicer?.isDue !== true && !this.#isClosed) {
        settle(fields[next++] as WaitingField)
        // The executor completes the field before the clock is read again.
        await undefined
      }
      if (!this.#isClosed) this.#waiting = next === fields.length ? [] : fields.slice(next)
    }
    this.#isRunning = false
  }
}

function settle({ work, resolve, reject }: WaitingField): void {
  try {
    resolve(work())
  } catch (error) {
    reject(error)
  }
}
