import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Mutation, RangeOptions } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, concatBytes, uintBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { sha256 } from '../../../src/base/primitives/sha256.ts'
import { mirrorUnavailable } from '../../../src/mirror/errors.ts'
import { MirrorFollower } from '../../../src/mirror/follower.ts'
import { ReadBudget } from '../../../src/mirror/read/readBudget.ts'
import { SegmentSource } from '../../../src/mirror/read/segmentSource.ts'
import { SegmentStore } from '../../../src/mirror/segmentStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { MemoryObjects, type ReadFault } from '../../support/mirror/memoryObjects.ts'
import { TEST_MIRROR_PUBLISHER, TestPublisher } from '../../support/mirror/testPublisher.ts'

/** Of a published column. */
const key = (column: number, ...rest: number[]): Uint8Array => Uint8Array.of(0x0f + column, ...rest)

const keys = fc.tuple(fc.constantFrom(1, 2), fc.nat(3), fc.nat(5)).map((parts) => key(...parts))
const batches = fc.array(
  fc.record({ key: keys, value: fc.option(fc.uint8Array({ minLength: 1, maxLength: 40 }), { nil: undefined }) }),
  { minLength: 1, maxLength: 12 },
)
/** A commit, or a merge of all that there is. */
const steps = fc.array(fc.oneof({ weight: 5, arbitrary: batches }, { weight: 1, arbitrary: fc.constant('merge') }), {
  minLength: 1,
  maxLength: 12,
})

const ranges: RangeOptions[] = [
  { prefix: key(1) },
  { prefix: key(1), reverse: true },
  { prefix: key(2), from: key(2, 1, 2), limit: 3 },
  { prefix: key(2), from: key(2, 2, 9), limit: 4, reverse: true },
  { prefix: new Uint8Array(0) },
  { prefix: key(2, 3), limit: 1 },
]

const everyKey = [1, 2].flatMap((column) =>
  [0, 1, 2, 3, 4].flatMap((a) => [0, 1, 2, 3, 4, 5, 6].map((b) => key(column, a, b))),
)

async function open(objects: MemoryObjects, cacheBytes = 16 << 20) {
  const source = new SegmentSource(objects, { cacheBytes })
  const follower = await MirrorFollower.open({ objects, source, publisher: TEST_MIRROR_PUBLISHER })
  return { source, follower, store: () => new SegmentStore(follower.view, source) }
}

/** Vitest compares byte strings slowly. */
const texts = (values: readonly (Uint8Array | undefined)[]) => values.map((value) => value && bytesToHex(value))

async function expectSame(store: SegmentStore, memory: MemoryStore): Promise<void> {
  expect(texts(await store.getMany(everyKey))).toEqual(texts(memory.getMany(everyKey)))
  for (const range of ranges) {
    expect((await store.range(range)).map(texts)).toEqual([...memory.range(range)].map(texts))
  }
}

function copyOf(memory: MemoryStore): MemoryStore {
  const copy = new MemoryStore()
  copy.commit([...memory.range({ prefix: new Uint8Array(0) })].map(([key, value]) => ({ key, value })))
  return copy
}

