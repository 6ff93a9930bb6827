/**
 * The list of merged segments. It changes only when segments are merged.
 * @module
 */
import { MAX_SEGMENT_LIST_BYTES } from '../../base/limits/limits.ts'
import { compareBytes } from '../../base/primitives/bytes.ts'
import { rlpEncode } from '../../base/primitives/rlp.ts'
import { mirrorDamaged } from '../errors.ts'
import { listName } from './names.ts'
import { numberField, readList, readNumber, readRecord } from './record.ts'
import { requireHash } from './segmentIndex.ts'
import { type MergedSegment, readSegmentInfo, segmentFields } from './segmentInfo.ts'

const MAX_LEVEL = 64
/** Two hashes. */
const MIN_SEGMENT_BYTES = 64

/** @param segments by level, then by key; those of one level have no key in common */
export function encodeSegmentList(segments: readonly MergedSegment[]): Uint8Array {
  return rlpEncode([segments.map((segment) => [numberField(segment.level), ...segmentFields(segment)])])
}

/**
 * @param hash of the list, from a manifest
 * @throws {NodeError} MIRROR_DAMAGED
 */
export function decodeSegmentList(bytes: Uint8Array, hash: Uint8Array): MergedSegment[] {
  const object = listName(hash)
  requireHash(object, 'the list', bytes, hash)
  const segments = readRecord(object, bytes, (fields) =>
    readList(fields, 'segments', MAX_SEGMENT_LIST_BYTES / MIN_SEGMENT_BYTES, (item) => ({
      level: readNumber(item, 'level', MAX_LEVEL),
      ...readSegmentInfo(item),
    })),
  )
  for (const [i, segment] of segments.entries()) requireNext(object, segments[i - 1], segment)
  return segments
}

function requireNext(object: string, before: MergedSegment | undefined, segment: MergedSegment): void {
  if (segment.level === 0) throw mirrorDamaged(object, 'a segment has level 0')
  if (before === undefined || before.level < segment.level) return
  if (before.level > segment.level) throw mirrorDamaged(object, 'its levels are not in order')
  if (compareBytes(before.lastKey, segment.firstKey) >= 0) {
    throw mirrorDamaged(object, `segments of level ${segment.level} overlap`)
  }
}
