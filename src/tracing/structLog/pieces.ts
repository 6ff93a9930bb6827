/**
 * Texts that recur in many entries, encoded once.
 * @module
 */

import type { ForkRules } from '../../config/forks.ts'

const encoder = new TextEncoder()

export function piece(text: string): Uint8Array {
  return encoder.encode(text)
}

/**
 * Copies a short piece byte by byte, which is faster than `set`.
 * @returns offset after the last byte
 */
export function put(target: Uint8Array, at: number, bytes: Uint8Array): number {
  const { length } = bytes
  for (let i = 0; i < length; i++) target[at + i] = bytes[i] as number
  return at + length
}

/** Caches a value that depends on the fork's rules, one for each fork. */
export class ByFork<T> {
  readonly #make: (rules: ForkRules) => T
  readonly #made = new WeakMap<ForkRules, T>()

  constructor(make: (rules: ForkRules) => T) {
    this.#make = make
  }

  of(rules: ForkRules): T {
    const cachedPieces = this.#made.get(rules)
    if (cachedPieces !== undefined) return cachedPieces
    const pieces = this.#make(rules)
    this.#made.set(rules, pieces)
    return pieces
  }
}
