import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MIRROR_BLOCK_BYTES, MIRROR_PART_BYTES } from '../../../../src/base/limits/limits.ts'
import { bytesToHex, compareBytes, concatBytes, uintBytes } from '../../../../src/base/primitives/bytes.ts'
import { rlpDecodeList, rlpEncode } from '../../../../src/base/primitives/rlp.ts'
import { sha256 } from '../../../../src/base/primitives/sha256.ts'
import {
  checkEntries,
  decodeEntries,
  EntryWriter,
  findEntry,
  type SegmentEntry,
} from '../../../../src/mirror/format/entries.ts'
import { filterHash, mayContain } from '../../../../src/mirror/format/filter.ts'
import { segmentName } from '../../../../src/mirror/format/names.ts'
import { type BuiltSegment, SegmentBuilder } from '../../../../src/mirror/format/segmentBuilder.ts'
import { blockFields, decodePart, encodeFooter, encodePart } from '../../../../src/mirror/format/segmentIndex.ts'
import {
  decodeBlock,
  decodeSegment,
  describeSegment,
  directoryOf,
} from '../../../../src/mirror/format/segmentReader.ts'

async function build(entries: Iterable<SegmentEntry>): Promise<BuiltSegment> {
  const builder = new SegmentBuilder()
  for (const entry of entries) await builder.add(entry)
  return builder.finish()
}

function numbered(count: number, valueLength = 20): SegmentEntry[] {
  return Array.from({ length: count }, (_, i) => ({
    key: concatBytes(Uint8Array.of(0x10), uintBytes(i, 6)),
    value: i % 7 === 3 ? undefined : sha256(uintBytes(i, 4)).slice(0, valueLength),
  }))
}

async function entriesOf(segment: BuiltSegment, content = segment.content): Promise<SegmentEntry[]> {
  const entries: SegmentEntry[] = []
  for await (const block of decodeSegment(segmentName(segment.hash), content, segment)) entries.push(...block)
  return entries
}

/** Vitest takes seconds to compare large arrays of bytes. */
function textOf(entries: readonly SegmentEntry[]): string {
  return entries.map(({ key, value }) => `${bytesToHex(key)} ${value && bytesToHex(value)}`).join('\n')
}

const bytes = (maximum: number) => fc.uint8Array({ maxLength: maximum })

