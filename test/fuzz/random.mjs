import { seededRandom } from '../reliability/random.mjs'

/** The generator's random choices, determined by seed and case number. */
export class Choices {
  #next

  /**
   * @param {number} seed
   * @param {number} caseNumber
   */
  constructor(seed, caseNumber) {
    this.#next = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(caseNumber + 1, 0x85ebca6b))
  }

  /** An integer in [0, bound). */
  below(bound) {
    return Math.floor(this.#next() * bound)
  }

  /** An integer in [low, high]. */
  between(low, high) {
    return low + this.below(high - low + 1)
  }

  chance(percent) {
    return this.#next() * 100 < percent
  }

  pick(items) {
    return items[this.below(items.length)]
  }

  /** One of the second members, weighted by the first members. */
  weighted(rows) {
    let total = 0
    for (const [weight] of rows) total += weight
    let left = this.#next() * total
    for (const [weight, item] of rows) {
      left -= weight
      if (left < 0) return item
    }
    return rows[rows.length - 1][1]
  }

  /** Random bytes as hex digits. */
  digits(bytes) {
    let text = ''
    for (let i = 0; i < bytes; i++) text += this.below(256).toString(16).padStart(2, '0')
    return text
  }
}
