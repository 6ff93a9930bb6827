/**
 * Limits how far V8 lets the heap grow between two full collections. By default, V8 waits for a multiple of the live
 * size, so the memory of a busy node rises while its caches fill. A small percentage alone is no better: a heap of 80
 * MiB that may grow by a fifth is collected several times per second under load.
 * @module
 */
import v8 from 'node:v8'

const MIB = 1024 * 1024
/** Growth allowed between two full collections while the heap is small. */
const GROWTH_BYTES = 64 * MIB
/** Bounds of the growth, in percent of the live size. A young node fills its caches, and is not collected for that. */
const LEAST_PERCENT = 20
const MOST_PERCENT = 200
const CHECK_MS = 500

/** Growth allowed before the next full collection, in percent of a heap of `usedBytes`. */
export function growthPercent(usedBytes: number): number {
  const percent = Math.floor((100 * GROWTH_BYTES) / usedBytes)
  return Math.max(LEAST_PERCENT, Math.min(MOST_PERCENT, percent))
}

/** 0, V8's default, leaves the growth to V8. */
let current = 0

/** Limits heap growth for the lifetime of the process. */
export function boundHeapGrowth(): void {
  const follow = (): void => {
    const percent = growthPercent(v8.getHeapStatistics().used_heap_size)
    if (percent === current) return
    current = percent
    setPercent(percent)
  }
  follow()
  const timer: { readonly unref?: () => void } = setInterval(follow, CHECK_MS)
  timer.unref?.()
}

/** Runs a task under the flags that the process started with. */
export function atDefaultGrowth<T>(task: () => T): T {
  if (current === 0) return task()
  setPercent(0)
  try {
    return task()
  } finally {
    setPercent(current)
  }
}

function setPercent(percent: number): void {
  v8.setFlagsFromString(`--heap-growing-percent=${percent}`)
}
