/**
 * Reads ranges of objects: neighbours in one read, and a bounded number of reads at a time.
 * @module
 */
import { MAX_MIRROR_READ_BYTES, MAX_MIRROR_READS, MIRROR_READ_GAP_BYTES } from '../../base/limits/limits.ts'
import type { ObjectReader } from '../../base/ports/objectStore.ts'
import { mirrorDamaged, mirrorUnavailable } from '../errors.ts'
import type { ReadBudget } from './readBudget.ts'

export interface ByteRange {
  readonly object: string
  readonly offset: number
  readonly length: number
}

interface Group {
  readonly object: string
  readonly offset: number
  end: number
  /** Positions of the ranges in the list of wanted ones. */
  readonly members: number[]
}

export class RangeReader {
  readonly #objects: Pick<ObjectReader, 'get'>
  readonly #maxParallel: number
  readonly #waiting: (() => void)[] = []
  #running = 0
  /** Reads of the store so far. */
  reads = 0
  /** Bytes that were read so far. */
  bytes = 0

  /** @param maxParallel reads that run at the same time */
  constructor(objects: Pick<ObjectReader, 'get'>, maxParallel: number = MAX_MIRROR_READS) {
    this.#objects = objects
    this.#maxParallel = maxParallel
  }

  /**
   * @returns the bytes of the ranges, in their order, which the caller owns
   * @throws {NodeError} MIRROR_UNAVAILABLE, also for an absent object; MIRROR_DAMAGED for a shorter one; READS_EXCEEDED
   */
  async readAll(ranges: readonly ByteRange[], budget?: ReadBudget): Promise<Uint8Array[]> {
    const groups = grouped(ranges)
    budget?.spend(groups.length)
    const results = new Array<Uint8Array>(ranges.length)
    const read = async (group: Group): Promise<void> => {
      const bytes = await this.#inTurn(() => this.#read(group))
      for (const member of group.members) {
        const { offset, length } = ranges[member] as ByteRange
        const start = offset - group.offset
        results[member] = group.members.length === 1 ? bytes : bytes.slice(start, start + length)
      }
    }
    await Promise.all(groups.map(read))
    return results
  }

  async #read({ object, offset, end }: Group): Promise<Uint8Array> {
    const length = end - offset
    this.reads++
    const bytes = await this.#objects.get(object, offset, length)
    if (bytes === undefined) throw mirrorUnavailable(object, 'the store does not have it')
    this.bytes += bytes.length
    if (bytes.length !== length) {
      throw mirrorDamaged(object, `the store sent ${bytes.length} bytes from ${offset} on, not ${length}`)
    }
    return bytes
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxParallel) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}

/** Ranges that lie close together in the same object. */
function grouped(ranges: readonly ByteRange[]): Group[] {
  const order = ranges.map((_, i) => i).sort((a, b) => compareRanges(ranges[a] as ByteRange, ranges[b] as ByteRange))
  const groups: Group[] = []
  for (const member of order) {
    const { object, offset, length } = ranges[member] as ByteRange
    const last = groups.at(-1)
    const end = offset + length
    if (
      last?.object === object &&
      offset - last.end <= MIRROR_READ_GAP_BYTES &&
      end - last.offset <= MAX_MIRROR_READ_BYTES
    ) {
      last.end = Math.max(last.end, end)
      last.members.push(member)
    } else groups.push({ object, offset, end, members: [member] })
  }
  return groups
}

function compareRanges(a: ByteRange, b: ByteRange): number {
  if (a.object !== b.object) return a.object < b.object ? -1 : 1
  return a.offset - b.offset
}
