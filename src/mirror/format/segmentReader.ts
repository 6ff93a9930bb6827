/**
 * Decodes what a reader has fetched of a segment, after it has checked the hash.
 * @module
 */
import { compareBytes, equalBytes } from '../../base/primitives/bytes.ts'
import { sha256 } from '../../base/primitives/sha256.ts'
import { mirrorDamaged } from '../errors.ts'
import { inflated } from './compression.ts'
import { checkEntries, decodeEntries, type SegmentEntry } from './entries.ts'
import { readNumber, readRecord } from './record.ts'
import {
  type BlockRef,
  type Directory,
  decodeDirectory,
  decodeFooter,
  decodePart,
  directoryOffset,
  FOOTER_BYTES,
  type IndexPart,
  requireHash,
} from './segmentIndex.ts'
import type { SegmentInfo } from './segmentInfo.ts'
import { readKey } from './segmentInfo.ts'

/**
 * @param object name of the segment, for errors
 * @param bytes the stored block
 * @returns its entries in order; their values may be views of `bytes`
 * @throws {NodeError} MIRROR_DAMAGED
 */
export async function decodeBlock(object: string, bytes: Uint8Array, block: BlockRef): Promise<SegmentEntry[]> {
  const entries = decodeEntries(object, await plainBlock(object, bytes, block))
  requireLastKey(object, block, entries.at(-1)?.key)
  return entries
}

/**
 * Checks a block, without making its entries.
 * @returns its plain bytes, for {@link findEntry} and {@link decodeEntries}; they may be `bytes`
 * @throws {NodeError} MIRROR_DAMAGED
 */
export async function checkedBlock(object: string, bytes: Uint8Array, block: BlockRef): Promise<Uint8Array> {
  const plain = await plainBlock(object, bytes, block)
  requireLastKey(object, block, checkEntries(object, plain))
  return plain
}

async function plainBlock(object: string, bytes: Uint8Array, block: BlockRef): Promise<Uint8Array> {
  requireHash(object, `the block at ${block.offset}`, bytes, block.hash)
  return block.storedLength < block.length ? await inflated(object, bytes, block.length) : bytes
}

function requireLastKey(object: string, { lastKey, offset }: BlockRef, found: Uint8Array | undefined): void {
  if (found === undefined || !equalBytes(found, lastKey)) {
    throw mirrorDamaged(object, `the block at ${offset} contradicts the index`)
  }
}

/**
 * All entries of a segment, block by block.
 * @param content the whole segment
 * @throws {NodeError} MIRROR_DAMAGED
 */
export async function* decodeSegment(
  object: string,
  content: Uint8Array,
  info: SegmentInfo,
): AsyncGenerator<SegmentEntry[], void, undefined> {
  requireWhole(object, content, info)
  let before: Uint8Array | undefined
  for (const part of indexOf(object, content, info)) {
    for (const block of part.blocks) {
      const stored = content.subarray(block.offset, block.offset + block.storedLength)
      const entries = await decodeBlock(object, stored, block)
      requireAfter(object, before, entries)
      before = block.lastKey
      yield entries
    }
  }
}

/** The directory and the parts of a whole segment. @throws {NodeError} MIRROR_DAMAGED */
function indexOf(object: string, content: Uint8Array, info: SegmentInfo): IndexPart[] {
  return directoryOf(object, content, info).parts.map((part) =>
    decodePart(object, content.subarray(part.offset, part.offset + part.length), part),
  )
}

export function directoryOf(object: string, content: Uint8Array, info: SegmentInfo): Directory {
  const offset = directoryOffset(info)
  return decodeDirectory(object, content.subarray(offset, offset + info.directoryBytes), info)
}

function requireWhole(object: string, content: Uint8Array, info: SegmentInfo): void {
  if (content.length !== info.bytes) {
    throw mirrorDamaged(object, `it has ${content.length} bytes instead of ${info.bytes}`)
  }
  requireHash(object, 'the segment', content, info.hash)
}

function requireAfter(object: string, before: Uint8Array | undefined, entries: readonly SegmentEntry[]): void {
  const first = entries[0]
  if (before !== undefined && first !== undefined && compareBytes(before, first.key) >= 0) {
    throw mirrorDamaged(object, 'its blocks are not in order')
  }
}

/**
 * Describes a segment of which nothing is known, from its bytes. Nothing vouches for them.
 * @throws {NodeError} MIRROR_DAMAGED
 */
export function describeSegment(object: string, content: Uint8Array): SegmentInfo {
  const directoryBytes = decodeFooter(object, content.subarray(-FOOTER_BYTES))
  const offset = content.length - FOOTER_BYTES - directoryBytes
  if (offset < 0) throw mirrorDamaged(object, 'its directory is longer than the segment')
  const directory = content.subarray(offset, offset + directoryBytes)
  const described = readRecord(object, directory, (fields) => {
    const firstKey = readKey(fields, 'first key')
    const entries = readNumber(fields, 'number of entries')
    const lastPart = fields.nested('parts')
    let lastKey = firstKey
    while (lastPart.remaining > 0) lastKey = lastPart.nested('part').bytes('last key of a part')
    return { firstKey, entries, lastKey }
  })
  return {
    ...described,
    hash: sha256(content),
    bytes: content.length,
    directoryBytes,
    directoryHash: sha256(directory),
  }
}
