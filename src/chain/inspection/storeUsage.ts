/**
 * How much a database holds, by column.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { requirePresentFormat } from '../../storage/metadata.ts'
import { COLUMNS, type ColumnName, keys } from '../../storage/schema.ts'
import { decodeNumber } from '../blockRecord.ts'

/** Keys that are read between two reports. */
const STEP_KEYS = 1024

export interface ColumnUsage {
  readonly column: ColumnName
  readonly keys: number
  /** Of keys and values, without what the store adds. */
  readonly bytes: number
}

/** The chain of a database, and what was deleted of it. */
export interface StoreBounds {
  readonly format: number
  readonly genesisHash: string
  /** undefined: the head is not stored */
  readonly head: number | undefined
  readonly headHash: string
  /** The lowest block whose state is kept. */
  readonly stateFrom: number
  /** The last block whose state is deleted. */
  readonly prunedTo: number | undefined
}

/** Averages in bytes of keys and values; undefined where there is nothing to divide by. */
export interface StoreAverages {
  /** A block with its transactions, receipts and indexes. */
  readonly block: number | undefined
  /** An account of the flat view. */
  readonly account: number | undefined
  /** A storage slot of the flat view. */
  readonly slot: number | undefined
  /** All trie nodes, divided by the accounts and slots of the head. */
  readonly trieNodesPerEntry: number | undefined
  /** A record by which the head can go back over a block. */
  readonly stateDiff: number | undefined
}

/** Columns whose size depends on the number of blocks only. */
const OF_BLOCKS: readonly ColumnName[] = [
  'header',
  'body',
  'receipts',
  'senders',
  'blockRecord',
  'numberByHash',
  'canonicalHash',
  'transactionIndex',
  'blockTerms',
  'termSection',
]

/**
 * Reads the whole store.
 * @returns the columns that have keys; yields the bytes that were read so far
 */
export function* columnUsage(reader: KeyValueReader): Generator<number, ColumnUsage[]> {
  const found: ColumnUsage[] = []
  let before = 0
  for (const [name, { byte }] of Object.entries(COLUMNS)) {
    let [count, bytes] = [0, 0]
    for (const [key, value] of reader.range({ prefix: Uint8Array.of(byte) })) {
      count++
      bytes += key.length + value.length
      if (count % STEP_KEYS === 0) yield before + bytes
    }
    if (count > 0) found.push({ column: name as ColumnName, keys: count, bytes })
    before += bytes
  }
  return found
}

/**
 * @returns undefined for a store without a chain
 * @throws {NodeError} FORMAT_TOO_NEW, STORE_NOT_MIGRATED
 */
export function storeBounds(reader: KeyValueReader): StoreBounds | undefined {
  const format = requirePresentFormat(reader)
  const [genesisHash, headHash, stateFrom, prunedTo] = reader.getMany([
    keys.meta('genesisHash'),
    keys.meta('head'),
    keys.meta('stateFrom'),
    keys.meta('prunedTo'),
  ])
  if (format === undefined || genesisHash === undefined || headHash === undefined) return undefined
  const [head, first] = reader.getMany([keys.numberByHash(headHash), keys.numberByHash(genesisHash)])
  return {
    format,
    genesisHash: bytesToHex(genesisHash),
    head: head && decodeNumber(head),
    headHash: bytesToHex(headHash),
    stateFrom: decodeNumber(stateFrom ?? first ?? new Uint8Array(0)),
    prunedTo: prunedTo && decodeNumber(prunedTo),
  }
}

export function storeAverages(usage: readonly ColumnUsage[]): StoreAverages {
  const of = (name: ColumnName) => usage.find(({ column }) => column === name)
  const bytesOf = (name: ColumnName): number => of(name)?.bytes ?? 0
  const countOf = (name: ColumnName): number => of(name)?.keys ?? 0
  const average = (bytes: number, count: number): number | undefined => (count === 0 ? undefined : bytes / count)
  return {
    block: average(
      OF_BLOCKS.reduce((sum, name) => sum + bytesOf(name), 0),
      countOf('header'),
    ),
    account: average(bytesOf('flatAccount'), countOf('flatAccount')),
    slot: average(bytesOf('flatStorage'), countOf('flatStorage')),
    trieNodesPerEntry: average(bytesOf('trieNode'), countOf('flatAccount') + countOf('flatStorage')),
    stateDiff: average(bytesOf('stateDiff'), countOf('stateDiff')),
  }
}
