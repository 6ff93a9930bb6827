/**
 * Brings a store of an older format to the present one, in bounded batches that can be cut off at any point.
 * @module
 */
import type { KeyValueReader, KeyValueStore, Mutation } from '../ports/keyValueStore.ts'
import { NodeError } from '../primitives/errors.ts'
import { migrationEnd, migrationStart, readFormat } from './metadata.ts'
import { keys, SCHEMA_VERSION } from './schema.ts'

/** A bounded piece of a long rewrite. */
export interface RewriteBatch {
  readonly mutations: readonly Mutation[]
  /** Where the next batch goes on, in the rewrite's own terms; undefined: this was the last one. */
  readonly position: Uint8Array | undefined
  /** Part of the whole that is done with this batch, 0 to 1. */
  readonly progress: number
}

/** Computes the batch at `position` (undefined: the first one). Must only depend on the store and the position. */
export type Rewrite = (reader: KeyValueReader, position: Uint8Array | undefined) => RewriteBatch

export interface MigrationStep {
  /** Unique for ever. */
  readonly name: string
  /** Format that the store has afterwards; before, it has the one below. */
  readonly to: number
  readonly rewrite: Rewrite
}

export interface MigrationProgress {
  readonly step: string
  readonly to: number
  /** 0 to 1. */
  readonly progress: number
}

/** Told after every committed batch; what it returns is awaited, so that a host can let other work in. */
export type ReportMigration = (progress: MigrationProgress) => void | Promise<void>

/**
 * Runs the steps that the store still needs. Before its first batch a step marks the store as unfinished and gives it the
 * number of its new format, so that neither this build nor an older one uses it; each batch is committed together with its
 * position, and the last one with the end of the mark. Whenever it is cut off, the next call goes on from there. An empty
 * store needs none.
 * @throws {NodeError} FORMAT_TOO_NEW; MIGRATION_MISSING when no step leads on from the store's format
 */
export async function migrate(
  store: KeyValueStore,
  steps: readonly MigrationStep[],
  report: ReportMigration = () => {},
  target: number = SCHEMA_VERSION,
): Promise<void> {
  const format = readFormat(store, target)
  if (format === undefined) return
  for (let version = format.migratingFrom ?? format.version; version < target; version++) {
    const step = steps.find(({ to }) => to === version + 1)
    if (step === undefined) {
      const message = `the database has format ${version} and nothing leads from there to format ${target}`
      throw new NodeError({ code: 'MIGRATION_MISSING', found: version, target }, message)
    }
    await runStep(store, step, report)
  }
}

async function runStep(store: KeyValueStore, step: MigrationStep, report: ReportMigration): Promise<void> {
  const isStarted = readFormat(store, step.to)?.migratingFrom !== undefined
  if (!isStarted) await store.commit(migrationStart(step.to - 1, step.to))
  const positionKey = keys.meta(`migration:${step.name}`)
  let position = store.get(positionKey)
  do {
    const batch = step.rewrite(store, position)
    position = batch.position
    const bookkeeping: Mutation[] = [{ key: positionKey, value: position }]
    if (position === undefined) bookkeeping.push(...migrationEnd())
    await store.commit([...batch.mutations, ...bookkeeping])
    await report({ step: step.name, to: step.to, progress: batch.progress })
  } while (position !== undefined)
}
