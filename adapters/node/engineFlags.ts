/**
 * Settings of V8 for a process that runs a node.
 * @module
 */
import process from 'node:process'
import v8 from 'node:v8'

/**
 * Bytes of bytecode that a function runs before V8 considers optimizing it; an eighth of the default. The work on a
 * transaction is spread over many short functions, which would reach the default only after thousands of transactions.
 */
const INTERRUPT_BUDGET = 15_000
/** The start of the program runs much code that is not needed again: optimizing it would only take time. */
const START_MS = 1000

const MIB = 1024 * 1024
/** Growth allowed between two full collections while the heap is small. */
const GROWTH_BYTES = 64 * MIB
/** Bounds of the growth, in percent of the live size. */
const LEAST_PERCENT = 20
const MOST_PERCENT = 100
const CHECK_MS = 5000

/** Growth allowed before the next full collection, in percent of a heap of `usedBytes`. */
export function growthPercent(usedBytes: number): number {
  const percent = Math.floor((100 * GROWTH_BYTES) / usedBytes)
  return Math.max(LEAST_PERCENT, Math.min(MOST_PERCENT, percent))
}

/** Sets the flags for the lifetime of the process. */
export function setEngineFlags(): void {
  limitHeapGrowth()
  const optimizeEarly = (): void => v8.setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`)
  withoutWaiting(setTimeout(optimizeEarly, START_MS))
}

/**
 * By default, V8 collects the whole heap only after it has grown to a multiple of the live size, so the memory of a busy
 * node rises while its caches fill. A small percentage alone is no better: a heap of 80 MiB that may grow by a fifth is
 * collected several times per second under load.
 */
function limitHeapGrowth(): void {
  let current = 0
  const follow = (): void => {
    const percent = growthPercent(process.memoryUsage().heapUsed)
    if (percent === current) return
    current = percent
    v8.setFlagsFromString(`--heap-growing-percent=${percent}`)
  }
  follow()
  withoutWaiting(setInterval(follow, CHECK_MS))
}

/** The process may end before the timer fires. */
function withoutWaiting(timer: { readonly unref?: () => void }): void {
  timer.unref?.()
}
