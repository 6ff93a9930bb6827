/**
 * The datasets of the current epoch and, near its end, of the next one: read from a file, or computed on the host's
 * threads and stored.
 * @module
 */
import { DATASET_RESERVE_BYTES } from '../../base/limits/limits.ts'
import type { DatasetHost, DatasetJob, EpochDataset, EpochPosition } from '../../base/ports/ethashDatasets.ts'
import type { Logger } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Timers } from '../../base/ports/timers.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { computedPart, newControl, setStopped } from '../../consensus/pow/datasetChunks.ts'
import {
  datasetFileName,
  keepDatasetFiles,
  readDatasetFile,
  writeDatasetFile,
} from '../../consensus/pow/datasetFile.ts'
import { type EpochCaches, epochsNear, isSameEpoch, sizesOf } from '../../consensus/pow/epochCaches.ts'
import { firstBlockOf } from '../../consensus/pow/ethash.ts'

/** Reports the progress of long work. */
export interface WorkReport {
  /** @param fraction completed part, 0 to 1 */
  report(fraction: number): void
  end(): void
}

export interface EpochDatasetsOptions {
  readonly host: DatasetHost
  /** Caches of the light algorithm, which verify files. */
  readonly caches: EpochCaches
  readonly timers: Timers
  readonly random: Random
  readonly yieldToHost: YieldToHost
  readonly logger: Logger
  readonly beginWork: (work: string, fields: Readonly<Record<string, unknown>>) => WorkReport
  /** Receives all datasets that can be used. */
  readonly onChange: (datasets: readonly EpochDataset[]) => void
}

const PROGRESS_MS = 200

export class EpochDatasets {
  readonly #options: EpochDatasetsOptions
  #wanted: readonly EpochPosition[] = []
  #ready: readonly EpochDataset[] = []
  /** Epochs without a dataset until they are no longer wanted. */
  #failed: readonly EpochPosition[] = []
  /** A dataset of which a part is computed. */
  #partial: DatasetJob | undefined
  #isPaused = false
  #isClosed = false
  #running: Promise<void> | undefined
  /** Aborts the running work. */
  #signal = { aborted: false }

  constructor(options: EpochDatasetsOptions) {
    this.#options = options
  }

