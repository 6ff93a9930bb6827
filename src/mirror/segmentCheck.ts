import { compareBytes } from '../base/primitives/bytes.ts'
import { isPublishedKey } from '../storage/published.ts'
import { mirrorDamaged } from './errors.ts'
import type { SegmentEntry } from './format/entries.ts'
import { filterHash, mayContain } from './format/filter.ts'
import { decodePart, requireHash } from './format/segmentIndex.ts'
import type { MergedSegment, RecentSegment } from './format/segmentInfo.ts'
import { decodeBlock, directoryOf } from './format/segmentReader.ts'

/**
 * Checks every byte of a segment, its order, its filters, and that it has nothing that must not be published.
 * @param object that has the segment, for errors
 * @param content the whole segment
 * @returns number of its entries
 * @throws {NodeError} MIRROR_DAMAGED
 */
export async function checkSegment(
  object: string,
  content: Uint8Array,
  info: RecentSegment | MergedSegment,
): Promise<number> {
  if (content.length !== info.bytes) {
    throw mirrorDamaged(object, `the segment has ${content.length} bytes instead of ${info.bytes}`)
  }
  requireHash(object, 'the segment', content, info.hash)
  let before: Uint8Array | undefined
  let count = 0
  for (const ref of directoryOf(object, content, info).parts) {
    const part = decodePart(object, content.subarray(ref.offset, ref.offset + ref.length), ref)
    for (const block of part.blocks) {
      const stored = content.subarray(block.offset, block.offset + block.storedLength)
      for (const { key } of await decodeBlock(object, stored, block)) {
        checkKey(object, key, before, [part.filter, ...('filter' in info ? [info.filter] : [])])
        before = key
        count++
      }
    }
  }
  if (count !== info.entries) throw mirrorDamaged(object, `it has ${count} entries instead of ${info.entries}`)
  return count
}

function checkKey(
  object: string,
  key: SegmentEntry['key'],
  before: Uint8Array | undefined,
  filters: readonly Uint8Array[],
): void {
  if (before !== undefined && compareBytes(before, key) >= 0) throw mirrorDamaged(object, 'its keys are not in order')
  if (!isPublishedKey(key)) throw mirrorDamaged(object, 'it has a key that is never published')
  const hash = filterHash(key)
  if (!filters.every((filter) => mayContain(filter, hash)))
    throw mirrorDamaged(object, 'a filter denies one of its keys')
}
