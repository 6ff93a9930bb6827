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
import type { Batch, ChainPointers, SentBatch, WriteTaskBase } from './writeTaskBase.ts'

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

/**
 * `waits`: a task begins when all batches are stored, and the next one when its own is. `overlaps`: the store writes the last
 * batch while the next task of this kind runs.
 */
export type TaskKind = 'waits' | 'overlaps'

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
  #sent: SentBatch | undefined

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

  get sent(): SentBatch | undefined {
    return this.#sent
  }

  get hasUrgent(): boolean {
    return this.#queue.hasUrgent
  }

  /**
   * Queues a task. The changes that it has staged at its end are committed; when it fails, nothing of the current batch is.
   * @throws {NodeError} WRITER_QUEUE_FULL, WRITER_CLOSED (as rejections)
   */
  async run<T>(lane: Lane, work: (task: WriteTask) => T | Promise<T>, kind: TaskKind = 'waits'): Promise<T> {
    const { result, sent } = await this.#queue.run(async () => {
      if (kind === 'waits' && this.#sent !== undefined) await settled(this.#sent)
      const task = new WriteTask(this)
      try {
        const result = await work(task)
        if (kind === 'overlaps') return { result, sent: await task.send() }
        await task.commit()
        return { result, sent: undefined }
      } catch (error) {
        this.modules.states.abandon(task.stage)
        throw error
      }
    }, lane)
    if (sent !== undefined) await sent.committed
    return result
  }

  /** Refuses new tasks and waits for those in progress. */
  async close(): Promise<void> {
    const stopped = Promise.all([this.flatRecovery.stop(), this.#storageEraser.stop()])
    await this.#queue.close()
    if (this.#sent !== undefined) await settled(this.#sent)
    await stopped
  }

  giveWay(): Promise<void> {
    return this.#queue.giveWay()
  }

  nextVersion(): number {
    return ++this.#stateVersion
  }

  send(batch: Batch): SentBatch {
    const startedMs = this.clock.monotonic()
    const writing = this.kv.commit(batch.stage.mutations())
    const sent = { ...batch, committed: this.#complete(batch, writing, startedMs) }
    if (writing !== undefined) {
      this.#sent = sent
      const end = (): void => {
        this.#sent = undefined
      }
      sent.committed.then(end, () => {
        this.modules.states.abandon(batch.stage)
        end()
      })
    }
    return sent
  }

  async #complete({ stage, blocks, pointers, isFlatLost }: Batch, writing: unknown, startedMs: number): Promise<void> {
    const { clock, modules } = this
    const events = this.#events
    const metrics = this.#metrics
    await writing
    metrics.commitSeconds.observe((clock.monotonic() - startedMs) / 1000)
    metrics.commits.add()
    metrics.mutations.add(stage.size)
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

function settled({ committed }: SentBatch): Promise<void> {
  return committed.catch(() => {})
}
