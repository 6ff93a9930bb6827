/**
 * How a cache forgets what was not used for long, without a list of uses: entries belong to generations, and the oldest one is
 * deleted as a whole. An entry that is read in an old generation is written again into the newest.
 * @module
 */
import { FORK_CACHE_GENERATIONS } from '../base/limits/limits.ts'
import { concatBytes, readUint, uintBytes } from '../base/primitives/bytes.ts'

/** Generations that are read. Numbers are consecutive. */
export interface Generations {
  readonly newest: number
  /** Bytes of each (estimate), the newest first. */
  readonly sizes: readonly number[]
}

const NUMBER_BYTES = 4
const SIZE_BYTES = 6
const MS_PER_MINUTE = 60_000

/** Of the record of the generations: above the keys of all of them. */
export const GENERATIONS_KEY: Uint8Array = Uint8Array.of(0xff)

/** Keys begin with their generation, so that the oldest ones come first. */
export function generationKey(generation: number, key: Uint8Array): Uint8Array {
  return concatBytes(uintBytes(generation, NUMBER_BYTES), key)
}

export function encodeGenerations({ newest, sizes }: Generations): Uint8Array {
  return concatBytes(uintBytes(newest, NUMBER_BYTES), ...sizes.map((size) => uintBytes(size, SIZE_BYTES)))
}

/**
 * A new cache, or one whose record was lost, begins with the minutes since 1970: a number above those of all earlier
 * generations, which can then be deleted.
 */
export function decodeGenerations(record: Uint8Array | undefined, nowMs: number): Generations {
  if (record === undefined || record.length <= NUMBER_BYTES) {
    return { newest: Math.floor(nowMs / MS_PER_MINUTE), sizes: [0] }
  }
  const sizes: number[] = []
  for (let at = NUMBER_BYTES; at + SIZE_BYTES <= record.length; at += SIZE_BYTES) {
    sizes.push(readUint(record, at, SIZE_BYTES))
  }
  return { newest: readUint(record, 0, NUMBER_BYTES), sizes }
}

export function oldestOf({ newest, sizes }: Generations): number {
  return newest - sizes.length + 1
}

/**
 * After `bytes` were written into the newest generation. A full one is followed by the next, and the oldest make room. One
 * share of the bound is for the generation that is being deleted.
 */
export function grown(
  { newest, sizes: [first = 0, ...older] }: Generations,
  bytes: number,
  maxBytes: number,
): Generations {
  const isFull = first + bytes >= maxBytes / (FORK_CACHE_GENERATIONS + 1)
  const sizes = [...(isFull ? [0] : []), first + bytes, ...older]
  while (sizes.length > FORK_CACHE_GENERATIONS || (sizes.length > 1 && sum(sizes) > maxBytes)) sizes.pop()
  return { newest: isFull ? newest + 1 : newest, sizes }
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}
