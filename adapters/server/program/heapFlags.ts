/**
 * How V8 manages the heap of a node.
 *
 * Growth: by default, V8 waits for a multiple of the live size before a full collection, so the memory of a busy node
 * rises while its caches fill. A small percentage alone is no better: a heap of 80 MiB that may grow by a fifth is
 * collected several times per second under load.
 *
 * Pretenuring: when most objects from one place in the code survive, V8 allocates the next ones from there in the old
 * space, where only a full collection frees them. Blocks that wait for an enclave or for a peer mislead it: objects of
 * all later blocks then become old, with all that they refer to, which more than doubles the old garbage of a transfer.
 *
 * Collections of the young generation: between two turns of the event loop, V8 collects it when it is four fifths full, in the
 * hope that little is alive. A request that takes several turns is then alive as a whole. It is copied once more than needed,
 * and what was copied twice becomes old. Without these collections, a simulation of a block needs a sixth less processor time.
 *
 * Changing flags at run time is unsupported: according to the documentation of `v8.setFlagsFromString`, it may have no
 * effect, lose data or crash the process. When V8 does not know a flag, it prints "unrecognized flag" to stderr and
 * continues, without an exception; the heap then grows as V8 decides.
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
/** Number of tasks and threads that need the flags that the process started with. */
let holders = 0

/** Sets the flags for the lifetime of the process, and lets the growth follow the size of the heap. */
export function setHeapFlags(): void {
  const follow = (): void => {
    const percent = growthPercent(v8.getHeapStatistics().used_heap_size)
    if (percent === current) return
    current = percent
    if (holders === 0) setPercent(percent)
  }
  follow()
  setSwitches(false)
  const timer: { readonly unref?: () => void } = setInterval(follow, CHECK_MS)
  timer.unref?.()
}

/**
 * Returns to the flags that the process started with. V8 accepts stored code only under the flags that it was compiled with,
 * and threads share the flags of the process.
 * @returns a function that sets the node's flags again; further calls of it do nothing
 */
export function holdDefaultFlags(): () => void {
  if (current === 0) return () => undefined
  if (holders === 0) {
    setPercent(0)
    setSwitches(true)
  }
  holders++
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    holders--
    if (holders > 0) return
    setSwitches(false)
    setPercent(current)
  }
}

/** Runs a task under the flags that the process started with. */
export function atDefaultFlags<T>(task: () => T): T {
  const release = holdDefaultFlags()
  try {
    return task()
  } finally {
    release()
  }
}

function setPercent(percent: number): void {
  v8.setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/** @param areDefault whether sites are pretenured, and the young generation is collected between turns of the event loop */
function setSwitches(areDefault: boolean): void {
  const prefix = areDefault ? '--' : '--no-'
  for (const flag of ['allocation-site-pretenuring', 'minor-gc-task']) v8.setFlagsFromString(`${prefix}${flag}`)
}
