import type { KeyValueReader } from '../base/ports/keyValueStore.ts'

/** Uncommitted writes on top of the store; reads include them. */
export interface StagedReader extends KeyValueReader {
  /** The state context of the stage (stateContext.ts). */
  context?: object | undefined
}

/** A batch under construction: reads include staged mutations. */
export interface StateStage extends StagedReader {
  put(key: Uint8Array, value: Uint8Array): void
  delete(key: Uint8Array): void
}
