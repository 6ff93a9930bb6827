/**
 * A section: the inverted index of 256 consecutive canonical blocks. It maps each term to the blocks that contain it.
 * The range of terms is divided into partitions of one row each; their number is chosen so that a row fills about one
 * page.
 *
 * Rows: `section` → hash of the section's last block (32) ‖ bits of the partition number (1). This row is written last
 * and completes the section, which is valid while that block is canonical. `section ‖ partition` → terms, ascending (4
 * each) ‖ the block of each term, relative to the section (1 each).
 * @module
 */
import { corrupt } from '../blockRecord.ts'
import { firstAtLeast, TERM_BYTES, viewOf } from './blockTerms.ts'

export const SECTION_BLOCKS = 256
/** Confirmations of a section's last block before the section is built: reorganisations are seldom deeper. */
export const SECTION_DEPTH = 64

const BLOCK_BYTES = 1
const HASH_BYTES = 32
/** Approximate entries of a row: they fill one page of the store. */
const ROW_ENTRIES = 768
const MAX_PARTITION_BITS = 12

export interface SectionHead {
  /** Hash of the last block, 32 bytes. */
  readonly lastHash: Uint8Array
  readonly bits: number
}

export function encodeSectionHead({ lastHash, bits }: SectionHead): Uint8Array {
  const bytes = new Uint8Array(HASH_BYTES + 1)
  bytes.set(lastHash)
  bytes[HASH_BYTES] = bits
  return bytes
}

export function decodeSectionHead(bytes: Uint8Array): SectionHead {
  const bits = bytes[HASH_BYTES]
  if (bits === undefined || bits > MAX_PARTITION_BITS) throw corrupt('the head of an index section')
  return { lastHash: bytes.subarray(0, HASH_BYTES), bits }
}

/** Leading bits of a term that select its partition, for a section with this many entries. */
export function partitionBits(entries: number): number {
  let bits = 0
  while (bits < MAX_PARTITION_BITS && entries / 2 ** bits > ROW_ENTRIES) bits++
  return bits
}

export function partitionOf(term: number, bits: number): number {
  return bits === 0 ? 0 : term >>> (32 - bits)
}

/** Smallest term of a partition; 2^32 for the partition after the last. */
export function firstTermOf(partition: number, bits: number): number {
  return partition * 2 ** (32 - bits)
}

/** A row under construction; entries may arrive in any order. */
export class PartitionRow {
  readonly #entries: number[] = []

  /** @param block relative to the section */
  add(term: number, block: number): void {
    this.#entries.push(term * SECTION_BLOCKS + block)
  }

  /** @returns undefined when there are no entries */
  encode(): Uint8Array | undefined {
    const count = this.#entries.length
    if (count === 0) return undefined
    const bytes = new Uint8Array(count * (TERM_BYTES + BLOCK_BYTES))
    const view = viewOf(bytes)
    const sorted = Float64Array.from(this.#entries).sort()
    for (let i = 0; i < count; i++) {
      const entry = sorted[i] as number
      const term = Math.floor(entry / SECTION_BLOCKS)
      view.setUint32(i * TERM_BYTES, term)
      bytes[count * TERM_BYTES + i] = entry - term * SECTION_BLOCKS
    }
    return bytes
  }
}

/** Calls back with each block of a row that contains the term, ascending. */
export function forEachBlock(row: Uint8Array, term: number, visit: (block: number) => void): void {
  const view = viewOf(row)
  const count = row.length / (TERM_BYTES + BLOCK_BYTES)
  for (let i = firstAtLeast(view, count, term); i < count && view.getUint32(i * TERM_BYTES) === term; i++) {
    visit(row[count * TERM_BYTES + i] as number)
  }
}