describe('the store of a view', () => {
  test('reads nothing for what the newest segments have, which came with their manifests', async () => {
    const objects = new MemoryObjects()
    const publisher = new TestPublisher(objects)
    const value = (byte: number): Uint8Array => new Uint8Array(8).fill(byte)
    await publisher.commit([1, 2, 3].map((n) => ({ key: key(1, n), value: value(n) })))
    await publisher.merge()
    await publisher.commit([
      { key: key(1, 1), value: value(9) },
      { key: key(1, 2), value: undefined },
    ])
    const { store } = await open(objects)
    objects.reads.length = 0
    expect(await store().getMany([key(1, 1), key(1, 2)])).toEqual([value(9), undefined])
    expect(objects.reads).toEqual([])
    expect(await store().getMany([key(1, 1), key(1, 3)])).toEqual([value(9), value(3)])
    expect(objects.reads).not.toEqual([])
  })

  test('gives every value and range of each manifest, also after newer ones', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(0, 90, 131_072), async (list, inlineBytes) => {
        const objects = new MemoryObjects()
        const publisher = new TestPublisher(objects, { inlineBytes, segmentBytes: 60 })
        const memory = new MemoryStore()
        await publisher.publish({})
        const { follower, store } = await open(objects)
        const views: [SegmentStore, MemoryStore][] = []
        for (const step of list) {
          if (step === 'merge') await publisher.merge()
          else {
            await publisher.commit(step)
            memory.commit(step)
          }
          await follower.next()
          views.push([store(), copyOf(memory)])
        }
        for (const [view, expected] of views) await expectSame(view, expected)
      }),
      { numRuns: 12 },
    )
  })

  test('says which keys a newer manifest may have changed', async () => {
    const objects = new MemoryObjects()
    const publisher = new TestPublisher(objects)
    await publisher.commit([{ key: key(1), value: key(1) }])
    const { follower } = await open(objects)
    expect(await follower.next()).toBeUndefined()
    await publisher.commit([{ key: key(2), value: key(1) }])
    await publisher.merge()
    await publisher.commit([{ key: key(3), value: undefined }])
    const step = await follower.next()
    expect(step?.changed?.map(bytesToHex)).toEqual([key(2), key(3)].map(bytesToHex))
    expect(step?.view.manifest.number).toBe(4)
  })

  test('never gives a wrong value, whatever the store does, and goes on afterwards', async () => {
    const kinds = ['wrong', 'short', 'absent', 'down', 'other', 'html'] as const
    const faults = fc.array(fc.tuple(fc.nat(6), fc.constantFrom(...kinds), fc.nat()), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(steps, faults, async (list, faultList) => {
        const objects = new MemoryObjects()
        const publisher = new TestPublisher(objects, { inlineBytes: 60, segmentBytes: 60 })
        const memory = new MemoryStore()
        await publisher.publish({})
        // Smaller than a block, so that everything is read again.
        const { follower, store } = await open(objects, 1000)
        for (const step of list) {
          if (step === 'merge') await publisher.merge()
          else {
            await publisher.commit(step)
            memory.commit(step)
          }
        }
        const before = copyOf(memory)
        await follower.next()
        objects.readFault = faulty(objects, faultList)
        for (const batch of list.slice(0, 3)) {
          if (batch === 'merge') continue
          await publisher.commit(batch)
          memory.commit(batch)
          await refused(() => follower.next())
          const expected = follower.view.manifest.number === publisher.number ? memory : undefined
          const values = await refused(() => store().getMany(everyKey))
          if (values !== undefined && expected !== undefined)
            expect(texts(values)).toEqual(texts(expected.getMany(everyKey)))
          await refused(() => store().range({ prefix: key(1) }))
        }
        objects.readFault = undefined
        for (let i = 0; i < 12; i++) await follower.next()
        expect(before).toBeDefined()
        await expectSame(store(), memory)
      }),
      { numRuns: 12 },
    )
  })

  test('reads the index once, and a key in one wave', async () => {
    const objects = new MemoryObjects()
    const publisher = new TestPublisher(objects, { inlineBytes: 0, segmentBytes: 300_000 })
    await publisher.commit(manyEntries(8000))
    await publisher.merge()
    const { store, source } = await open(objects)
    objects.resetCounts()
    const [value] = await store().getMany([keyOf(4711)])
    expect(value).toEqual(sha256(keyOf(4711)))
    expect(objects.waves).toBe(2)
    objects.resetCounts()
    await store().getMany([keyOf(4712), keyOf(17), keyOf(7000), key(9)])
    expect(objects.waves).toBe(1)
    expect(objects.readBytes).toBeLessThan(150_000)
    const { reads } = source.counts
    await store().getMany([keyOf(4711), keyOf(17), keyOf(7000), key(9)])
    expect(source.counts.reads).toBe(reads)
  })

  test('reads neighbouring blocks together', async () => {
    const objects = new MemoryObjects()
    const publisher = new TestPublisher(objects, { inlineBytes: 0, segmentBytes: 4_000_000 })
    await publisher.commit(manyEntries(8000))
    await publisher.merge()
    const { store } = await open(objects)
    await store().getMany([key(1)])
    objects.resetCounts()
    expect(await store().range({ prefix: key(1) })).toHaveLength(8000)
    expect(objects.reads.length).toBeLessThan(8)
  })

  test('refuses reads beyond the budget of a request, and commits', async () => {
    const objects = new MemoryObjects()
    const publisher = new TestPublisher(objects, { inlineBytes: 0, segmentBytes: 150_000 })
    await publisher.commit(manyEntries(4000))
    await publisher.merge()
    const { follower, source } = await open(objects)
    const limited = new SegmentStore(follower.view, source, new ReadBudget(1))
    await expect(limited.getMany([keyOf(1), keyOf(3999)])).rejects.toThrow('more than 1 reads')
    await expect(new SegmentStore(follower.view, source).commit()).rejects.toMatchObject({ code: 'READ_ONLY' })
  })
})

function keyOf(i: number): Uint8Array {
  return concatBytes(key(1), uintBytes(i, 6))
}

function manyEntries(count: number): Mutation[] {
  return Array.from({ length: count }, (_, i) => ({ key: keyOf(i), value: sha256(keyOf(i)) }))
}

/** The result, or undefined after one of the errors that a mirror may give. */
async function refused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isNodeError(error) && /^MIRROR_/.test(error.code)) return undefined
    throw error
  }
}

/** Every few reads, the store does something else than it should. */
function faulty(objects: MemoryObjects, list: readonly (readonly [number, string, number])[]): ReadFault {
  let fault = 0
  let left = 0
  return ({ name, offset, length }, bytes) => {
    if (left-- > 0 || bytes === undefined) return bytes
    const [pause, kind, seed] = list[fault++ % list.length] as readonly [number, string, number]
    left = pause
    if (kind === 'down') throw mirrorUnavailable(name, 'the store is down')
    if (kind === 'absent') return undefined
    if (kind === 'short') return bytes.subarray(0, seed % (bytes.length + 1))
    if (kind === 'html') return new TextEncoder().encode('<html>Not found</html>')
    if (kind === 'other')
      return [...objects.objects.values()][seed % objects.objects.size]?.slice(offset, offset + length)
    const changed = bytes.slice()
    if (changed.length > 0) changed[seed % changed.length] = (changed[seed % changed.length] as number) ^ 0x5a
    return changed
  }
}
