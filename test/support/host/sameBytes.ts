/** Makes `toEqual` fast for byte arrays, each element of which it would compare as a property. */
import { expect } from 'vitest'
import { equalBytes } from '../../../src/base/primitives/bytes.ts'

/** @returns undefined for all that vitest has to compare */
function sameBytes(a: unknown, b: unknown): true | undefined {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array) || a.constructor !== b.constructor) return undefined
  return equalBytes(a, b) ? true : undefined
}

// Once for each worker, which keeps it from file to file.
expect.addEqualityTesters([sameBytes])
