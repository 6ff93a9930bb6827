/**
 * The computation of a dataset by several threads: each takes the next chunk until none is left. A stopped computation can
 * be continued, since every chunk that was taken is completed.
 * @module
 */
import type { DatasetJob } from '../../base/ports/ethashDatasets.ts'
import { lightSteps } from './epochCaches.ts'
import { MIX_WORDS } from './ethash.ts'

/** Pages of a chunk: some tens of milliseconds of work. */
const CHUNK_PAGES = 512
const CHUNK_WORDS: number = CHUNK_PAGES * MIX_WORDS
/** Positions in the control words. */
const TAKEN = 0
const DONE = 1
const STOPPED = 2
const CONTROL_WORDS = 3

export type DatasetWork = Pick<DatasetJob, 'memory' | 'control'>

export function newControl(): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL_WORDS * Int32Array.BYTES_PER_ELEMENT)
}

/** Computed part, 0 to 1. */
export function computedPart({ memory, control }: DatasetWork): number {
  return Math.min(1, Atomics.load(new Int32Array(control), DONE) / chunksOf(memory))
}

/** Makes the threads end after their current chunk, or permits their next start. */
export function setStopped({ control }: Pick<DatasetWork, 'control'>, isStopped: boolean): void {
  Atomics.store(new Int32Array(control), STOPPED, isStopped ? 1 : 0)
}

/** Computes chunks on this thread. It yields after each and after steps of the cache, which each thread computes. */
export function* computeChunks(job: DatasetJob): Generator<void, void> {
  const control = new Int32Array(job.control)
  const words = new Int32Array(job.memory)
  const chunks = chunksOf(job.memory)
  const steps = lightSteps(job.position, job.isTest)
  let step = steps.next()
  for (; !step.done; step = steps.next()) {
    if (Atomics.load(control, STOPPED) !== 0) return
    yield
  }
  const cache = step.value
  while (Atomics.load(control, STOPPED) === 0) {
    const chunk = Atomics.add(control, TAKEN, 1)
    if (chunk >= chunks) return
    cache.writePages(chunk * CHUNK_PAGES, words.subarray(chunk * CHUNK_WORDS, (chunk + 1) * CHUNK_WORDS))
    Atomics.add(control, DONE, 1)
    yield
  }
}

function chunksOf(memory: SharedArrayBuffer): number {
  return Math.ceil(memory.byteLength / (CHUNK_WORDS * Int32Array.BYTES_PER_ELEMENT))
}
