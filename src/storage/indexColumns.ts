import type { KeyValueReader, KeyValueStore, Mutation } from '../base/ports/keyValueStore.ts'
import { concatBytes, EMPTY_BYTES, readUint, writeUint } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Rewrite } from './migrations.ts'
import { keys } from './schema.ts'

/**
 * A column derived from other columns. The chain writer maintains it for new blocks from the start; `rewrite` adds
 * older data.
 */
export interface IndexColumn {
  /** Never reused. */
  readonly name: string
  readonly column: number
  /** A column built with another version is deleted and rebuilt. */
  readonly version: number
  readonly rewrite: Rewrite
}

export type DerivedState = 'building' | 'complete'

/** Runs one task of the store's only writer: nothing else is written between its read and its commit. */
export type WriterTurn = (turn: () => void | Promise<void>) => Promise<void>

export interface BuildOptions {
  readonly inTurn: WriterTurn
  /** Stops between two batches; a later build resumes there. */
  readonly signal?: AbortSignal
  /** Called after every batch; `progress` is 0 to 1. */
  readonly report?: (name: string, progress: number) => void
}

/** Number of keys deleted per batch when a column of an older version is cleared. */
const CLEAR_BATCH_KEYS = 1024

const Phase = { clearing: 0, filling: 1, complete: 2 } as const

interface BuildRecord {
  readonly phase: number
  readonly version: number
  readonly position: Uint8Array | undefined
}

/** Tracks which derived columns are complete, and builds the others in the background. */
export class IndexColumns {
  readonly #store: KeyValueStore
  readonly #columns: ReadonlyMap<string, IndexColumn>
  readonly #complete = new Set<string>()

  constructor(store: KeyValueStore, columns: readonly IndexColumn[]) {
    this.#store = store
    this.#columns = new Map(columns.map((column) => [column.name, column]))
    for (const column of columns) {
      if (readRecord(store, column).phase === Phase.complete) this.#complete.add(column.name)
    }
  }

  /** @throws {NodeError} UNKNOWN_COLUMN */
  state(name: string): DerivedState {
    if (!this.#columns.has(name)) throw new NodeError({ code: 'UNKNOWN_COLUMN', name }, `no derived column ${name}`)
    return this.#complete.has(name) ? 'complete' : 'building'
  }

  /** Builds incomplete columns one after the other. Resolves when all are complete, or after an abort. */
  async build({ inTurn, signal, report = () => {} }: BuildOptions): Promise<void> {
    for (const column of this.#columns.values()) {
      while (!this.#complete.has(column.name)) {
        if (signal?.aborted) return
        await inTurn(async () => report(column.name, await this.#buildBatch(column)))
      }
    }
  }

  async #buildBatch(column: IndexColumn): Promise<number> {
    const record = readRecord(this.#store, column)
    const { mutations, next, progress } =
      record.phase === Phase.clearing ? clearBatch(this.#store, column) : fillBatch(this.#store, column, record)
    await this.#store.commit([...mutations, recordMutation(column, next)])
    if (next.phase === Phase.complete) this.#complete.add(column.name)
    return progress
  }
}

interface BuildBatch {
  readonly mutations: readonly Mutation[]
  readonly next: BuildRecord
  readonly progress: number
}

function clearBatch(reader: KeyValueReader, { column, version }: IndexColumn): BuildBatch {
  const entries = [...reader.range({ prefix: Uint8Array.of(column), limit: CLEAR_BATCH_KEYS })]
  const phase = entries.length < CLEAR_BATCH_KEYS ? Phase.filling : Phase.clearing
  const mutations = entries.map(([key]) => ({ key, value: undefined }))
  return { mutations, next: { phase, version, position: undefined }, progress: 0 }
}

function fillBatch(reader: KeyValueReader, { rewrite, version }: IndexColumn, record: BuildRecord): BuildBatch {
  const { mutations, position, progress } = rewrite(reader, record.position)
  const phase = position === undefined ? Phase.complete : Phase.filling
  return { mutations, next: { phase, version, position }, progress }
}

/** phase (1) ‖ version (4) ‖ whether there is a position (1) ‖ position */
function readRecord(reader: KeyValueReader, { name, version }: IndexColumn): BuildRecord {
  const bytes = reader.get(keys.meta(`derived:${name}`))
  if (bytes === undefined) return { phase: Phase.filling, version, position: undefined }
  if (readUint(bytes, 1, 4) !== version) return { phase: Phase.clearing, version, position: undefined }
  return { phase: bytes[0] as number, version, position: bytes[5] === 1 ? bytes.slice(6) : undefined }
}

function recordMutation({ name }: IndexColumn, { phase, version, position }: BuildRecord): Mutation {
  const head = new Uint8Array(6)
  head[0] = phase
  writeUint(head, 1, version, 4)
  head[5] = position === undefined ? 0 : 1
  return { key: keys.meta(`derived:${name}`), value: concatBytes(head, position ?? EMPTY_BYTES) }
}
