/**
 * Computation of ethash datasets on worker threads of Node, Deno or Bun.
 * @module
 */
import os from 'node:os'
import process from 'node:process'
import { MAX_DATASET_THREADS } from '../../../src/base/limits/limits.ts'
import type { DatasetFiles, DatasetHost, DatasetJob } from '../../../src/base/ports/ethashDatasets.ts'
import { setStopped } from '../../../src/consensus/pow/datasetChunks.ts'
import type { DatasetAnswer } from './datasetWorker.ts'
import { type MessageTask, TaskThread } from './taskThread.ts'
import { ThreadPool } from './threadPool.ts'
import { workerUrl } from './workerThread.ts'

export interface DatasetThreadsOptions {
  readonly files: DatasetFiles | undefined
  /** Default: one less than the processors, for the event loop. */
  readonly threads?: number
  /** The worker's module. Default: the file next to this one. */
  readonly workerUrl?: URL
}

export class DatasetThreads implements DatasetHost {
  readonly files: DatasetFiles | undefined
  readonly threads: number
  readonly #workerUrl: URL

  constructor(options: DatasetThreadsOptions) {
    this.files = options.files
    this.threads = options.threads ?? Math.min(Math.max(os.availableParallelism() - 1, 1), MAX_DATASET_THREADS)
    this.#workerUrl = options.workerUrl ?? workerUrl(import.meta.url, 'datasetWorker')
  }

  availableBytes(): number {
    const { availableMemory } = process as { availableMemory?: () => number }
    return availableMemory?.call(process) ?? os.freemem()
  }

  async compute(job: DatasetJob): Promise<void> {
    const pool = new ThreadPool<Share, TaskThread<undefined, DatasetAnswer>>({
      open: (events) => new TaskThread(this.#workerUrl, events, { data: job }),
      size: this.threads,
      maxLoad: 1,
      onStranded: () => pool.take()?.failed(new Error('no thread can be started')),
    })
    const ends = Array.from({ length: this.threads }, () => share(pool))
    try {
      await Promise.all(ends)
    } catch (error) {
      setStopped(job, true)
      await Promise.allSettled(ends)
      throw error
    } finally {
      await pool.close()
    }
  }
}

/** The part of one thread. The job is its start data, so the message is empty. */
type Share = MessageTask<undefined, DatasetAnswer>

function share(pool: ThreadPool<Share, TaskThread<undefined, DatasetAnswer>>): Promise<void> {
  return new Promise((resolve, reject) => {
    pool.add({
      message: () => undefined,
      done: ({ reason }) => (reason === undefined ? resolve() : reject(new Error(reason))),
      failed: reject,
      lost: reject,
    })
  })
}
