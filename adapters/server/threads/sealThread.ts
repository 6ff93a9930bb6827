/**
 * The search for seals of proof of work on a worker thread of Node, Deno or Bun.
 * @module
 */
import type { EpochDataset } from '../../../src/base/ports/ethashDatasets.ts'
import type { DatasetSealSearch, SealSearchOptions, SealTask } from '../../../src/base/ports/sealSearch.ts'
import type { SealAnswer, SealMessage } from './sealWorker.ts'
import {
  type ClosedThread,
  MAX_THREAD_DEATHS,
  type PoolThread,
  type PoolThreadEvents,
  ThreadPool,
} from './threadPool.ts'
import { WorkerThread, workerUrl } from './workerThread.ts'

export interface SealThreadOptions extends SealSearchOptions {
  /** The worker's module. Default: the file next to this one. */
  readonly workerUrl?: URL
}

interface Search {
  readonly task: SealTask
  readonly first: bigint
  readonly onFound: (nonce: Uint8Array) => void
}

/** The thread starts with the first search and keeps its cache. */
export class SealThread implements DatasetSealSearch {
  readonly #options: SealThreadOptions
  /** undefined: closed, until the next search */
  #pool: ThreadPool<Search, SearchThread> | undefined
  #thread: SearchThread | undefined
  #datasets: readonly EpochDataset[] = []
  hashrate = 0

  constructor(options: SealThreadOptions) {
    this.#options = options
  }

  start(task: SealTask, first: bigint, onFound: (nonce: Uint8Array) => void): void {
    this.#pool ??= this.#openPool()
    this.#pool.add({ task, first, onFound })
  }

  stop(): void {
    this.#thread?.stop()
  }

  pause(): void {
    this.stop()
  }

  useDatasets(datasets: readonly EpochDataset[]): void {
    this.#datasets = datasets
    this.#thread?.useDatasets(datasets)
  }

  async close(): Promise<void> {
    const pool = this.#pool
    this.#pool = undefined
    this.#thread = undefined
    this.#datasets = []
    await pool?.close()
  }

  #openPool(): ThreadPool<Search, SearchThread> {
    const pool = new ThreadPool<Search, SearchThread>({
      open: (events) => this.#openThread(events),
      isReplaced: true,
      onStranded: () => {
        pool.take()
        if (pool.isBroken) this.#options.onError(new Error(`the mining thread has ended ${MAX_THREAD_DEATHS} times`))
      },
    })
    return pool
  }

  #openThread(events: PoolThreadEvents<Search>): SearchThread {
    const { onError } = this.#options
    try {
      const onRate = (hashrate: number): void => {
        this.hashrate = hashrate
      }
      this.#thread = new SearchThread({ ...this.#options, onRate }, events)
      if (this.#datasets.length > 0) this.#thread.useDatasets(this.#datasets)
      return this.#thread
    } catch (error) {
      onError(error)
      throw error
    }
  }
}

interface SearchThreadOptions extends SealThreadOptions {
  readonly onRate: (hashrate: number) => void
}

/** Searches for one task: the next one replaces it. */
class SearchThread implements PoolThread<Search> {
  readonly #options: SearchThreadOptions
  readonly #thread: WorkerThread<SealMessage, SealAnswer>
  readonly #events: PoolThreadEvents<Search>
  #search: Search | undefined
  /** Identifies the search to which an answer belongs. */
  #id = 0

  /** @throws {Error} when no thread can be started */
  constructor(options: SearchThreadOptions, events: PoolThreadEvents<Search>) {
    const { isTest, workerUrl: url = workerUrl(import.meta.url, 'sealWorker') } = options
    this.#options = options
    this.#events = events
    const threadEvents = {
      answer: (answer: SealAnswer) => this.#onAnswer(answer),
      ended: (error: unknown) => this.#onEnd(error),
    }
    this.#thread = new WorkerThread(url, threadEvents, { data: { isTest } })
  }

  get isReady(): boolean {
    return this.#thread.isReady
  }

  get load(): number {
    return this.#search === undefined ? 0 : 1
  }

  begin(search: Search): void {
    const { task, first } = search
    this.#search = search
    this.#thread.send({ kind: 'search', id: ++this.#id, task, first })
  }

  stop(): void {
    if (this.#search === undefined) return
    this.#search = undefined
    this.#thread.send({ kind: 'stop' })
    this.#thread.rest()
  }

  useDatasets(datasets: readonly EpochDataset[]): void {
    this.#thread.send({ kind: 'datasets', datasets })
    if (this.#search === undefined) this.#thread.rest()
  }

  close(): ClosedThread<Search> {
    this.#search = undefined
    return { unfinished: [], ended: this.#thread.terminate() }
  }

  #onAnswer(answer: SealAnswer): void {
    if (answer.id !== this.#id || this.#search === undefined) return
    if (answer.kind !== 'failed') this.#options.onRate(answer.hashrate)
    if (answer.kind === 'rate') return
    const { onFound } = this.#search
    this.#search = undefined
    this.#thread.rest()
    if (answer.kind === 'found') onFound(answer.nonce)
    else this.#options.onError(new Error(answer.reason))
  }

  #onEnd(error: unknown): void {
    const search = this.#search
    this.#search = undefined
    if (search !== undefined) this.#options.onError(error)
    this.#events.died(error, search === undefined ? [] : [search])
  }
}
