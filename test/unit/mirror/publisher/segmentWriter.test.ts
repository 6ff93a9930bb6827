/** Where the segments of a sorted sequence of entries begin and end. */
import { describe, expect, it } from 'vitest'
import { concatBytes, uintBytes } from '../../../../src/base/primitives/bytes.ts'
import { sha256 } from '../../../../src/base/primitives/sha256.ts'
import type { SegmentEntry } from '../../../../src/mirror/format/entries.ts'
import type { BuiltSegment } from '../../../../src/mirror/format/segmentBuilder.ts'
import { SegmentWriter } from '../../../../src/mirror/publisher/segmentWriter.ts'
import { Column } from '../../../../src/storage/schema.ts'

const MIB = 1 << 20

/** Entries of a column with values that no compression makes shorter. */
function* entriesOf(column: number, count: number, valueBytes: number): Generator<SegmentEntry> {
  for (let i = 0; i < count; i++) {
    const parts = Array.from({ length: Math.ceil(valueBytes / 32) }, (_, part) => sha256(uintBytes(i * 4096 + part, 6)))
    yield {
      key: concatBytes(Uint8Array.of(column), uintBytes(i, 6)),
      value: concatBytes(...parts).subarray(0, valueBytes),
    }
  }
}

async function segmentsOf(...columns: readonly Iterable<SegmentEntry>[]): Promise<BuiltSegment[]> {
  const segments: BuiltSegment[] = []
  const writer = new SegmentWriter(async (segment) => void segments.push(segment))
  for (const entries of columns) await writer.add(entries)
  await writer.finish()
  return segments
}

const columnsOf = (segments: readonly BuiltSegment[]): (number | undefined)[][] =>
  segments.map(({ firstKey, lastKey }) => [firstKey[0], lastKey[0]])

describe('a writer of segments', () => {
  it('keeps a small database together', async () => {
    const segments = await segmentsOf(
      entriesOf(Column.header, 10, 500),
      entriesOf(Column.code, 3, 1000),
      entriesOf(Column.flatAccount, 100, 8),
    )
    expect(columnsOf(segments)).toEqual([[Column.header, Column.flatAccount]])
  })

  it('separates code, and the state at the head, from what is large', async () => {
    const segments = await segmentsOf(
      entriesOf(Column.trieNode, 1200, 1024),
      entriesOf(Column.code, 3, 1000),
      entriesOf(Column.preimage, 1200, 1024),
      entriesOf(Column.flatAccount, 100, 8),
      entriesOf(Column.flatStorage, 100, 8),
    )
    expect(columnsOf(segments)).toEqual([
      [Column.trieNode, Column.trieNode],
      [Column.code, Column.code],
      [Column.preimage, Column.preimage],
      [Column.flatAccount, Column.flatStorage],
    ])
  })

  it('makes segments of the state at the head whose index is short', async () => {
    const segments = await segmentsOf(entriesOf(Column.flatAccount, 60_000, 64))
    expect(segments.length).toBeGreaterThan(1)
    for (const { bytes } of segments.slice(0, -1)) {
      expect(bytes).toBeGreaterThan(MIB)
      expect(bytes).toBeLessThan(4 * MIB)
    }
  })

  it('ends segments at the same keys, whatever is before them', async () => {
    const hashesOf = async (...columns: readonly Iterable<SegmentEntry>[]): Promise<string[]> =>
      (await segmentsOf(...columns)).map(({ hash }) => hash.join())
    const alone = await hashesOf(entriesOf(Column.flatAccount, 60_000, 64))
    const after = await hashesOf(entriesOf(Column.trieNode, 1200, 1024), entriesOf(Column.flatAccount, 60_000, 64))
    expect(after.slice(1)).toEqual(alone)
  })
})
