/**
 * The writer: every change of the chain runs here, one task at a time, and reads its parent within its task. Seals,
 * fork choice and changes of the dev chain precede imports (workQueue.ts). Related changes commit in one atomic batch;
 * then memory is updated, events are emitted, and the caller is answered.
 * @module
 */

import { MAX_WRITER_QUEUE } from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { KeyValueStore } from '../base/ports/keyValueStore.ts'
import type { Emitter } from '../base/primitives/events.ts'
import { announceHead } from './announceHead.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { BlockStore } from './blockStore.ts'
import type { ChainMetrics } from './chainMetrics.ts'
import type { ChainEvents } from './contract.ts'
import { FlatRecovery } from './flatRecovery.ts'
import type { MoveBounds } from './headMove.ts'
import { StorageEraser } from './storageEraser.ts'
import { type Lane, WorkQueue } from './workQueue.ts'
import { WriteTask } from './writeTask.ts'
import type { Batch, ChainPointers, WriteTaskBase } from './writeTaskBase.ts'

export interface WriterOptions {
  readonly kv: KeyValueStore
  readonly blocks: BlockStore
  readonly pointers: ChainPointers
  /** Version of the last commit. */
  readonly stateVersion: number
  readonly modules: ExecutionModules
  readonly clock: Clock
  readonly logger: Logger
  readonly events: Emitter<ChainEvents>
  readonly metrics: ChainMetrics
  readonly moveBounds: MoveBounds
}

export class Writer implements WriteTaskBase {
  readonly kv: KeyValueStore
  readonly blocks: BlockStore
  readonly modules: ExecutionModules
  readonly clock: Clock
  readonly moveBounds: MoveBounds
  readonly #logger: Logger
  readonly flatRecovery: FlatRecovery
  readonly #storageEraser: StorageEraser
  readonly #events: Emitter<ChainEvents>
  readonly #metrics: ChainMetrics
  readonly #queue = new WorkQueue(MAX_WRITER_QUEUE)
  #pointers: ChainPointers
  #stateVersion: number

  constructor(options: WriterOptions) {
    this.kv = options.kv
    this.blocks = options.blocks
    this.modules = options.modules
    this.clock = options.clock
    this.moveBounds = options.moveBounds
    this.#logger = options.logger
    const { stepBlocks } = options.moveBounds
    const run: Writer['run'] = (lane, work) => this.run(lane, work)
    this.flatRecovery = new FlatRecovery({ ...options, stepBlocks, run })
    this.#storageEraser = new StorageEraser({ ...options, run })
    this.#events = options.events
    this.#metrics = options.metrics
    this.#pointers = options.pointers
    this.#stateVersion = options.stateVersion
  }

  get pointers(): ChainPointers {
    return this.#pointers
  }

  get stateVersion(): number {
    return this.#stateVersion
  }

  get hasUrgent(): boolean {
    return this.#queue.hasUrgent
  }

  /**
   * Queues a task. What it has staged at its end is committed; nothing of the current batch is when it fails.
   * @throws {NodeError} WRITER_QUEUE_FULL, WRITER_CLOSED (as rejections)
   */
  run<T>(lane: Lane, work: (task: WriteTask) => T | Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      const task = new WriteTask(this)
      try {
        const result = await work(task)
        await task.commit()
        return result
      } catch (error) {
        this.modules.states.abandon(task.stage)
        throw error
      }
    }, lane)
  }

  /** Refuses new tasks and waits for those in progress. */
  async close(): Promise<void> {
    const stopped = Promise.all([this.flatRecovery.stop(), this.#storageEraser.stop()])
    await this.#queue.close()
    await stopped
  }

  giveWay(): Promise<void> {
    return this.#queue.giveWay()
  }

  nextVersion(): number {
    return ++this.#stateVersion
  }

  async commit({ stage, blocks, pointers, isFlatLost }: Batch): Promise<void> {
    const { kv, clock, modules } = this
    const events = this.#events
    const metrics = this.#metrics
    const startedMs = clock.monotonic()
    const mutations = stage.size
    await kv.commit(stage.mutations())
    metrics.commitSeconds.observe((clock.monotonic() - startedMs) / 1000)
    metrics.commits.add()
    metrics.mutations.add(mutations)
    this.blocks.absorb(blocks)
    const before = this.#pointers.head
    this.#pointers = pointers
    if (isFlatLost) this.flatRecovery.begin()
    this.#storageEraser.headMoved(before, pointers.head)
    const { residency } = modules
    try {
      await announceHead(before, pointers.head, { events, blocks: this.blocks, metrics, residency })
    } catch (error) {
      // The batch is stored: whoever asked for it must not take it for a failure.
      this.#logger.error('the events of a change of the head are incomplete', { error })
    }
  }
}
