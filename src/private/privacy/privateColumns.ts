import type { Entry, KeyValueReader, RangeOptions } from '../../base/ports/keyValueStore.ts'
import type { StateStage } from '../../state/stateStage.ts'
import { Column } from '../../storage/schema.ts'
import type { StagedStore } from '../../storage/stagedStore.ts'

/** Columns of the public state → columns of private states; a missing column has no private counterpart. */
const PRIVATE: ReadonlyMap<number, number> = new Map([
  [Column.trieNode, Column.privateTrieNode],
  [Column.code, Column.privateCode],
])

/**
 * A store as the tries of private states see it: nodes and code are in columns of their own, so that nothing that
 * serves public data can reach them. There is neither a flat view nor a record of preimages.
 */
export class PrivateColumns implements KeyValueReader {
  readonly #reader: KeyValueReader

  constructor(reader: KeyValueReader) {
    this.#reader = reader
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const ownKey = privateKey(key)
    return ownKey === undefined ? undefined : this.#reader.get(ownKey)
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(key))
  }

  range(_options: RangeOptions): Iterable<Entry> {
    return []
  }
}

/** The columns over a batch, which receives the writes. */
export class PrivateStage extends PrivateColumns implements StateStage {
  readonly #stage: StagedStore
  /** Set by the user of the stage (state/stateContext.ts). */
  context: object | undefined = undefined

  constructor(stage: StagedStore) {
    super(stage)
    this.#stage = stage
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const ownKey = privateKey(key)
    if (ownKey !== undefined) this.#stage.put(ownKey, value)
  }

  delete(key: Uint8Array): void {
    const ownKey = privateKey(key)
    if (ownKey !== undefined) this.#stage.delete(ownKey)
  }
}

function privateKey(key: Uint8Array): Uint8Array | undefined {
  const column = PRIVATE.get(key[0] as number)
  if (column === undefined) return undefined
  const ownKey = key.slice()
  ownKey[0] = column
  return ownKey
}
