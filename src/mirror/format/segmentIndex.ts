/**
 * The index of a segment: a directory that names parts, and parts that name blocks of data.
 *
 * A segment is `blocks ‖ parts ‖ directory ‖ length of the directory (4) ‖ "IMS1"`. Nothing has its own offset: blocks
 * and parts follow one another, so they can neither overlap nor lie outside.
 * @module
 */
import {
  MAX_MIRROR_SEGMENT_BYTES,
  MAX_MIRROR_VALUE_BYTES,
  MIRROR_BLOCK_BYTES,
  MIRROR_PART_BYTES,
} from '../../base/limits/limits.ts'
import { compareBytes, equalBytes } from '../../base/primitives/bytes.ts'
import { type RlpItem, rlpEncode } from '../../base/primitives/rlp.ts'
import { sha256 } from '../../base/primitives/sha256.ts'
import type { FieldReader } from '../../types/fieldReader.ts'
import { mirrorDamaged } from '../errors.ts'
import { HASH_BYTES, numberField, readList, readNumber, readRecord } from './record.ts'
import { readKey, type SegmentInfo } from './segmentInfo.ts'

/** A block of data. */
export interface BlockRef {
  readonly lastKey: Uint8Array
  /** In the segment. */
  readonly offset: number
  /** In the segment; less than `length` if the block is deflated. */
  readonly storedLength: number
  /** Of its entries. */
  readonly length: number
  /** SHA-256 of the stored bytes */
  readonly hash: Uint8Array
}

/** The index of consecutive blocks, with a filter of their keys. */
export interface IndexPart {
  readonly blocks: readonly BlockRef[]
  readonly filter: Uint8Array
}

/** A part of the index. */
export interface PartRef {
  readonly lastKey: Uint8Array
  /** In the segment. */
  readonly offset: number
  readonly length: number
  /** SHA-256 of the part */
  readonly hash: Uint8Array
  /** Offset of its first block. */
  readonly blockOffset: number
  /** Length of all its blocks. */
  readonly blockBytes: number
}

export interface Directory {
  readonly firstKey: Uint8Array
  readonly entries: number
  readonly parts: readonly PartRef[]
}

const FOOTER_MAGIC: Uint8Array = new TextEncoder().encode('IMS1')
export const FOOTER_BYTES = 8
/** A block has at least one entry and a part one block, of which an index takes this many bytes or more. */
const MIN_REF_BYTES = 36
const MAX_BLOCKS_OF_PART = 4 * MIRROR_PART_BYTES
const MAX_PARTS = MAX_MIRROR_SEGMENT_BYTES / MIN_REF_BYTES

export function blockFields({ lastKey, storedLength, length, hash }: Omit<BlockRef, 'offset'>): RlpItem {
  return [lastKey, numberField(storedLength), numberField(length), hash]
}

export function encodePart(blocks: readonly RlpItem[], filter: Uint8Array): Uint8Array {
  return rlpEncode([blocks, filter])
}

export function encodeDirectory(
  firstKey: Uint8Array,
  entries: number,
  parts: readonly Omit<PartRef, 'offset' | 'blockOffset'>[],
): Uint8Array {
  const refs = parts.map(({ lastKey, blockBytes, length, hash }) => [
    lastKey,
    numberField(blockBytes),
    numberField(length),
    hash,
  ])
  return rlpEncode([firstKey, numberField(entries), refs])
}

export function encodeFooter(directoryBytes: number): Uint8Array {
  const footer = new Uint8Array(FOOTER_BYTES)
  new DataView(footer.buffer).setUint32(0, directoryBytes)
  footer.set(FOOTER_MAGIC, 4)
  return footer
}

/**
 * For readers of a whole segment; others know the length of the directory.
 * @param footer the last bytes of the segment
 * @returns length of the directory
 * @throws {NodeError} MIRROR_DAMAGED
 */
export function decodeFooter(object: string, footer: Uint8Array): number {
  const isWhole = footer.length === FOOTER_BYTES && equalBytes(footer.subarray(4), FOOTER_MAGIC)
  if (!isWhole) throw mirrorDamaged(object, 'it does not end as a segment does')
  return new DataView(footer.buffer, footer.byteOffset).getUint32(0)
}

