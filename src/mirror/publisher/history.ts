/**
 * The history that a mirror keeps: of older blocks, it has headers and indexes, but neither bodies nor receipts.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import type { ObjectReader } from '../../base/ports/objectStore.ts'
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { decodeNumber, encodeNumber } from '../../chain/blockRecord.ts'
import { BlockTables } from '../../chain/blockTables.ts'
import { Column, keys, numberedKey } from '../../storage/schema.ts'
import type { SegmentEntry } from '../format/entries.ts'
import type { BlockName, SignedManifest } from '../format/manifest.ts'
import { SegmentSource } from '../read/segmentSource.ts'
import { SegmentStore } from '../segmentStore.ts'
import { MirrorView } from '../view.ts'
import type { MirrorContent } from './mirrorContent.ts'
import { segmentsOf } from './runs.ts'

/** The first block that a mirror keeps whole, by the number of the head. */
export type HistoryStart = (head: number) => number

/** @param blocks number of newest blocks; undefined: all */
export function newestBlocks(blocks: number | undefined): HistoryStart {
  return (head) => (blocks === undefined ? 0 : Math.max(0, head - blocks + 1))
}

/** For the few pieces that say it. */
const HISTORY_CACHE_BYTES = 2 ** 20

const PARTS = [Column.body, Column.receipts, Column.senders] as const
const partColumns: ReadonlySet<number> = new Set(PARTS)

/** Whether a mirror that begins at a block has an entry. */
export function isKept(key: Uint8Array, { number }: BlockName): boolean {
  return number === 0 || !partColumns.has(key[0] as number) || numberedKey(key).number >= number
}

/** The entry that names the first block. */
export function historyEntry({ number }: BlockName): SegmentEntry {
  return { key: keys.meta('historyFrom'), value: number === 0 ? undefined : encodeNumber(number) }
}

interface PublishedState {
  readonly manifest: SignedManifest
  readonly content: Pick<MirrorContent, 'runs'>
}

/**
 * The first block that a mirror has whole, as the mirror says. The database of the publisher may not know it, because what is noted
 * there is stored later.
 * @returns undefined: the entry that names it is missing or damaged
 */
export async function readHistory(
  objects: ObjectReader,
  { manifest, content }: PublishedState,
): Promise<BlockName | undefined> {
  const view = new MirrorView(manifest, segmentsOf(content.runs))
  const store = new SegmentStore(view, new SegmentSource(objects, { cacheBytes: HISTORY_CACHE_BYTES }))
  try {
    const [start] = await store.getMany([keys.meta('historyFrom')])
    if (start === undefined) return { number: 0, hash: EMPTY_BYTES }
    const number = decodeNumber(start)
    const [hash] = await store.getMany([keys.canonicalHash(number)])
    return { number, hash: hash ?? EMPTY_BYTES }
  } catch (error) {
    if (isNodeError(error, 'MIRROR_DAMAGED') || isNodeError(error, 'MIRROR_UNAVAILABLE')) return undefined
    throw error
  }
}

/** The canonical block of a height up to the head. */
export function historyBlock(reader: KeyValueReader, number: number): BlockName {
  const tables = new BlockTables(reader)
  tables.runs.refresh()
  return { number, hash: tables.canonicalHash(number) ?? EMPTY_BYTES }
}

/** Whether the chain still has the first block that the mirror keeps whole. Otherwise it may need older ones. */
export function continuesFrom(reader: KeyValueReader, { number, hash }: BlockName): boolean {
  return number === 0 || equalBytes(historyBlock(reader, number).hash, hash)
}

/** Keys of what a mirror no longer has when it begins at a later block. */
export function leftBehind(reader: KeyValueReader, from: BlockName, to: BlockName): Uint8Array[] {
  const found: Uint8Array[] = []
  for (const column of PARTS) {
    const start = keys.headersAt(from.number)
    start[0] = column
    for (const [key] of reader.range({ prefix: Uint8Array.of(column), from: start })) {
      if (numberedKey(key).number >= to.number) break
      found.push(key)
    }
  }
  return found
}
