import type { Random } from '../../src/base/ports/random.ts'

/** Reproducible numbers from a seed (splitmix32); not for secrets. */
export class SeededRandom implements Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 to 2^32 - 1 */
  uint32(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.uint32() & 0xff)
  }

  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor((this.uint32() / 2 ** 32) * bound)
  }

  /** An integer from `least` to `most` - 1. */
  between(least: number, most: number): number {
    return least + (this.uint32() / 2 ** 32) * (most - least)
  }

  /** @param probability 0 to 1 */
  chance(probability: number): boolean {
    return this.uint32() / 2 ** 32 < probability
  }

  /** Returns an independent sequence. */
  fork(): SeededRandom {
    return new SeededRandom(this.uint32())
  }
}
