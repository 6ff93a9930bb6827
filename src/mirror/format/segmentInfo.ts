/**
 * The description of a segment in manifests and lists.
 * @module
 */
import { MAX_MIRROR_DIRECTORY_BYTES, MAX_MIRROR_KEY_BYTES, MAX_MIRROR_SEGMENT_BYTES } from '../../base/limits/limits.ts'
import { compareBytes } from '../../base/primitives/bytes.ts'
import type { RlpItem } from '../../base/primitives/rlp.ts'
import type { FieldReader } from '../../types/fieldReader.ts'
import { HASH_BYTES, numberField, readNumber } from './record.ts'

export interface SegmentInfo {
  /** SHA-256 of the segment */
  readonly hash: Uint8Array
  readonly firstKey: Uint8Array
  readonly lastKey: Uint8Array
  /** Number of its entries, deleted keys included. */
  readonly entries: number
  /** Length of the segment. */
  readonly bytes: number
  /** Length of its directory. */
  readonly directoryBytes: number
  /** SHA-256 of its directory */
  readonly directoryHash: Uint8Array
}

/** A segment since the last merge. */
export interface RecentSegment extends SegmentInfo {
  /** Number of the manifest that the segment lies in; 0 if it is an object. */
  readonly manifest: number
  /** Of all its keys; empty for a large segment. */
  readonly filter: Uint8Array
}

/** A merged segment. */
export interface MergedSegment extends SegmentInfo {
  /** From 1. Entries of a level are newer than those of all higher levels. */
  readonly level: number
}

export function segmentFields(info: SegmentInfo): RlpItem[] {
  return [
    info.hash,
    info.firstKey,
    info.lastKey,
    numberField(info.entries),
    numberField(info.bytes),
    numberField(info.directoryBytes),
    info.directoryHash,
  ]
}

export function readSegmentInfo(fields: FieldReader): SegmentInfo {
  const info = {
    hash: fields.fixed('hash of a segment', HASH_BYTES),
    firstKey: readKey(fields, 'first key of a segment'),
    lastKey: readKey(fields, 'last key of a segment'),
    entries: readNumber(fields, 'number of entries', MAX_MIRROR_SEGMENT_BYTES),
    bytes: readNumber(fields, 'length of a segment', MAX_MIRROR_SEGMENT_BYTES),
    directoryBytes: readNumber(fields, 'length of a directory', MAX_MIRROR_DIRECTORY_BYTES),
    directoryHash: fields.fixed('hash of a directory', HASH_BYTES),
  }
  if (compareBytes(info.firstKey, info.lastKey) > 0)
    throw fields.invalid('the last key of a segment is below its first')
  if (info.entries === 0) throw fields.invalid('a segment is empty')
  return info
}

export function readKey(fields: FieldReader, name: string): Uint8Array {
  const key = fields.bytes(name)
  if (key.length > MAX_MIRROR_KEY_BYTES) throw fields.invalid(`${name} has ${key.length} bytes`)
  return key
}
