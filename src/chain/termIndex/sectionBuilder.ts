/**
 * Builds sections in order and in bounded steps. Each new head performs one step, and a background build continues from
 * the same position. A reorganisation moves the position back.
 * @module
 */
import type { KeyValueReader, Mutation } from '../../base/ports/keyValueStore.ts'
import { equalBytes, readUint, writeUint } from '../../base/primitives/bytes.ts'
import { keys } from '../../storage/schema.ts'
import { decodeStoredReceipts } from '../../types/receiptCodec.ts'
import { corrupt } from '../blockRecord.ts'
import { BlockTables } from '../blockTables.ts'
import { canonicalRuns } from '../emptyRuns/runTables.ts'
import { encodeBlockTerms, firstAtLeast, TERM_BYTES, viewOf } from './blockTerms.ts'
import {
  decodeSectionHead,
  encodeSectionHead,
  firstTermOf,
  PartitionRow,
  partitionBits,
  SECTION_BLOCKS,
  SECTION_DEPTH,
} from './section.ts'

/** Entries of a section that one step sorts (some milliseconds). */
const STEP_ENTRIES = 32_768
/** Blocks of an older database that one step indexes together with a new block. */
const STEP_FILLED_BLOCKS = 2
/** Blocks of an older database that one step in the background indexes, and their bytes. */
const BACKFILL_BLOCKS = 32
const BACKFILL_BYTES = 256 * 1024

/** The next row to build. All sections before it are complete. */
interface Position {
  readonly section: number
  readonly partition: number
}

/** Bounds of one step, which either adds the terms of blocks that lack them, or builds rows of a section. */
export interface StepBounds {
  readonly filledBlocks: number
  /** Bytes of stored receipts. */
  readonly filledBytes: number
  readonly entries: number
}

/** Bounds of a step that accompanies the work on a block. */
export const HEAD_STEP: StepBounds = {
  filledBlocks: STEP_FILLED_BLOCKS,
  filledBytes: BACKFILL_BYTES,
  entries: STEP_ENTRIES,
}
/** Bounds of a step of the background build. */
export const BACKGROUND_STEP: StepBounds = { ...HEAD_STEP, filledBlocks: BACKFILL_BLOCKS }

/** The terms of a section's blocks are deleted when this section after it is complete. */
const SPENT_AFTER = 2
const SECTION_NUMBER_BYTES = 6
const PARTITION_NUMBER_BYTES = 2

/** Number of sections that are deep enough below a head. */
export function sectionsUnder(head: number): number {
  return Math.max(0, Math.floor((head + 1 - SECTION_DEPTH) / SECTION_BLOCKS))
}

/** Number of complete sections. */
export function builtSections(reader: KeyValueReader): number {
  return readPosition(reader).section
}

/**
 * The mutations of the next step for a head. Only reads the store.
 * @returns undefined when there is nothing to do
 */
export function sectionStep(
  reader: KeyValueReader,
  head: number,
  bounds: StepBounds = HEAD_STEP,
): readonly Mutation[] | undefined {
  const position = readPosition(reader)
  if (position.section >= sectionsUnder(head)) return undefined
  const { section, partition } = position
  const first = section * SECTION_BLOCKS
  if (first < new BlockTables(reader).firstNumber()) return firstMutations(section + 1)
  const hashes = canonicalHashes(reader, first)
  if (hashes === undefined) return [positionMutation({ section: sectionAfterRun(reader, first), partition: 0 })]
  if (partition === 0 && isComplete(reader, section, hashes[SECTION_BLOCKS - 1] as Uint8Array)) {
    return [positionMutation({ section: section + 1, partition: 0 })]
  }
  const rows = reader.getMany(hashes.map((hash, i) => keys.blockTerms(first + i, hash)))
  return rows.every((row) => row !== undefined)
    ? buildRows(reader, position, hashes, rows, bounds)
    : fillRows(reader, first, hashes, rows, bounds)
}

/** The position before the first complete section of a chain whose first block has this number; none for 0. */
export function firstPosition(
  firstNumber: number,
): readonly { readonly key: Uint8Array; readonly value: Uint8Array }[] {
  return firstNumber === 0 ? [] : firstMutations(Math.ceil(firstNumber / SECTION_BLOCKS))
}

function firstMutations(section: number) {
  return [positionMutation({ section, partition: 0 })]
}

/** Moves the position back when blocks from `number` on are no longer canonical: their sections are rebuilt. */
export function retreat(reader: KeyValueReader, number: number): readonly Mutation[] {
  const position = readPosition(reader)
  const section = Math.floor(number / SECTION_BLOCKS)
  const isReached = section < position.section || (section === position.section && position.partition > 0)
  return isReached ? [positionMutation({ section, partition: 0 })] : []
}

/** Number of complete sections whose blocks need no terms: only a deep reorganisation reads them, and makes them again. */
export function spentSections(reader: KeyValueReader): number {
  return Math.max(0, builtSections(reader) - SPENT_AFTER)
}

/** Deletes the terms of the blocks of a complete section. */
export function deleteTerms(reader: KeyValueReader, section: number): readonly Mutation[] {
  const first = section * SECTION_BLOCKS
  const hashes = canonicalHashes(reader, first) ?? []
  return hashes.map((hash, i) => ({ key: keys.blockTerms(first + i, hash), value: undefined }))
}

/** undefined when a block of the section is not stored */
function canonicalHashes(reader: KeyValueReader, first: number): Uint8Array[] | undefined {
  const hashKeys = Array.from({ length: SECTION_BLOCKS }, (_, i) => keys.canonicalHash(first + i))
  const hashes = reader.getMany(hashKeys)
  return hashes.every((hash) => hash !== undefined) ? hashes : undefined
}

