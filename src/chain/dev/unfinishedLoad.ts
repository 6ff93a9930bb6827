import type { KeyValueStore, Residency } from '../../base/ports/keyValueStore.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { LOAD_MARK } from './loadMark.ts'

/** Deletes what a load that did not complete has committed. Few starts have one, so its code is loaded then. */
export async function removeUnfinishedLoad(kv: KeyValueStore, residency: Residency | undefined): Promise<void> {
  const mark = await retryMisses(() => kv.get(LOAD_MARK), residency)
  if (mark === undefined) return
  const { removeLoad } = await import('./loadSpill.ts')
  await removeLoad(kv, residency, mark)
}
