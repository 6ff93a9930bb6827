/** A value and the first block to which it applies. */
export interface ScheduleEntry<T> {
  readonly block: bigint
  readonly value: T
}

/** Values that change at certain blocks; the first holds from block 0. */
export class BlockSchedule<T> {
  readonly entries: readonly ScheduleEntry<T>[]

  /**
   * @param changes ascending, each block once and above 0
   * @throws {RangeError} when they are not in this order
   */
  constructor(first: T, changes: readonly ScheduleEntry<T>[] = []) {
    this.entries = [{ block: 0n, value: first }, ...changes]
    for (const [i, { block }] of changes.entries()) {
      const before = (this.entries[i] as ScheduleEntry<T>).block
      if (block <= before) throw new RangeError(`schedule: block ${block} after block ${before}`)
    }
  }

  /** The value of the last change up to this block. */
  at(block: bigint): T {
    let low = 0
    let high = this.entries.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.entries[middle] as ScheduleEntry<T>).block <= block) low = middle
      else high = middle - 1
    }
    return (this.entries[low] as ScheduleEntry<T>).value
  }

  map<U>(convert: (value: T, block: bigint) => U): BlockSchedule<U> {
    const [first, ...changes] = this.entries.map(({ block, value }) => ({ block, value: convert(value, block) }))
    return new BlockSchedule((first as ScheduleEntry<U>).value, changes)
  }
}
