import { MAX_FORK_WALK } from '../base/limits/limits.ts'

/** Notices that blocks are asked for one after the other, as by a loop over BLOCKHASH, and names those that will follow. */
export class NumberWalk {
  #last: number | undefined
  #step = 0
  #length = 1

  /**
   * @param numbers that are needed now
   * @returns further ones, more with each step in the same direction
   */
  next(numbers: readonly number[]): number[] {
    const [number] = numbers
    const isSingle = numbers.length === 1 && number !== undefined
    const step = isSingle && this.#last !== undefined ? number - this.#last : 0
    const continues = Math.abs(step) <= 2 * this.#length && step !== 0 && Math.sign(step) !== -Math.sign(this.#step)
    this.#length = continues ? Math.min(2 * this.#length, MAX_FORK_WALK) : 1
    this.#step = continues ? step : 0
    this.#last = number
    if (!continues || number === undefined) return []
    const ahead = Array.from({ length: this.#length }, (_, i) => number + Math.sign(step) * (i + 1))
    this.#last = ahead.at(-1)
    return ahead.filter((each) => each >= 0)
  }
}
