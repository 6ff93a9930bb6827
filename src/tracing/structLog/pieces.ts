/**
 * Pieces of text that are the same in many entries, encoded once.
 * @module
 */

import type { ForkRules } from '../../config/forks.ts'

const encoder = new TextEncoder()

export function piece(text: string): Uint8Array {
  return encoder.encode(text)
}

/** For short pieces, which are copied faster byte by byte. @returns behind the last byte */
export function put(target: Uint8Array, at: number, bytes: Uint8Array): number {
  const { length } = bytes
  for (let i = 0; i < length; i++) target[at + i] = bytes[i] as number
  return at + length
}

/** What follows from a fork's rules, made once for each. */
export class ByFork<T> {
  readonly #make: (rules: ForkRules) => T
  readonly #made = new WeakMap<ForkRules, T>()

  constructor(make: (rules: ForkRules) => T) {
    this.#make = make
  }

  of(rules: ForkRules): T {
    const known = this.#made.get(rules)
    if (known !== undefined) return known
    const made = this.#make(rules)
    this.#made.set(rules, made)
    return made
  }
}
