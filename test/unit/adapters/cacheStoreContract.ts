import { describe, expect, it } from 'vitest'
import type { CacheStore } from '../../../src/base/ports/cacheStore.ts'
import { bytes, put, remove } from '../storage/contract.ts'

/** @param open two stores over the same new data */
export function cacheStoreContract(name: string, open: () => [CacheStore, CacheStore]): void {
  describe(`${name} as the store of a cache`, () => {
    const counter = bytes(0xff)
    const increase = (store: CacheStore): Promise<void> =>
      store.update(counter, (value) => [put(counter, bytes((value?.[0] ?? 0) + 1))])

    it('reads and writes in one step, also beside another user', async () => {
      const [first, second] = open()
      await Promise.all(Array.from({ length: 40 }, (_, i) => increase(i % 2 === 0 ? first : second)))
      expect(await first.getMany([counter])).toEqual([bytes(40)])
      expect(await second.getMany([bytes(1), counter])).toEqual([undefined, bytes(40)])
      await Promise.all([first.close(), second.close()])
    })

    it('writes nothing of a step that fails', async () => {
      const [store, other] = open()
      const fails = (): never => {
        throw new Error('no value')
      }
      await expect(store.update(counter, fails)).rejects.toThrow('no value')
      await increase(store)
      expect(await store.getMany([counter])).toEqual([bytes(1)])
      await Promise.all([store.close(), other.close()])
    })

    it('deletes the first keys below another, at most as many as it should', async () => {
      const [store, other] = open()
      const keys = Array.from({ length: 10 }, (_, i) => bytes(0, 0, 0, i))
      await store.update(counter, () => keys.map((key) => put(key, key)))
      const left = async (): Promise<number> => (await store.getMany(keys)).filter((key) => key !== undefined).length
      await store.deleteBelow(bytes(0, 0, 0, 7), 5)
      expect(await left()).toBe(5)
      await store.deleteBelow(bytes(0, 0, 0, 7), 5)
      await store.deleteBelow(bytes(0, 0, 0, 7), 5)
      expect(await store.getMany(keys)).toEqual([...new Array(7).fill(undefined), ...keys.slice(7)])
      await Promise.all([store.close(), other.close()])
    })

    it('keeps values of all lengths, and the bytes of views only', async () => {
      const [store, other] = open()
      const lengths = [0, 1, 1900, 1984, 5000, 24_576, 1_000_000]
      const values = lengths.map((length) => new Uint8Array(length + 2).fill(length & 255).subarray(1, length + 1))
      await store.update(counter, () => [...values.map((value, i) => put(bytes(1, i), value)), remove(bytes(2))])
      const found = await store.getMany(values.map((_, i) => bytes(1, i)))
      found.forEach((value, i) => {
        expect(value).toHaveLength(lengths[i] as number)
        expect(value?.every((byte) => byte === ((lengths[i] as number) & 255))).toBe(true)
      })
      await Promise.all([store.close(), other.close()])
    })
  })
}