/** Offset of the directory in its segment. */
export function directoryOffset({ bytes, directoryBytes }: Pick<SegmentInfo, 'bytes' | 'directoryBytes'>): number {
  return bytes - directoryBytes - FOOTER_BYTES
}

/** @throws {NodeError} MIRROR_DAMAGED when the bytes are not those of this segment's directory */
export function decodeDirectory(object: string, bytes: Uint8Array, info: SegmentInfo): Directory {
  requireHash(object, 'its directory', bytes, info.directoryHash)
  return readRecord(object, bytes, (fields) => {
    const firstKey = readKey(fields, 'first key')
    const entries = readNumber(fields, 'number of entries')
    const parts = placed(readList(fields, 'parts', MAX_PARTS, readPartRef))
    requireOrder(object, parts)
    const end = parts.reduce((sum, { length, blockBytes }) => sum + length + blockBytes, 0)
    const isSame =
      end === directoryOffset(info) &&
      entries === info.entries &&
      equalBytes(firstKey, info.firstKey) &&
      equalBytes(parts.at(-1)?.lastKey ?? firstKey, info.lastKey)
    if (!isSame) throw mirrorDamaged(object, 'its directory contradicts the list that names it')
    return { firstKey, entries, parts }
  })
}

function readPartRef(fields: FieldReader): Omit<PartRef, 'offset' | 'blockOffset'> {
  return {
    lastKey: readKey(fields, 'last key of a part'),
    blockBytes: readNumber(fields, 'length of the blocks of a part', MAX_MIRROR_SEGMENT_BYTES),
    length: readNumber(fields, 'length of a part', MIRROR_PART_BYTES * 2),
    hash: fields.fixed('hash of a part', HASH_BYTES),
  }
}

/** All blocks come first, then all parts. */
function placed(parts: readonly Omit<PartRef, 'offset' | 'blockOffset'>[]): PartRef[] {
  let offset = parts.reduce((sum, { blockBytes }) => sum + blockBytes, 0)
  let blockOffset = 0
  return parts.map((part) => {
    const ref = { ...part, offset, blockOffset }
    offset += part.length
    blockOffset += part.blockBytes
    return ref
  })
}

/** @throws {NodeError} MIRROR_DAMAGED when the bytes are not those of this part */
export function decodePart(object: string, bytes: Uint8Array, part: PartRef): IndexPart {
  requireHash(object, `the part of its index at ${part.offset}`, bytes, part.hash)
  return readRecord(object, bytes, (fields) => {
    let offset = part.blockOffset
    const blocks = readList(fields, 'blocks', MAX_BLOCKS_OF_PART, (item) => {
      const block = { ...readBlockRef(item), offset }
      offset += block.storedLength
      return block
    })
    const filter = fields.bytes('filter')
    requireOrder(object, blocks)
    const isSame =
      offset === part.blockOffset + part.blockBytes && equalBytes(blocks.at(-1)?.lastKey ?? filter, part.lastKey)
    if (!isSame) throw mirrorDamaged(object, `the part of its index at ${part.offset} contradicts its directory`)
    return { blocks, filter }
  })
}

function readBlockRef(fields: FieldReader): Omit<BlockRef, 'offset'> {
  const maximum = MIRROR_BLOCK_BYTES + MAX_MIRROR_VALUE_BYTES
  const ref = {
    lastKey: readKey(fields, 'last key of a block'),
    storedLength: readNumber(fields, 'stored length of a block', maximum),
    length: readNumber(fields, 'length of a block', maximum),
    hash: fields.fixed('hash of a block', HASH_BYTES),
  }
  if (ref.storedLength > ref.length) throw fields.invalid('a block takes more bytes than it has')
  return ref
}

function requireOrder(object: string, refs: readonly { readonly lastKey: Uint8Array }[]): void {
  const isOrdered = refs.every(({ lastKey }, i) => {
    const before = refs[i - 1]
    return before === undefined || compareBytes(before.lastKey, lastKey) < 0
  })
  if (!isOrdered) throw mirrorDamaged(object, 'its index is not in order')
}

/** @param part such as `a block` @throws {NodeError} MIRROR_DAMAGED */
export function requireHash(object: string, part: string, bytes: Uint8Array, hash: Uint8Array): void {
  if (!equalBytes(sha256(bytes), hash)) throw mirrorDamaged(object, `${part} has another hash`)
}
