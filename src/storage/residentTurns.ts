import { type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import { retryMisses } from './retryMisses.ts'

/**
 * Runs steps in order, each synchronously if its data are in memory, otherwise as soon as they have been fetched. A
 * step must either only read, or read everything before it changes anything.
 */
export class ResidentTurns {
  readonly #residency: Residency | undefined
  readonly #onError: (error: unknown) => void
  /** Resolves after the last waiting step; undefined while none is waiting. */
  #waiting: Promise<void> | undefined

  /** @param residency undefined over a synchronous store */
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

  /** Resolves when all steps so far are complete. */
  async settled(): Promise<void> {
    while (this.#waiting !== undefined) await this.#waiting
  }
}
