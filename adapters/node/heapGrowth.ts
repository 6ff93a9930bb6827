/**
 * How far V8 lets the heap grow between two full collections. By itself it waits for a multiple of what was alive, so that
 * the memory of a busy node goes up for as long as its caches fill. A small share of what is alive is no better alone: a
 * heap of 80 MiB that may grow by a fifth is collected several times a second under load.
 * @module
 */
import process from 'node:process'
import v8 from 'node:v8'

const MIB = 1024 * 1024
/** What is allocated between two full collections while the heap is small. */
const GROWTH_BYTES = 64 * MIB
/** Bounds of the growth in percent of what is alive. */
const LEAST_PERCENT = 20
const MOST_PERCENT = 100
const CHECK_MS = 5000

/** Percent of a heap of `usedBytes` that it may grow by before the next full collection. */
export function growthPercent(usedBytes: number): number {
  const percent = Math.floor((100 * GROWTH_BYTES) / usedBytes)
  return Math.max(LEAST_PERCENT, Math.min(MOST_PERCENT, percent))
}

/** Bounds the growth of the heap for as long as the process runs. */
export function boundHeapGrowth(): void {
  let current = 0
  const follow = (): void => {
    const percent = growthPercent(process.memoryUsage().heapUsed)
    if (percent === current) return
    current = percent
    v8.setFlagsFromString(`--heap-growing-percent=${percent}`)
  }
  follow()
  const timer: { readonly unref?: () => void } = setInterval(follow, CHECK_MS)
  timer.unref?.()
}
