import type { KeyValueReader, KeyValueStore } from '../base/ports/keyValueStore.ts'
import { hasState, type StateRoot } from '../state/contract.ts'
import { rebuildFlatView } from '../state/flatRebuild.ts'
import { isUnset } from '../state/flatView.ts'
import { readFlatPosition } from '../state/stateContext.ts'
import type { FlatPosition } from '../state/stateDiff.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { keys } from '../storage/schema.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { StoredHeader } from './blockTables.ts'

export type ExecutedHeader = StoredHeader & { readonly stateRoot: StateRoot }

/** Builds the flat view of the head if a load has dropped it and the head has a state. */
export async function completeFlatView(
  kv: KeyValueStore,
  head: StoredHeader,
  { states, residency, scheduler }: Pick<ExecutionModules, 'states' | 'residency' | 'scheduler'>,
): Promise<void> {
  if (!hasState(head)) return
  const isMissing = await retryMisses(() => isUnset(readFlatPosition(kv)), residency)
  if (!isMissing) return
  const target = await retryMisses(() => flatPosition(head, kv), residency)
  await rebuildFlatView({ kv, states, residency, slicer: scheduler?.slicer() }, target)
}

/** The position of a flat view of the state after a block. @throws {StoreMiss} */
export function flatPosition({ header, hash, stateRoot }: ExecutedHeader, reader: KeyValueReader): FlatPosition {
  const number = Number(header.number)
  const hasDiff = reader.get(keys.stateDiff(number, hash)) !== undefined
  return { root: stateRoot, block: hasDiff ? { number, hash } : undefined }
}
