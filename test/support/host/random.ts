import type { Random as RandomPort } from '../../../src/base/ports/random.ts'
/** Deterministic random numbers for tests (xorshift32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761 || 1
  }

  /** An integer in [0, bound). */
  below(bound: number): number {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x
    return (x >>> 0) % bound
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256))
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }
}

/** The same bytes in every run. */
export function countingRandom(): RandomPort {
  let next = 0
  return {
    bytes: (length) => {
      next++
      return Uint8Array.from({ length }, (_, i) => (next * 31 + i * 7) & 0xff)
    },
  }
}
