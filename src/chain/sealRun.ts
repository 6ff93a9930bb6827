import { MAX_SEAL_RUN_MS, SEAL_SLICE_MS } from '../base/limits/limits.ts'
import type { ChainHeader } from './contract.ts'
import type { SealedBlock, WriteSession } from './session.ts'
import type { BlockPlan } from './transition/buildInput.ts'

/**
 * Returns the plan of each block; undefined ends the batch. May be called again after a store miss, so it must have no
 * lasting effects.
 */
export type NextPlan = (parent: ChainHeader) => BlockPlan | undefined

/** Result of one sealing task. */
export interface SealRun {
  readonly sealed: readonly SealedBlock[]
  /** false: the batch was full, more blocks may follow. */
  readonly isComplete: boolean
}

/**
 * Stages sealed blocks on top of the head until the batch is full or its time is over.
 * @param built called once per block, before the batch is committed
 * @throws {NodeError} BLOCK_NOT_BUILT
 */
export async function sealBlocks(
  session: WriteSession,
  next: NextPlan,
  built?: (block: SealedBlock) => void,
): Promise<SealRun> {
  const { clock, modules } = session.base
  const slicer = modules.scheduler?.slicer(SEAL_SLICE_MS)
  const startedMs = clock.monotonic()
  const sealed: SealedBlock[] = []
  while (!session.isFull && clock.monotonic() - startedMs <= MAX_SEAL_RUN_MS) {
    const plan = await session.resident(() => next(session.pointers.head))
    const block = plan && (await session.sealBlock(plan))
    if (block === undefined) return { sealed, isComplete: true }
    sealed.push(block)
    built?.(block)
    if (slicer?.isDue) await slicer.yield()
  }
  return { sealed, isComplete: false }
}
