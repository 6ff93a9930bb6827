import type { KeyValueStore } from '../base/ports/keyValueStore.ts'
import { isFlatViewMissing, rebuildFlatView } from '../state/flatRebuild.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { keys } from '../storage/schema.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { StoredHeader } from './blockTables.ts'

/** Builds the flat view of the head if a load has dropped it and the head has a state. */
export async function completeFlatView(
  kv: KeyValueStore,
  { header, hash, stateRoot }: StoredHeader,
  { states, residency, scheduler }: Pick<ExecutionModules, 'states' | 'residency' | 'scheduler'>,
): Promise<void> {
  if (stateRoot.isMissing === true || !(await isFlatViewMissing(kv, residency))) return
  const id = { number: Number(header.number), hash }
  const diff = await retryMisses(() => kv.get(keys.stateDiff(id.number, hash)), residency)
  const block = diff === undefined ? undefined : id
  await rebuildFlatView({ kv, states, residency, slicer: scheduler?.slicer() }, { root: stateRoot, block })
}
