/**
 * Turns in the order in which they were asked for: one at a time, or several that may run together.
 * @module
 */

/** Ends a turn. Idempotent. */
export type EndTurn = () => void

interface Waiting {
  readonly isAlone: boolean
  begin(): void
}

export class Turns {
  readonly #waiting: Waiting[] = []
  #running = 0
  #isAlone = false

  /** A turn that nothing else runs beside. */
  alone(): Promise<EndTurn> {
    return this.#ask(true)
  }

  /** A turn beside others of this kind. */
  beside(): Promise<EndTurn> {
    return this.#ask(false)
  }

  #ask(isAlone: boolean): Promise<EndTurn> {
    return new Promise((resolve) => {
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        this.#running--
        this.#beginNext()
      }
      this.#waiting.push({ isAlone, begin: () => resolve(end) })
      this.#beginNext()
    })
  }

  #beginNext(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#mayBegin(next); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#running++
      this.#isAlone = next.isAlone
      next.begin()
    }
  }

  #mayBegin({ isAlone }: Waiting): boolean {
    return this.#running === 0 || !(isAlone || this.#isAlone)
  }
}
