/**
 * The part of a database that a mirror may contain: the published columns, and the metadata that readers need.
 * @module
 */
import { COLUMNS, Column, type ColumnName, type MetaName } from './schema.ts'

/** In the order of their keys; of `meta`, only some names are published. */
export const PUBLISHED_COLUMNS: readonly ColumnName[] = (Object.keys(COLUMNS) as ColumnName[])
  .filter((name) => name === 'meta' || 'isPublished' in COLUMNS[name])
  .sort((a, b) => Column[a] - Column[b])

const PUBLISHED_META: ReadonlySet<string> = new Set<MetaName>([
  'schemaVersion',
  // No published database has it, and the mirror says so.
  'migratingFrom',
  'genesisHash',
  'genesis',
  'rules',
  'head',
  'safe',
  'finalized',
  'stateVersion',
  'flatRoot',
  'runs',
  'stateFrom',
  'prunedTo',
  'historyFrom',
  'preimages',
  'callTable',
])
/** State of the indexes, which says which blocks are in them. */
const DERIVED_PREFIX = 'derived:'

const columnBytes: ReadonlySet<number> = new Set(PUBLISHED_COLUMNS.map((name) => Column[name]))

export function isPublishedKey(key: Uint8Array): boolean {
  const [column] = key
  if (column === Column.meta) return isPublishedName(new TextDecoder().decode(key.subarray(1)))
  return column !== undefined && columnBytes.has(column)
}

function isPublishedName(name: string): boolean {
  return PUBLISHED_META.has(name) || name.startsWith(DERIVED_PREFIX)
}
