/**
 * One state of a mirror: the segments of one manifest, from the newest to the oldest.
 * @module
 */
import { compareBytes } from '../base/primitives/bytes.ts'
import type { KeyInterval } from '../storage/range.ts'
import { filterHash, mayContain } from './format/filter.ts'
import type { SignedManifest } from './format/manifest.ts'
import type { MergedSegment, RecentSegment } from './format/segmentInfo.ts'
import { type PlacedSegment, placeOf } from './read/segmentSource.ts'

interface RecentPlace extends PlacedSegment {
  readonly info: RecentSegment
}

export class MirrorView {
  readonly manifest: SignedManifest
  /** Newest first. */
  readonly #recent: readonly RecentPlace[]
  /** Newest level first, each in the order of keys. */
  readonly #levels: readonly (readonly PlacedSegment[])[]

  /** @param merged the list that the manifest names */
  constructor(manifest: SignedManifest, merged: readonly MergedSegment[]) {
    this.manifest = manifest
    this.#recent = manifest.recent.map((info) => ({ ...placeOf(info), info })).reverse()
    const levels = new Map<number, PlacedSegment[]>()
    for (const segment of merged) {
      const level = levels.get(segment.level) ?? []
      level.push(placeOf(segment))
      levels.set(segment.level, level)
    }
    this.#levels = [...levels.values()]
  }

  /** The segments that may have a key, newest first. */
  candidates(key: Uint8Array): PlacedSegment[] {
    const hash = filterHash(key)
    const recent: PlacedSegment[] = this.#recent.filter(
      ({ info }) => covers(info, key) && mayContain(info.filter, hash),
    )
    const merged = this.#levels.flatMap((level) => {
      const segment = level[firstAtOrAfter(level, key, ({ info }) => info.lastKey)]
      return segment !== undefined && covers(segment.info, key) ? [segment] : []
    })
    return [...recent, ...merged]
  }

  /** The segments that may have keys of an interval, newest first; those of one level in the order of their keys. */
  overlapping({ low, high }: Pick<KeyInterval, 'low' | 'high'>): PlacedSegment[] {
    return [...this.#recent, ...this.#levels.flat()].filter(
      ({ info }) =>
        compareBytes(info.lastKey, low) >= 0 && (high === undefined || compareBytes(info.firstKey, high) < 0),
    )
  }

  /** Number of segments. */
  get segments(): number {
    return this.#levels.reduce((sum, level) => sum + level.length, this.#recent.length)
  }
}

/** Position of the first item whose key is not below `key`, in ascending items. */
export function firstAtOrAfter<T>(items: readonly T[], key: Uint8Array, keyOf: (item: T) => Uint8Array): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareBytes(keyOf(items[middle] as T), key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function covers({ firstKey, lastKey }: RecentSegment | MergedSegment, key: Uint8Array): boolean {
  return compareBytes(firstKey, key) <= 0 && compareBytes(key, lastKey) <= 0
}
