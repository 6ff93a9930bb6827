/**
 * Files with the blooms of old blocks, in Besu's layout.
 * @see docs/reference/admin-net-miner-perm-of-node.md section 5
 * @module
 */
import type { BloomRewrite, LogBloomCache } from '../api/logBlooms.ts'
import { BLOOM_CACHE_DELAY_MS, BLOOM_CACHE_START_MS, BLOOM_CHUNK_BLOCKS } from '../base/limits/limits.ts'
import type { BloomFiles } from '../base/ports/bloomFiles.ts'
import type { Logger } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { Emitter } from '../base/primitives/events.ts'
import type { ChainEvents, ChainReader } from '../chain/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Blocks of one file. */
export const SEGMENT_BLOCKS = 100_000
const BLOOM_BYTES = 256

export interface LogBloomFilesDeps {
  readonly files: BloomFiles
  readonly chain: Pick<ChainReader, 'genesis' | 'head' | 'headerByNumber'> & { readonly events: Emitter<ChainEvents> }
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
  readonly residency?: Residency | undefined
  readonly logger: Logger
  /** Whether the files follow the head. */
  readonly isAutomatic: boolean
}

export class LogBloomFiles implements LogBloomCache, Lifecycle {
  readonly name = 'log bloom cache'
  readonly #deps: LogBloomFilesDeps
  #run: BloomRewrite = { startBlock: 0, endBlock: 0, currentBlock: 0, isActive: false }
  #isStopped = false
  /** Work on the files, one task after another. */
  #tasks: Promise<void> = Promise.resolve()
  #timer: Timer | undefined
  #unsubscribe = (): void => {}

  constructor(deps: LogBloomFilesDeps) {
    this.#deps = deps
  }

  get run(): BloomRewrite {
    return this.#run
  }

  /** Resolves when no task is left. */
  get idle(): Promise<void> {
    return this.#tasks
  }

  start(): void {
    const { isAutomatic, chain } = this.#deps
    if (!isAutomatic) return
    this.#follow(BLOOM_CACHE_START_MS)
    const stops = [
      chain.events.on('head', () => this.#follow(BLOOM_CACHE_DELAY_MS)),
      chain.events.on('reorg', ({ commonAncestor }) => this.#cut(Number(commonAncestor.header.number) + 1)),
    ]
    this.#unsubscribe = () => {
      for (const stop of stops) stop()
    }
  }

  stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#timer?.cancel()
    return this.#tasks
  }

  generate(startBlock: number, endBlock: number): boolean {
    if (this.#run.isActive || !(startBlock < endBlock)) return false
    const first = Math.max(Math.floor(startBlock / SEGMENT_BLOCKS), this.#firstSegment)
    this.#run = { startBlock: first * SEGMENT_BLOCKS, endBlock, currentBlock: first * SEGMENT_BLOCKS, isActive: true }
    this.#task(async () => {
      for (let segment = first; this.#isComplete(segment, endBlock); segment++)
        await this.#write(segment, 0, SEGMENT_BLOCKS)
    })
    return true
  }

  repair(startBlock: number): boolean {
    if (this.#run.isActive) return false
    this.#run = { startBlock: 0, endBlock: startBlock, currentBlock: startBlock, isActive: true }
    this.#task(async () => {
      for (let segment = Math.floor(startBlock / SEGMENT_BLOCKS); segment >= this.#firstSegment; segment--) {
        if (this.#isComplete(segment, Number.POSITIVE_INFINITY)) await this.#write(segment, 0, SEGMENT_BLOCKS)
      }
    })
    return true
  }

  remove(from: number, to: number): Promise<void> {
    const { files } = this.#deps
    const task = this.#tasks.then(async () => {
      const [first, last] = [Math.floor(from / SEGMENT_BLOCKS), Math.floor(to / SEGMENT_BLOCKS)]
      for (const segment of await files.segments()) if (segment >= first && segment <= last) await files.remove(segment)
    })
    this.#tasks = task.catch(() => {})
    return task
  }

  /** The first segment whose blocks all exist, once the chain is long enough. */
  get #firstSegment(): number {
    return Math.ceil(Number(this.#deps.chain.genesis.header.number) / SEGMENT_BLOCKS)
  }

  /** Whether all blocks of a segment exist and belong to a range that ends before `end`. */
  #isComplete(segment: number, end: number): boolean {
    const next = (segment + 1) * SEGMENT_BLOCKS
    return !this.#isStopped && next <= end && next - 1 <= Number(this.#deps.chain.head.header.number)
  }

  /** Runs after the tasks before it. A failure is logged. */
  #task(work: () => Promise<void>): void {
    this.#tasks = this.#tasks
      .then(work)
      .catch((error: unknown) => this.#deps.logger.error('cannot write the bloom files', { error }))
      .then(() => {
        this.#run = { ...this.#run, isActive: false }
      })
  }

  /** @param from first block, and `to` the one after the last, counted from the segment's start */
  async #write(segment: number, from: number, to: number): Promise<void> {
    const { files, chain, yieldToHost, residency } = this.#deps
    const start = segment * SEGMENT_BLOCKS
    for (let at = from; at < to && !this.#isStopped; at += BLOOM_CHUNK_BLOCKS) {
      const count = Math.min(BLOOM_CHUNK_BLOCKS, to - at)
      const bytes = new Uint8Array(count * BLOOM_BYTES)
      const isWhole = await retryMisses(() => copyBlooms(chain, start + at, bytes), residency)
      // The head has moved back: the reorganisation cuts the file.
      if (!isWhole) return
      await files.write(segment, at * BLOOM_BYTES, bytes)
      this.#run = { ...this.#run, currentBlock: start + at + count - 1 }
      await yieldToHost()
    }
  }

  /** Completes the files up to the head after a delay, once for all blocks that arrive within it. */
  #follow(delayMs: number): void {
    this.#timer ??= this.#deps.timers.schedule(delayMs, () => {
      this.#timer = undefined
      this.#task(() => this.#fill())
    })
  }

  async #fill(): Promise<void> {
    const { files, chain } = this.#deps
    const blocks = Number(chain.head.header.number) + 1
    for (let segment = this.#firstSegment; segment * SEGMENT_BLOCKS < blocks && !this.#isStopped; segment++) {
      const blockCount = Math.min(SEGMENT_BLOCKS, blocks - segment * SEGMENT_BLOCKS)
      const present = Math.floor((await files.length(segment)) / BLOOM_BYTES)
      if (present < blockCount) await this.#write(segment, present, blockCount)
    }
  }

  /** Discards the blooms from a block on. */
  #cut(block: number): void {
    const { files } = this.#deps
    this.#task(async () => {
      const boundarySegment = Math.floor(block / SEGMENT_BLOCKS)
      for (const segment of await files.segments()) {
        if (segment > boundarySegment) await files.remove(segment)
        else if (segment === boundarySegment) await files.truncate(segment, (block % SEGMENT_BLOCKS) * BLOOM_BYTES)
      }
    })
  }
}

/** @returns false when a block does not exist */
function copyBlooms(chain: Pick<ChainReader, 'headerByNumber'>, first: number, target: Uint8Array): boolean {
  for (let i = 0; i * BLOOM_BYTES < target.length; i++) {
    const header = chain.headerByNumber(first + i)
    if (header === undefined) return false
    target.set(header.header.logsBloom, i * BLOOM_BYTES)
  }
  return true
}
