import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'

const INDEX: readonly number[] = [Column.blockTerms, Column.termSection]
const TEXT = new TextDecoder()

/** The same database as an older version would have written it, which had no index of logs and accounts. */
export function unindexedStore(store: MemoryStore): MemoryStore {
  const older = new MemoryStore()
  const isRecord = (key: Uint8Array): boolean =>
    key[0] === Column.meta && TEXT.decode(key.subarray(1)).startsWith('derived:')
  const kept = [...store.range({ prefix: new Uint8Array(0) })].filter(
    ([key]) => !INDEX.includes(key[0] as number) && !isRecord(key),
  )
  older.commit(kept.map(([key, value]) => ({ key, value })))
  return older
}
