import { MAX_SEAL_RUN_MS, SEAL_SLICE_MS } from '../base/limits/limits.ts'
import type { Block } from '../types/block.ts'
import type { ChainHeader } from './contract.ts'
import type { BlockPlan } from './transition/buildInput.ts'
import type { SealedBlock, WriteTask } from './writeTask.ts'

/**
 * Returns the plan of each block; undefined ends the batch. May be called again after a store miss, so it must have no
 * lasting effects.
 */
export type NextPlan = (parent: ChainHeader) => BlockPlan | undefined

/** Result of one sealing task. */
export interface SealRun {
  readonly sealed: readonly SealedBlock[]
  /** false: more blocks may follow; the batch was full, or the next block is not prepared. */
  readonly isComplete: boolean
  /** The empty blocks before the sealed ones that are derived; default: none. */
  readonly derived?: DerivedBlocks
  /** The next block, if its extension has to load data before it can be sealed. */
  readonly unprepared?: Block
}

/** The first and the last of consecutive derived blocks. */
export interface DerivedBlocks {
  readonly first: ChainHeader
  readonly last: ChainHeader
}

export interface SealRunOptions {
  /** Whether the extension may load data within this task; default: the batch ends before such a block. */
  readonly mayLoad?: boolean
  /** Time after which the batch ends, milliseconds; default: MAX_SEAL_RUN_MS. */
  readonly runMs?: number
}

/**
 * Stages sealed blocks on top of the head until the batch is full or its time is over.
 * @param built called once per block, before the batch is committed
 * @throws {NodeError} BLOCK_NOT_BUILT
 */
export async function sealBlocks(
  task: WriteTask,
  next: NextPlan,
  built?: (block: SealedBlock) => void,
  { mayLoad = false, runMs = MAX_SEAL_RUN_MS }: SealRunOptions = {},
): Promise<SealRun> {
  const { clock, modules } = task.base
  const slicer = modules.scheduler?.slicer(SEAL_SLICE_MS)
  const startedMs = clock.monotonic()
  const sealed: SealedBlock[] = []
  while (!task.isFull && clock.monotonic() - startedMs <= runMs) {
    const plan = await task.resident(() => next(task.pointers.head))
    const block = plan && (await task.sealBlock(plan, mayLoad))
    if (block === undefined) return { sealed, isComplete: true }
    if ('unprepared' in block) return { sealed, isComplete: false, ...block }
    sealed.push(block)
    built?.(block)
    if (slicer?.isDue) await slicer.yield()
  }
  return { sealed, isComplete: false }
}
