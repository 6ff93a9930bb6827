import type { KeyValueReader } from '../ports/keyValueStore.ts'

/** A batch under construction: reads include staged mutations. */
export interface StateStage extends KeyValueReader {
  put(key: Uint8Array, value: Uint8Array): void
  delete(key: Uint8Array): void
}
