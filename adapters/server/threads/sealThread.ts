/**
 * The search for seals of proof of work on a worker thread of Node, Deno or Bun.
 * @module
 */
import type { EpochDataset } from '../../../src/base/ports/ethashDatasets.ts'
import type { DatasetSealSearch, SealSearchOptions, SealTask } from '../../../src/base/ports/sealSearch.ts'
import type { SealAnswer, SealMessage } from './sealWorker.ts'
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

/** No new thread is started after this number of failures. */
const MAX_DEATHS = 3

/** The thread starts with the first search and keeps its cache. */
export class SealThread implements DatasetSealSearch {
  readonly #options: SealThreadOptions
  #thread: WorkerThread<SealMessage, SealAnswer> | undefined
  #search: Search | undefined
  /** Identifies the search to which an answer belongs. */
  #id = 0
  #deaths = 0
  #datasets: readonly EpochDataset[] = []
  hashrate = 0

  constructor(options: SealThreadOptions) {
    this.#options = options
  }

  start(task: SealTask, first: bigint, onFound: (nonce: Uint8Array) => void): void {
    this.#search = { task, first, onFound }
    this.#send(this.#search)
  }

  stop(): void {
    if (this.#search === undefined) return
    this.#search = undefined
    this.#thread?.send({ kind: 'stop' })
    this.#thread?.rest()
  }

  pause(): void {
    this.stop()
  }

  useDatasets(datasets: readonly EpochDataset[]): void {
    this.#datasets = datasets
    this.#thread?.send({ kind: 'datasets', datasets })
    if (this.#search === undefined) this.#thread?.rest()
  }

  async close(): Promise<void> {
    this.#search = undefined
    this.#datasets = []
    await this.#thread?.terminate()
    this.#thread = undefined
  }

  #send({ task, first }: Search): void {
    try {
      this.#thread ??= this.#open()
      this.#thread.send({ kind: 'search', id: ++this.#id, task, first })
    } catch (error) {
      this.#search = undefined
      this.#options.onError(error)
    }
  }

  #open(): WorkerThread<SealMessage, SealAnswer> {
    if (this.#deaths >= MAX_DEATHS) throw new Error(`the mining thread has ended ${this.#deaths} times`)
    const { isTest } = this.#options
    const thread = new WorkerThread<SealMessage, SealAnswer>(
      this.#options.workerUrl ?? workerUrl(import.meta.url, 'sealWorker'),
      {
        answer: (answer) => this.#onAnswer(answer),
        ended: (error) => this.#onDeath(error),
      },
      { data: { isTest } },
    )
    if (this.#datasets.length > 0) thread.send({ kind: 'datasets', datasets: this.#datasets })
    return thread
  }

  #onAnswer(answer: SealAnswer): void {
    if (answer.id !== this.#id || this.#search === undefined) return
    const { onFound } = this.#search
    switch (answer.kind) {
      case 'rate':
        this.hashrate = answer.hashrate
        break
      case 'found':
        this.hashrate = answer.hashrate
        this.#search = undefined
        this.#thread?.rest()
        onFound(answer.nonce)
        break
      case 'failed':
        this.#search = undefined
        this.#thread?.rest()
        this.#options.onError(new Error(answer.reason))
    }
  }

  #onDeath(error: unknown): void {
    this.#deaths++
    this.#thread = undefined
    const search = this.#search
    if (search === undefined) return
    this.#options.onError(error)
    this.#send(search)
  }
}
