/**
 * Ranges of blocks and the blocks of a range that are drawn.
 * @module
 */

export interface Range {
  readonly from: number
  readonly to: number
  /** Ends at the head and moves with it. */
  readonly isLive: boolean
}

/** A point for each pixel or two: more could not be seen, and each is a block that the node is asked for. */
export const MAX_POINTS = 400

export const PRESETS: readonly number[] = [100, 1000, 10_000, 100_000]
const DEFAULT_LAST = 100

/**
 * @param search `?last=1000`, `?last=all`, or `?from=5&to=10`; whatever is not valid is left out
 * @param head number of the latest block
 */
export function readRange(search: URLSearchParams, head: number): Range {
  const from = readNumber(search.get('from'))
  const to = readNumber(search.get('to'))
  if (from !== undefined && to !== undefined && from < to && from < head) {
    return { from, to: Math.min(to, head), isLive: false }
  }
  const last = search.get('last') === 'all' ? head + 1 : (readNumber(search.get('last')) ?? DEFAULT_LAST)
  return { from: Math.max(0, head - Math.max(1, last) + 1), to: head, isLive: true }
}

function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Blocks between two that are drawn, a power of two, so that a range that moves keeps most of its points. */
export function stepOf({ from, to }: Range): number {
  let step = 1
  while ((to - from + 1) / step > MAX_POINTS) step *= 2
  return step
}

/** The blocks that are drawn, ascending; the last block of the range is one of them. */
export function sampled(range: Range): number[] {
  const step = stepOf(range)
  const numbers: number[] = []
  for (let number = Math.ceil(range.from / step) * step; number < range.to; number += step) numbers.push(number)
  numbers.push(range.to)
  return numbers
}