describe('a segment', () => {
  test('gives back the entries that were written, in blocks and parts of bounded size', async () => {
    const entries = numbered(30_000)
    const segment = await build(entries)
    expect(textOf(await entriesOf(segment))).toBe(textOf(entries))
    expect(segment).toMatchObject({ entries: 30_000, firstKey: entries[0]?.key, lastKey: entries.at(-1)?.key })
    const { parts } = directoryOf('segment', segment.content, segment)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(MIRROR_PART_BYTES)
      const { blocks } = decodePart('segment', segment.content.subarray(part.offset, part.offset + part.length), part)
      for (const { length } of blocks) expect(length).toBeLessThanOrEqual(MIRROR_BLOCK_BYTES)
    }
  })

  test('finds each key of a block, and no other', () => {
    const key = fc.uint8Array({ minLength: 1, maxLength: 5, max: 3 })
    fc.assert(
      fc.property(fc.uniqueArray(key, { selector: bytesToHex }), fc.array(key), (present, asked) => {
        const entries = present.sort(compareBytes).map((of, i): SegmentEntry => {
          return { key: of, value: i % 3 === 1 ? undefined : of.slice(1) }
        })
        const writer = new EntryWriter()
        for (const entry of entries) writer.add(entry)
        const block = writer.take()
        expect(checkEntries('a', block)).toEqual(present.at(-1))
        for (const wanted of [...present, ...asked]) {
          const entry = entries.find(({ key: of }) => compareBytes(of, wanted) === 0)
          expect(findEntry(block, wanted)).toEqual(entry)
        }
      }),
    )
  })

  test('finds a key that shares fewer bytes with the key before it than it could', () => {
    const block = Uint8Array.of(0, 2, 1, 7, 8, 0, 3, 2, 7, 8, 9, 1, 1, 1, 1, 9)
    const entries = decodeEntries('a', block)
    expect(entries.map(({ key }) => [...key])).toEqual([
      [7, 8],
      [7, 8, 9],
      [7, 9],
    ])
    for (const entry of entries) expect(findEntry(block, entry.key)).toEqual(entry)
    expect(findEntry(block, Uint8Array.of(7, 8, 8))).toBeUndefined()
  })

  test('gives back any sorted entries', async () => {
    const entry = fc.record({
      key: fc.uint8Array({ minLength: 1, maxLength: 70 }),
      value: fc.option(bytes(300), { nil: undefined }),
    })
    const sorted = fc
      .uniqueArray(entry, { selector: ({ key }) => String(key), minLength: 1, maxLength: 60 })
      .map((list) => list.sort((a, b) => compareBytes(a.key, b.key)))
    await fc.assert(
      fc.asyncProperty(sorted, async (entries) => {
        const segment = await build(entries)
        expect(await entriesOf(segment)).toEqual(entries)
        expect(describeSegment('segment', segment.content)).toEqual(infoOf(segment))
        for (const { key } of entries) expect(mayContain(segment.filter, filterHash(key))).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test('keeps an entry that is longer than a block in its own block', async () => {
    const value = new Uint8Array(3 * MIRROR_BLOCK_BYTES).map((_, i) => i * i)
    const entries = [
      { key: Uint8Array.of(1), value: undefined },
      { key: Uint8Array.of(2), value },
      { key: Uint8Array.of(3), value },
    ]
    expect(textOf(await entriesOf(await build(entries)))).toBe(textOf(entries))
  })

  test('has the same name for the same entries', async () => {
    expect((await build(numbered(500))).hash).toEqual((await build(numbered(500))).hash)
  })

  test('has filters that few absent keys pass', async () => {
    const { filter } = await build(numbered(3000))
    const passed = Array.from({ length: 10_000 }, (_, i) => filterHash(uintBytes(i, 8))).filter((hash) =>
      mayContain(filter, hash),
    )
    expect(passed.length).toBeLessThan(200)
  })

  test('refuses keys out of order, the same key twice, and no entries', async () => {
    const builder = new SegmentBuilder()
    await expect(builder.finish()).rejects.toThrow('a segment needs an entry')
    await builder.add({ key: Uint8Array.of(2), value: undefined })
    expect(() => builder.add({ key: Uint8Array.of(2), value: undefined })).toThrow('ascending order')
    expect(() => builder.add({ key: Uint8Array.of(1), value: undefined })).toThrow('ascending order')
    expect(() => builder.add({ key: new Uint8Array(1025), value: undefined })).toThrow('a key of 1025 bytes')
  })
})

describe('damage of a segment', () => {
  test('is found in every byte, and names the segment', async () => {
    const segment = await build(numbered(300))
    const name = segmentName(segment.hash)
    for (let at = 0; at < segment.content.length; at += 97) {
      const content = segment.content.slice()
      content[at] = (content[at] as number) ^ 0x10
      await expect(entriesOf(segment, content)).rejects.toMatchObject({
        details: { code: 'MIRROR_DAMAGED', object: name },
      })
    }
    await expect(entriesOf(segment, segment.content.subarray(1))).rejects.toThrow(
      `${name} of the mirror is damaged: it has`,
    )
  })

  test('is found in a directory, a part or a block of another segment', async () => {
    const [segment, other] = [await build(numbered(6000)), await build(numbered(6000, 19))]
    expect(() =>
      directoryOf('segments/a', other.content, {
        ...segment,
        bytes: other.bytes,
        directoryBytes: other.directoryBytes,
      }),
    ).toThrow('segments/a of the mirror is damaged: its directory has another hash')
    const [part] = directoryOf('a', segment.content, segment).parts
    if (part === undefined) throw new Error('no part')
    expect(() => decodePart('segments/a', other.content.subarray(0, part.length), part)).toThrow('another hash')
    const { blocks } = decodePart('a', segment.content.subarray(part.offset, part.offset + part.length), part)
    const [block] = blocks
    if (block === undefined) throw new Error('no block')
    await expect(decodeBlock('segments/a', other.content.subarray(0, block.storedLength), block)).rejects.toThrow(
      'the block at 0 has another hash',
    )
  })

  test('is found where a publisher wrote lengths or an order that cannot be', async () => {
    const key = Uint8Array.of(1)
    const damaged = (block: number[]) => () => decodeEntries('segments/a', Uint8Array.from(block))
    expect(damaged([0, 1, 2, 9])).toThrow('an entry is longer than its block')
    expect(damaged([1, 1, 0, 9])).toThrow('shares more bytes')
    expect(damaged([0, 1, 0, 2, 0, 1, 0, 1])).toThrow('its keys are not in order')
    expect(damaged([0, 0xff, 0xff, 0xff, 0xff, 0xff, 1])).toThrow('too many bytes')
    expect(damaged([0, 0xff, 0xff, 0xff, 0x7f])).toThrow('an entry has a length of 268435455')
    expect(damaged([0, 0x81, 0])).toThrow('shortest form')
    expect(damaged([0])).toThrow('a length is cut off')
    const huge = [key, uintBytes(2 ** 53, 7), uintBytes(2 ** 53, 7), new Uint8Array(32)]
    const part = encodePart([huge], new Uint8Array(0))
    const ref = { lastKey: key, offset: 0, length: part.length, hash: sha256(part), blockOffset: 0, blockBytes: 1 }
    expect(() => decodePart('segments/a', part, ref)).toThrow('stored length of a block has more than 6 bytes')
  })

  test('is found in a block that inflates to more, or less, than it should', async () => {
    const zeros = new Uint8Array(1 << 20)
    const stream = new Blob([zeros]).stream().pipeThrough(new CompressionStream('deflate-raw'))
    const bomb = new Uint8Array(await new Response(stream).arrayBuffer())
    const refOf = (length: number) => ({
      lastKey: Uint8Array.of(1),
      offset: 0,
      storedLength: bomb.length,
      length,
      hash: sha256(bomb),
    })
    await expect(decodeBlock('segments/a', bomb, refOf(30_000))).rejects.toThrow('a block has more than 30000 bytes')
    await expect(decodeBlock('segments/a', bomb, refOf(2 << 20))).rejects.toThrow(
      'a block has 1048576 bytes instead of',
    )
    const noise = sha256(zeros)
    const ref = { ...refOf(1000), storedLength: noise.length, hash: sha256(noise) }
    await expect(decodeBlock('segments/a', noise, ref)).rejects.toMatchObject({ code: 'MIRROR_DAMAGED' })
  })

  test('is found in a directory that contradicts itself', async () => {
    const segment = await build(numbered(30_000))
    const { content, bytes: length, directoryBytes } = segment
    const directory = content.subarray(length - directoryBytes - 8, length - 8)
    const [firstKey, entries, parts] = rlpDecodeList(directory)
    if (firstKey === undefined || entries === undefined || !Array.isArray(parts)) throw new Error('not a directory')
    const altered = (changed: Uint8Array) => ({
      content: concatBytes(content.subarray(0, length - directoryBytes - 8), changed, encodeFooter(changed.length)),
      info: {
        ...segment,
        bytes: length - directoryBytes + changed.length,
        directoryBytes: changed.length,
        directoryHash: sha256(changed),
      },
    })
    const swapped = altered(rlpEncode([firstKey, entries, [...parts].reverse()]))
    expect(() => directoryOf('segments/a', swapped.content, swapped.info)).toThrow('its index is not in order')
    const short = altered(rlpEncode([firstKey, entries, parts.slice(0, 1)]))
    expect(() => directoryOf('segments/a', short.content, short.info)).toThrow('contradicts the list')
    expect(() => describeSegment('segments/a', content.subarray(0, -1))).toThrow('does not end as a segment does')
    expect(() => describeSegment('segments/a', content.subarray(-12))).toThrow('longer than the segment')
  })

  test('is found in a block whose stored form is longer than its entries', () => {
    const key = Uint8Array.of(1)
    const part = encodePart(
      [blockFields({ lastKey: key, storedLength: 5, length: 4, hash: new Uint8Array(32) })],
      new Uint8Array(0),
    )
    const ref = { lastKey: key, offset: 5, length: part.length, hash: sha256(part), blockOffset: 0, blockBytes: 5 }
    expect(() => decodePart('segments/a', part, ref)).toThrow('a block takes more bytes than it has')
  })
})

function infoOf({ content: _, filter: __, ...info }: BuiltSegment) {
  return info
}
