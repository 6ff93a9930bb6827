import type { KeyValueStore } from '../../../base/ports/keyValueStore.ts'
import { keys, type MetaName } from '../../../storage/schema.ts'

/** Keeps the newest version of one value. */
export interface ValueStore {
  /** @returns undefined when none was saved */
  load(): Uint8Array | undefined
  save(value: Uint8Array): void
}

/** @param onError receives errors of writing; the next start then finds the previous value */
export function storedValue(store: KeyValueStore, name: MetaName, onError: (error: unknown) => void): ValueStore {
  const key = keys.meta(name)
  return {
    load: () => store.get(key),
    save: (value) => {
      try {
        const commit = store.commit([{ key, value }])
        if (commit instanceof Promise) commit.catch(onError)
      } catch (error) {
        onError(error)
      }
    },
  }
}
