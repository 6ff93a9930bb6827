/**
 * Deletes the slots of erased storages in the background, in tasks of the writer. A storage remains until the head has left
 * the block that erased it far behind, so that the flat view can be moved back over the block.
 * @module
 */
import { ERASED_STORAGE_KEPT_BLOCKS, ERASING_INTERVAL_BLOCKS } from '../base/limits/pruningLimits.ts'
import type { Logger } from '../base/ports/host.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { ChainHeader } from './contract.ts'
import type { Lane } from './workQueue.ts'
import type { WriteTask } from './writeTask.ts'

export interface StorageEraserDeps {
  readonly modules: Pick<ExecutionModules, 'scheduler'>
  readonly logger: Pick<Logger, 'error'>
  run<T>(lane: Lane, work: (task: WriteTask) => Promise<T>): Promise<T>
}

export class StorageEraser {
  readonly #deps: StorageEraserDeps
  #work: Promise<void> | undefined
  #isStopped = false

  constructor(deps: StorageEraserDeps) {
    this.#deps = deps
  }

  /** Looks for work once in a number of blocks. */
  headMoved(before: ChainHeader, head: ChainHeader): void {
    if (intervalOf(before) === intervalOf(head) || this.#isStopped || this.#work !== undefined) return
    this.#work = this.#run()
      .catch((error: unknown) => {
        if (this.#isStopped || (isNodeError(error) && error.code === 'WRITER_CLOSED')) return
        this.#deps.logger.error('failed to delete the slots of erased storages', { error })
      })
      .then(() => {
        this.#work = undefined
      })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#work
  }

  async #run(): Promise<void> {
    const { modules, run } = this.#deps
    const slicer = modules.scheduler?.slicer()
    const { deleteErasedSlots } = await import('../state/erasedStorage.ts')
    while (
      !this.#isStopped &&
      (await run('ordinary', async (task) => {
        const last = Number(task.pointers.head.header.number) - ERASED_STORAGE_KEPT_BLOCKS
        return task.resident(() => deleteErasedSlots(task.stage, last))
      }))
    ) {
      if (slicer?.isDue) await slicer.yield()
    }
  }
}

function intervalOf({ header }: ChainHeader): number {
  return Math.floor(Number(header.number) / ERASING_INTERVAL_BLOCKS)
}