/** The first section after derived blocks (dev chain). Sections with such blocks are not built. */
function sectionAfterRun(reader: KeyValueReader, first: number): number {
  let end: number | undefined
  for (const { last } of canonicalRuns(reader, first, first + SECTION_BLOCKS - 1)) end = last
  if (end === undefined) throw corrupt(`a block from ${first} to ${first + SECTION_BLOCKS - 1} is missing`)
  return Math.ceil((end + 1) / SECTION_BLOCKS)
}

function isComplete(reader: KeyValueReader, section: number, lastHash: Uint8Array): boolean {
  const head = reader.get(keys.termSection(section))
  return head !== undefined && equalBytes(decodeSectionHead(head).lastHash, lastHash)
}

/**
 * Adds the terms of blocks that were executed without an index. Their accounts are unknown, so only logs contribute.
 */
function fillRows(
  reader: KeyValueReader,
  first: number,
  hashes: readonly Uint8Array[],
  rows: readonly (Uint8Array | undefined)[],
  { filledBlocks, filledBytes }: StepBounds,
): Mutation[] {
  const tables = new BlockTables(reader)
  const missingRows: number[] = []
  for (let i = 0; i < SECTION_BLOCKS && missingRows.length < filledBlocks; i++)
    if (rows[i] === undefined) missingRows.push(i)
  const encodedReceipts = reader.getMany(missingRows.map((i) => keys.receipts(first + i, hashes[i] as Uint8Array)))
  const mutations: Mutation[] = []
  let bytes = 0
  for (let at = 0; at < missingRows.length && bytes < filledBytes; at++) {
    const i = missingRows[at] as number
    const receipts = encodedReceipts[at]
    const hash = hashes[i] as Uint8Array
    // Without receipts the header says whether the block has any.
    if (receipts === undefined) tables.requireEmpty('receipts', tables.header(first + i, hash))
    const decodedReceipts = receipts === undefined ? [] : decodeStoredReceipts(receipts)
    const value = encodeBlockTerms(decodedReceipts, undefined)
    mutations.push({ key: keys.blockTerms(first + i, hash), value })
    bytes += receipts?.length ?? 0
  }
  return mutations
}

function buildRows(
  reader: KeyValueReader,
  { section, partition }: Position,
  hashes: readonly Uint8Array[],
  rows: readonly Uint8Array[],
  { entries }: StepBounds,
): Mutation[] {
  const total = rows.reduce((sum, { length }) => sum + length, 0) / TERM_BYTES
  const bits = partitionBits(total)
  const partitions = 2 ** bits
  const end = Math.min(partitions, partition + Math.max(1, Math.floor((partitions * entries) / Math.max(total, 1))))
  const mutations = partitionRows(rows, bits, partition, end).map((value, i) => {
    return { key: keys.termPartition(section, partition + i), value }
  })
  const isLast = end === partitions
  const lastHash = hashes[SECTION_BLOCKS - 1] as Uint8Array
  // Deleting the head of an earlier build invalidates the section while its rows are replaced.
  const head = isLast ? encodeSectionHead({ lastHash, bits }) : undefined
  mutations.push({ key: keys.termSection(section), value: head })
  const next = isLast ? { section: section + 1, partition: 0 } : { section, partition: end }
  const spent = isLast && section >= SPENT_AFTER ? deleteTerms(reader, section - SPENT_AFTER) : []
  return [...mutations, ...spent, positionMutation(next)]
}

/** Rows of the partitions from `start` to before `end`; undefined for a partition without entries. */
function partitionRows(
  rows: readonly Uint8Array[],
  bits: number,
  start: number,
  end: number,
): (Uint8Array | undefined)[] {
  const views = rows.map(viewOf)
  const counts = rows.map(({ length }) => length / TERM_BYTES)
  const cursors = views.map((view, i) => firstAtLeast(view, counts[i] as number, firstTermOf(start, bits)))
  const encoded: (Uint8Array | undefined)[] = []
  for (let partition = start; partition < end; partition++) {
    const limit = firstTermOf(partition + 1, bits)
    const row = new PartitionRow()
    for (let block = 0; block < rows.length; block++) {
      const view = views[block] as DataView
      const count = counts[block] as number
      let cursor = cursors[block] as number
      for (; cursor < count; cursor++) {
        const term = view.getUint32(cursor * TERM_BYTES)
        if (term >= limit) break
        row.add(term, block)
      }
      cursors[block] = cursor
    }
    encoded.push(row.encode())
  }
  return encoded
}

/** Stored as section (6) ‖ partition (2). */
function readPosition(reader: KeyValueReader): Position {
  const bytes = reader.get(keys.termPosition())
  if (bytes === undefined) return { section: 0, partition: 0 }
  return {
    section: readUint(bytes, 0, SECTION_NUMBER_BYTES),
    partition: readUint(bytes, SECTION_NUMBER_BYTES, PARTITION_NUMBER_BYTES),
  }
}

function positionMutation({ section, partition }: Position): { readonly key: Uint8Array; readonly value: Uint8Array } {
  const value = new Uint8Array(SECTION_NUMBER_BYTES + PARTITION_NUMBER_BYTES)
  writeUint(value, 0, section, SECTION_NUMBER_BYTES)
  writeUint(value, SECTION_NUMBER_BYTES, partition, PARTITION_NUMBER_BYTES)
  return { key: keys.termPosition(), value }
}
