/**
 * Migrates a store of an older format to the current one, in bounded batches that may be interrupted at any point.
 * @module
 */
import type { KeyValueReader, KeyValueStore, Mutation } from '../base/ports/keyValueStore.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { migrationEnd, migrationStart, readFormat } from './metadata.ts'
import { keys, SCHEMA_VERSION } from './schema.ts'

/** One batch of a long rewrite. */
export interface RewriteBatch {
  readonly mutations: readonly Mutation[]
  /** Start of the next batch, in a format of the rewrite; undefined: this was the last one. */
  readonly position: Uint8Array | undefined
  /** Completed part of the whole after this batch, 0 to 1. */
  readonly progress: number
}

/** Computes the batch at `position` (undefined: the first one). Must depend only on the store and the position. */
export type Rewrite = (reader: KeyValueReader, position: Uint8Array | undefined) => RewriteBatch

export interface MigrationStep {
  /** Never reused. */
  readonly name: string
  /** Format after the step; before it, the store has the preceding format. */
  readonly to: number
  readonly rewrite: Rewrite
}

export interface MigrationProgress {
  readonly step: string
  readonly to: number
  /** 0 to 1. */
  readonly progress: number
}

/** Called after every committed batch and awaited, so that a host can yield. */
export type ReportMigration = (progress: MigrationProgress) => void | Promise<void>

/**
 * Whether the store needs no step: it is empty or has the format of this build.
 * @throws {NodeError} FORMAT_TOO_NEW
 */
export function isCurrent(store: KeyValueReader, target: number = SCHEMA_VERSION): boolean {
  const format = readFormat(store, target)
  return format === undefined || (format.migratingFrom ?? format.version) >= target
}

/** Completes the checksums of a store that keeps one with each value. An interrupted call continues where it was. */
export async function addChecksums(store: KeyValueStore, report: ReportMigration = () => {}): Promise<void> {
  while (store.hasChecksums === false) {
    const progress = store.addChecksums?.() ?? 1
    await report({ step: 'checksums', to: SCHEMA_VERSION, progress })
  }
}

/**
 * Runs the steps that the store needs. Before its first batch a step marks the store as unfinished and sets the number
 * of the new format, so that neither this build nor an older one uses it; each batch is committed with its position,
 * and the last one removes the mark. After an interruption the next call resumes. An empty store needs no steps.
 * @throws {NodeError} FORMAT_TOO_NEW; MIGRATION_MISSING when no step starts at the store's format
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
      const message = `the database has format ${version}, which cannot be migrated to format ${target}`
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
