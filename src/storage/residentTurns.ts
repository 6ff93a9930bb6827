import { type Residency, StoreMiss } from '../ports/keyValueStore.ts'
import { retryMisses } from './retryMisses.ts'

/**
 * Steps that are run in the order in which they come, each at once when the store has what it reads, else as soon as it
 * was fetched. A step must either only read, or read everything before it changes anything.
 */
export class ResidentTurns {
  readonly #residency: Residency | undefined
  readonly #onError: (error: unknown) => void
  /** Ends with the last step that had to wait; undefined while none waits. */
  #waiting: Promise<void> | undefined

  /** @param residency undefined over a store that answers at once */
  constructor(residency: Residency | undefined, onError: (error: unknown) => void) {
    this.#residency = residency
    this.#onError = onError
  }

  run(step: () => void): void {
    if (this.#waiting === undefined) {
      try {
        step()
        return
      } catch (error) {
        if (this.#residency === undefined || !(error instanceof StoreMiss)) {
          this.#onError(error)
          return
        }
      }
    }
    const turn = (this.#waiting ?? Promise.resolve())
      .then(() => retryMisses(step, this.#residency))
      .catch(this.#onError)
      .then(() => {
        if (this.#waiting === turn) this.#waiting = undefined
      })
    this.#waiting = turn
  }

  /** Resolves when all steps so far are done. */
  async settled(): Promise<void> {
    while (this.#waiting !== undefined) await this.#waiting
  }
}