  /** Prepares the datasets for the work on a block, and releases others. */
  follow(blockNumber: number, isLong: boolean): void {
    if (this.#isClosed) return
    this.#isPaused = false
    this.#wanted = epochsNear(blockNumber, isLong)
    this.#failed = this.#failed.filter((position) => this.#isWanted(position))
    if (this.#partial !== undefined && !this.#isWanted(this.#partial.position)) {
      setStopped(this.#partial, true)
      this.#partial = undefined
    }
    const neededDatasets = this.#ready.filter(({ position }) => this.#isWanted(position))
    if (neededDatasets.length < this.#ready.length) this.#setReady(neededDatasets)
    this.#resume()
  }

  /** Stops computing until the next {@link follow}, which continues it. */
  pause(): void {
    this.#isPaused = true
    this.#abort()
  }

  /**
   * Deletes a dataset that led to an invalid nonce; the epoch continues without one.
   * @returns whether there was one
   */
  reject(position: EpochPosition): boolean {
    const { files } = this.#options.host
    const rejected = this.#ready.find((dataset) => isSameEpoch(dataset.position, position))
    if (rejected === undefined) return false
    this.#warn('an ethash dataset is damaged: mining uses the light algorithm', position, 'it led to an invalid nonce')
    this.#failed = [...this.#failed, position]
    this.#setReady(this.#ready.filter((dataset) => dataset !== rejected))
    const name = datasetFileName(position, rejected.memory.byteLength)
    files?.remove(name).catch((error: unknown) => this.#warn('failed to remove an ethash dataset', position, error))
    return true
  }

  /** Ends all work and releases the datasets. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#wanted = []
    this.#abort()
    await this.#running
    this.#partial = undefined
    this.#ready = []
  }

  #abort(): void {
    this.#signal.aborted = true
    if (this.#partial !== undefined) setStopped(this.#partial, true)
  }

  #resume(): void {
    if (this.#running !== undefined || this.#isPaused || this.#isClosed || this.#next() === undefined) return
    this.#signal = { aborted: false }
    this.#running = this.#prepareAll(this.#signal).finally(() => {
      this.#running = undefined
      this.#resume()
    })
  }

  #isWanted(position: EpochPosition): boolean {
    return this.#wanted.some((other) => isSameEpoch(other, position))
  }

  #next(): EpochPosition | undefined {
    const isDone = (position: EpochPosition): boolean =>
      this.#failed.some((other) => isSameEpoch(other, position)) ||
      this.#ready.some((dataset) => isSameEpoch(dataset.position, position))
    return this.#wanted.find((position) => !isDone(position))
  }

  async #prepareAll(signal: { readonly aborted: boolean }): Promise<void> {
    for (let next = this.#next(); next !== undefined && !signal.aborted; next = this.#next()) {
      try {
        await this.#prepare(next, signal)
      } catch (error) {
        this.#failed = [...this.#failed, next]
        this.#partial = undefined
        this.#warn('no ethash dataset: mining uses the light algorithm', next, error)
      }
    }
  }

  async #prepare(position: EpochPosition, signal: { readonly aborted: boolean }): Promise<void> {
    if (this.#partial !== undefined && !isSameEpoch(this.#partial.position, position)) this.#partial = undefined
    const job = this.#partial ?? this.#newJob(position)
    if (this.#partial === undefined) {
      if (await this.#isRead(job, signal)) {
        this.#add(job)
        return
      }
      if (signal.aborted) return
      this.#partial = job
    }
    if (!(await this.#isComputed(job)) || !this.#isWanted(position)) return
    this.#partial = undefined
    this.#add(job)
    await this.#store(job)
  }

  #add(dataset: EpochDataset): void {
    if (this.#isWanted(dataset.position)) this.#setReady([...this.#ready, dataset])
  }

  /** @throws {NodeError} DATASET_TOO_LARGE */
  #newJob(position: EpochPosition): DatasetJob {
    const { host, caches } = this.#options
    const { isTest } = caches
    const { datasetBytes } = sizesOf(position, isTest)
    const available = host.availableBytes()
    if (datasetBytes + DATASET_RESERVE_BYTES > available) {
      const text = `it needs ${mebibytes(datasetBytes)} MiB, but only ${mebibytes(available)} MiB of memory are available`
      throw new NodeError({ code: 'DATASET_TOO_LARGE' }, text)
    }
    try {
      return { position, isTest, memory: new SharedArrayBuffer(datasetBytes), control: newControl() }
    } catch (cause) {
      const text = `this runtime cannot allocate ${mebibytes(datasetBytes)} MiB of shared memory`
      throw new NodeError({ code: 'DATASET_TOO_LARGE' }, text, { cause })
    }
  }

  async #isRead(job: DatasetJob, signal: { readonly aborted: boolean }): Promise<boolean> {
    const { host, caches, yieldToHost, random, logger } = this.#options
    const { files } = host
    if (files === undefined) return false
    const { position, memory } = job
    try {
      await keepDatasetFiles(files, this.#names())
      const first = firstBlockOf(position)
      await caches.prepare(first, position.isLong, yieldToHost)
      const cache = caches.cache(first, position.isLong)
      const problem = await readDatasetFile({ files, cache, random, yieldToHost, signal }, { position, memory })
      if (problem === undefined && !signal.aborted) {
        logger.info('read an ethash dataset', { file: datasetFileName(position, memory.byteLength) })
        return true
      }
      if (problem !== undefined && problem !== 'absent') {
        this.#warn('a file with an ethash dataset is damaged and is replaced', position, problem)
      }
    } catch (error) {
      this.#warn('failed to read an ethash dataset', position, error)
    }
    return false
  }

  /** Computes the rest of a dataset. */
  async #isComputed(job: DatasetJob): Promise<boolean> {
    const { host, timers, beginWork } = this.#options
    const { epoch } = job.position
    setStopped(job, false)
    const fields = { epoch, mebibytes: mebibytes(job.memory.byteLength), threads: host.threads }
    const work = beginWork('computing an ethash dataset', fields)
    const report = (): void => {
      work.report(computedPart(job))
      timer = timers.schedule(PROGRESS_MS, report)
    }
    let timer = timers.schedule(PROGRESS_MS, report)
    try {
      await host.compute(job)
    } finally {
      timer.cancel()
    }
    if (computedPart(job) < 1) return false
    work.report(1)
    work.end()
    return true
  }

  async #store(dataset: EpochDataset): Promise<void> {
    const { files } = this.#options.host
    if (files === undefined) return
    try {
      await keepDatasetFiles(files, this.#names())
      await writeDatasetFile(files, dataset, () => this.#isClosed)
    } catch (error) {
      if (!this.#isClosed) this.#warn('failed to store an ethash dataset', dataset.position, error)
    }
  }

  /** Names of the files that are kept: of the current epoch and of the next one. */
  #names(): string[] {
    const [current] = this.#wanted
    if (current === undefined) return []
    const next = { ...current, epoch: current.epoch + 1 }
    const { isTest } = this.#options.caches
    return [current, next].map((position) => datasetFileName(position, sizesOf(position, isTest).datasetBytes))
  }

  #setReady(datasets: readonly EpochDataset[]): void {
    this.#ready = datasets
    this.#options.onChange(datasets)
  }

  #warn(message: string, { epoch }: EpochPosition, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#options.logger.warn(message, { epoch, reason })
  }
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / (1024 * 1024))
}
