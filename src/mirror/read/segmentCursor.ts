/**
 * Walks through the entries of one segment within an interval of keys, in either direction.
 * @module
 */
import { MAX_BLOCKS_AHEAD } from '../../base/limits/limits.ts'
import { compareBytes, equalBytes } from '../../base/primitives/bytes.ts'
import type { KeyInterval } from '../../storage/range.ts'
import { decodeEntries, type SegmentEntry } from '../format/entries.ts'
import type { BlockRef, PartRef } from '../format/segmentIndex.ts'
import type { ReadBudget } from './readBudget.ts'
import type { PlacedSegment, SegmentSource } from './segmentSource.ts'

export class SegmentCursor {
  readonly #source: SegmentSource
  readonly #segment: PlacedSegment
  readonly #interval: KeyInterval
  readonly #budget: ReadBudget | undefined
  /** In the order of the walk; undefined before the first load. */
  #parts: PartRef[] | undefined
  #blocks: BlockRef[] = []
  #entries: SegmentEntry[] = []
  #next = 0
  #ahead = 1

  constructor(source: SegmentSource, segment: PlacedSegment, interval: KeyInterval, budget: ReadBudget | undefined) {
    this.#source = source
    this.#segment = segment
    this.#interval = interval
    this.#budget = budget
  }

  /** The next entry; undefined at the end, or before a load. */
  get head(): SegmentEntry | undefined {
    return this.#entries[this.#next]
  }

  get needsLoad(): boolean {
    return this.head === undefined && !this.#isAtEnd
  }

  get #isAtEnd(): boolean {
    return this.#parts?.length === 0 && this.#blocks.length === 0
  }

  /** Goes beyond a key, if it is the next one. */
  skip(key: Uint8Array): void {
    if (this.head !== undefined && equalBytes(this.head.key, key)) this.#next++
  }

  /** Loads further entries, more each time, until there is one or none is left. */
  async load(): Promise<void> {
    this.#parts ??= await this.#findParts()
    while (this.needsLoad) {
      if (this.#blocks.length === 0) await this.#loadPart()
      else await this.#loadBlocks()
    }
  }

  async #findParts(): Promise<PartRef[]> {
    const [directory] = await this.#source.directories.loadAll([this.#segment], this.#budget)
    return this.#within(directory?.parts ?? [])
  }

  async #loadPart(): Promise<void> {
    const part = this.#parts?.shift()
    if (part === undefined) return
    const [index] = await this.#source.parts.loadAll([{ segment: this.#segment, part }], this.#budget)
    this.#blocks = this.#within(index?.blocks ?? [])
  }

  async #loadBlocks(): Promise<void> {
    const refs = this.#blocks.splice(0, this.#ahead)
    this.#ahead = Math.min(this.#ahead * 2, MAX_BLOCKS_AHEAD)
    const places = refs.map((block) => ({ segment: this.#segment, block }))
    const blocks = await this.#source.blocks.loadAll(places, this.#budget)
    const { low, high, reverse } = this.#interval
    const isWithin = ({ key }: SegmentEntry): boolean =>
      compareBytes(key, low) >= 0 && (high === undefined || compareBytes(key, high) < 0)
    this.#entries = blocks.flatMap((block) => {
      const inside = decodeEntries(this.#segment.name, block).filter(isWithin)
      return reverse ? inside.reverse() : inside
    })
    this.#next = 0
  }

  /** The references whose keys may lie in the interval, in the order of the walk. Each begins after the last key before it. */
  #within<Ref extends { readonly lastKey: Uint8Array }>(refs: readonly Ref[]): Ref[] {
    const { low, high, reverse } = this.#interval
    const inside = refs.filter(({ lastKey }, i) => {
      const before = refs[i - 1]?.lastKey
      const beginsInside = high === undefined || before === undefined || compareBytes(before, high) < 0
      return compareBytes(lastKey, low) >= 0 && beginsInside
    })
    return reverse ? inside.reverse() : inside
  }
}
