/**
 * Tasks of the writer that stage consecutive blocks, in one batch if they fit. The store writes a batch while the next blocks
 * are executed. Urgent tasks run between two batches; when some are waiting, the batch ends after the current block.
 * @module
 */

import { MAX_RUN_MS } from '../base/limits/limits.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import type { ImportOptions, ImportOutcome } from './contract.ts'
import type { InsertedBlock, InsertOptions, InsertOutcome } from './insertion.ts'
import type { PreparedBlock } from './preparedBlock.ts'
import type { WriteTask } from './writeTask.ts'

type RunOutcome = ImportOutcome | InsertOutcome

/** Outcomes after which the next block of an import follows. */
const ACCEPTED: ReadonlySet<RunOutcome['kind']> = new Set(['imported', 'inserted', 'known'])

export async function importBlocks(
  task: WriteTask,
  run: readonly PreparedBlock[],
  options: ImportOptions,
): Promise<ImportOutcome[]> {
  const { clock } = task.base
  const stage = (prepared: PreparedBlock): Promise<ImportOutcome> => task.importBlock(prepared, options, clock.now())
  const { outcomes } = await stageRun(task, run, stage, options.signal)
  return outcomes
}

export async function insertBlocks(
  task: WriteTask,
  run: readonly InsertedBlock[],
  options: InsertOptions,
): Promise<InsertOutcome[]> {
  const { clock } = task.base
  const { verifySeal = true, isPivot = false, signal } = options
  const stage = (inserted: InsertedBlock): Promise<InsertOutcome> => task.insertBlock(inserted, verifySeal, clock.now())
  const { outcomes, isWhole } = await stageRun(task, run, stage, signal)
  const last = isPivot && isWhole ? run.at(-1) : undefined
  const pivot = last && (await task.resident(() => task.blocks.header(last.prepared.hash)))
  if (pivot !== undefined) await task.moveHead(pivot)
  return outcomes
}

/** Stages blocks up to the first that is not accepted; the last batch remains to be committed. */
async function stageRun<Item, Outcome extends RunOutcome>(
  task: WriteTask,
  run: readonly Item[],
  stage: (item: Item) => Promise<Outcome>,
  signal: AbortSignal | undefined,
): Promise<{ readonly outcomes: Outcome[]; readonly isWhole: boolean }> {
  const { clock, modules } = task.base
  const outcomes: Outcome[] = []
  const slicer = modules.scheduler?.slicer()
  let startedMs = clock.monotonic()
  for (const item of run) {
    if (signal?.aborted) return { outcomes, isWhole: false }
    const outcome = await stage(item)
    outcomes.push(outcome)
    if (!ACCEPTED.has(outcome.kind)) return { outcomes, isWhole: false }
    if (task.isFull || task.base.hasUrgent || clock.monotonic() - startedMs > MAX_RUN_MS) {
      if (task.base.hasUrgent) await task.giveWay()
      else await task.send()
      startedMs = clock.monotonic()
    }
    if (slicer?.isDue) await slicer.yield()
  }
  return { outcomes, isWhole: true }
}
