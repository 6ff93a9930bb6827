import * as fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type {
  AsyncKeyValueStore,
  Entry,
  KeyValueStore,
  Mutation,
  RangeOptions,
} from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed, compareBytes } from '../../../src/base/primitives/bytes.ts'

/** The operations of any kind of store, answered asynchronously. */
export interface StoreUnderTest {
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>
  range(options: RangeOptions): Promise<Entry[]>
  commit(batch: readonly Mutation[]): Promise<void>
  close(): Promise<void>
}

export function synchronous(store: KeyValueStore): StoreUnderTest {
  return {
    getMany: async (keys) => {
      const many = store.getMany(keys)
      expect(keys.map((key) => store.get(key))).toEqual(many)
      return many
    },
    range: async (options) => [...store.range(options)],
    commit: async (batch) => store.commit(batch),
    close: async () => store.close(),
  }
}

export function asynchronous(store: AsyncKeyValueStore): StoreUnderTest {
  return store
}

export const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)

export const put = (key: Uint8Array, value: Uint8Array): Mutation => ({ key, value })

export const remove = (key: Uint8Array): Mutation => ({ key, value: undefined })

/** Few distinct bytes, so that keys share prefixes and collide; 0x00 and 0xff because they test range bounds. */
const keyArbitrary = fc
  .tuple(fc.constantFrom(0x01, 0x20, 0xff), fc.array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), { maxLength: 4 }))
  .map(([column, rest]) => bytes(column, ...rest))
const valueArbitrary = fc.uint8Array({ maxLength: 40 })
const batchArbitrary = fc.array(
  fc.record({ key: keyArbitrary, value: fc.option(valueArbitrary, { nil: undefined, freq: 3 }) }),
  { maxLength: 12 },
)
const rangeArbitrary = fc.record(
  {
    prefix: fc.oneof(
      keyArbitrary,
      keyArbitrary.map((key) => key.slice(0, 1)),
    ),
    from: keyArbitrary,
    limit: fc.nat(8),
    reverse: fc.boolean(),
  },
  { requiredKeys: ['prefix'] },
) as fc.Arbitrary<RangeOptions>

type Model = Map<string, Entry>

function apply(model: Model, batch: readonly Mutation[]): void {
  for (const { key, value } of batch) {
    if (value === undefined) model.delete(bytesToHexUnprefixed(key))
    else model.set(bytesToHexUnprefixed(key), [key, value])
  }
}

function expectedRange(model: Model, { prefix, from, limit, reverse }: RangeOptions): Entry[] {
  const direction = reverse ? -1 : 1
  return [...model.values()]
    .filter(([key]) => compareBytes(key.slice(0, prefix.length), prefix) === 0)
    .filter(([key]) => from === undefined || compareBytes(key, from) * direction >= 0)
    .sort(([a], [b]) => compareBytes(a, b) * direction)
    .slice(0, limit)
}

function plain(entries: readonly Entry[]): string[] {
  return entries.map(([key, value]) => `${bytesToHexUnprefixed(key)}=${bytesToHexUnprefixed(value)}`)
}

export interface ContractOptions {
  /** Number of runs of the property test. */
  readonly runs?: number
}

/** The behaviour of every store. `open` returns an empty store. */
export function storeContract(
  name: string,
  open: () => StoreUnderTest | Promise<StoreUnderTest>,
  { runs = 100 }: ContractOptions = {},
): void {
  describe(`store contract: ${name}`, () => {
    let store: StoreUnderTest | undefined
    const opened = async () => {
      store = await open()
      return store
    }
    afterEach(async () => {
      await store?.close()
      store = undefined
    })

    test('returns stored values, including empty ones, and undefined for absent keys', async () => {
      const store = await opened()
      await store.commit([put(bytes(1, 2), bytes(7)), put(bytes(1, 3), bytes())])
      const [a, b, c] = await store.getMany([bytes(1, 2), bytes(1, 3), bytes(1)])
      expect([a, b, c]).toEqual([bytes(7), bytes(), undefined])
    })

    test('applies the last of several writes of one key in a batch', async () => {
      const store = await opened()
      const [kept, gone] = [bytes(1, 1), bytes(1, 2)]
      await store.commit([put(kept, bytes(1)), put(gone, bytes(1)), remove(kept), remove(gone), put(kept, bytes(2))])
      expect(await store.getMany([kept, gone])).toEqual([bytes(2), undefined])
      expect(plain(await store.range({ prefix: bytes(1) }))).toEqual(['0101=02'])
    })

    test('an empty batch and deletions of absent keys change nothing', async () => {
      const store = await opened()
      await store.commit([])
      await store.commit([remove(bytes(1, 1))])
      expect(await store.range({ prefix: bytes(1) })).toEqual([])
    })

    test('a reverse range starts at its bound when no such key exists', async () => {
      const store = await opened()
      await store.commit([1, 3, 5].map((n) => put(bytes(0x16, n), bytes(n))))
      const last = await store.range({ prefix: bytes(0x16), from: bytes(0x16, 4), reverse: true, limit: 1 })
      expect(plain(last)).toEqual(['1603=03'])
    })

    test('a prefix of 0xff bytes has an end', async () => {
      const store = await opened()
      await store.commit([put(bytes(0x20, 0xff, 0xff), bytes(1)), put(bytes(0x21), bytes(2))])
      expect(plain(await store.range({ prefix: bytes(0x20, 0xff) }))).toEqual(['20ffff=01'])
    })

    test('returned values are not changed by later writes', async () => {
      const store = await opened()
      const key = bytes(1, 1)
      await store.commit([put(key, bytes(1, 1, 1))])
      const [before] = await store.getMany([key])
      const [entry] = await store.range({ prefix: bytes(1) })
      for (let i = 0; i < 50; i++) await store.commit([put(key, bytes(2, 2, i)), put(bytes(2, i), bytes(9))])
      await store.getMany([key])
      expect([before, entry?.[1]]).toEqual([bytes(1, 1, 1), bytes(1, 1, 1)])
    })

    test('behaves like a sorted map', async () => {
      const property = fc.asyncProperty(fc.array(batchArbitrary, { maxLength: 6 }), fc.array(rangeArbitrary), check)
      await fc.assert(property, { numRuns: runs, seed: 20260726 })
    })

    async function check(batches: readonly Mutation[][], ranges: readonly RangeOptions[]): Promise<void> {
      const store = await open()
      const model: Model = new Map()
      try {
        for (const batch of batches) {
          await store.commit(batch)
          apply(model, batch)
          const keys = batch.map(({ key }) => key)
          const expected = keys.map((key) => model.get(bytesToHexUnprefixed(key))?.[1])
          expect(await store.getMany(keys)).toEqual(expected)
          for (const range of ranges)
            expect(plain(await store.range(range))).toEqual(plain(expectedRange(model, range)))
        }
      } finally {
        await store.close()
      }
    }
  })
}
