/** The tests that every store of objects has to pass. */
import { describe, expect, it } from 'vitest'
import type { ObjectReader, ObjectStore } from '../../../../src/base/ports/objectStore.ts'
import { eventually } from '../../../support/host/eventually.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const hash = (digit: string): string => digit.repeat(64)

/** Bytes of which no two parts of a few hundred bytes are equal. */
export function pattern(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8) * 13 + (i >> 16)) & 255)
}

/** Names of a list. */
export async function all(names: AsyncIterable<string>): Promise<string[]> {
  const list: string[] = []
  for await (const name of names) list.push(name)
  return list
}

/** @param open a reader of these objects */
export function objectReaderContract(
  name: string,
  open: (objects: Readonly<Record<string, Uint8Array>>) => Promise<ObjectReader>,
): void {
  describe(`${name} as a reader of objects`, () => {
    it('reads objects and ranges of them', async () => {
      const large = pattern(2_500_000)
      const reader = await open({ 'segments/a': large, 'mirror.json': text('{}'), empty: new Uint8Array(0) })
      const range = async (offset: number, length?: number): Promise<void> => {
        const expected = large.subarray(offset, length === undefined ? undefined : offset + length)
        expect(Buffer.compare((await reader.get('segments/a', offset, length)) ?? text('none'), expected)).toBe(0)
      }
      await range(0)
      await range(0, 1)
      await range(32_000, 32_768)
      await range(1_048_570, 20)
      await range(1_000_000, 1_200_000)
      await range(2_499_990)
      await range(2_499_990, 100)
      await range(0, 2_500_000)
      expect(await reader.get('segments/a', 2_500_000, 10)).toEqual(new Uint8Array(0))
      expect(await reader.get('segments/a', 9_000_000_000, 10)).toEqual(new Uint8Array(0))
      expect(await reader.get('segments/a', 5, 0)).toEqual(new Uint8Array(0))
      expect(await reader.get('mirror.json')).toEqual(text('{}'))
      expect(await reader.get('empty')).toEqual(new Uint8Array(0))
      await reader.close()
    })

    it('says that an object is absent', async () => {
      const reader = await open({ 'segments/a': pattern(10) })
      expect(await reader.get('segments/b')).toBeUndefined()
      expect(await reader.get('segments/b', 0, 10)).toBeUndefined()
      expect(await reader.get('segments/b', 3, 0)).toBeUndefined()
      expect(await reader.get('lists/b')).toBeUndefined()
      await reader.close()
    })

    it('returns bytes that the caller may change', async () => {
      const reader = await open({ 'segments/a': pattern(100) })
      ;(await reader.get('segments/a'))?.fill(0)
      expect(await reader.get('segments/a')).toEqual(pattern(100))
      await reader.close()
    })

    it.each(['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', 'A', 'a b', 'a_b', 'a:b', 'a?b', 'a%2fb', 'x'.repeat(201)])(
      'refuses the name %j',
      async (bad) => {
        const reader = await open({})
        await expect(reader.get(bad)).rejects.toThrow('is not a name of an object')
        await reader.close()
      },
    )

    it('refuses what is not a range', async () => {
      const reader = await open({ a: pattern(10) })
      for (const [offset, length] of [
        [-1, 1],
        [0, -1],
        [0.5, 1],
        [2 ** 53, 1],
        [0, 2 ** 53],
        [Number.NaN, 1],
      ] as const) {
        await expect(reader.get('a', offset, length)).rejects.toThrow('is not a number of bytes')
      }
      await reader.close()
    })
  })
}

/** @param open two users of one new store */
export function objectStoreContract(name: string, open: () => Promise<readonly [ObjectStore, ObjectStore]>): void {
  objectReaderContract(name, async (objects) => {
    const [writer, reader] = await open()
    for (const [each, bytes] of Object.entries(objects)) expect(await writer.create(each, bytes)).toBe('created')
    await writer.close()
    return reader
  })

  describe(`${name} as a store of objects`, () => {
    it('creates an object once', async () => {
      const [store, other] = await open()
      expect(await store.create('manifests/1', text('first'))).toBe('created')
      expect(await other.create('manifests/1', text('second'))).toBe('exists')
      expect(await store.create('manifests/1', text('first'))).toBe('exists')
      expect(await other.get('manifests/1')).toEqual(text('first'))
      await Promise.all([store.close(), other.close()])
    })

    it('lets one of many writers create an object, if it says so', async () => {
      const [store, other] = await open()
      const attempts = Array.from({ length: store.createsOnce ? 8 : 1 }, (_, i) => [text(`writer ${i}`), i] as const)
      const made = await Promise.all(
        attempts.map(([bytes, i]) => (i % 2 === 0 ? store : other).create('manifests/2', bytes)),
      )
      expect(made.filter((result) => result === 'created')).toHaveLength(1)
      expect(await other.get('manifests/2')).toEqual(attempts[made.indexOf('created')]?.[0])
      await Promise.all([store.close(), other.close()])
    })

    it('replaces hints', async () => {
      const [store, other] = await open()
      await store.put('latest', text('1'))
      await store.put('latest', text('22'))
      expect(await other.get('latest')).toEqual(text('22'))
      await Promise.all([store.close(), other.close()])
    })

    it('deletes objects, also absent ones', async () => {
      const [store, other] = await open()
      await store.create('segments/a', pattern(2_100_000))
      await store.delete('segments/a')
      await store.delete('segments/a')
      await store.delete('segments/b')
      expect(await other.get('segments/a')).toBeUndefined()
      expect(await other.get('segments/a', 2_000_000, 10)).toBeUndefined()
      expect(await all(other.list(''))).toEqual([])
      expect(await store.create('segments/a', text('again'))).toBe('created')
      expect(await other.get('segments/a')).toEqual(text('again'))
      await Promise.all([store.close(), other.close()])
    })

    it('lists names in order', async () => {
      const [store, other] = await open()
      const manifests = Array.from({ length: 12 }, (_, i) => `manifests/${String(i * 7).padStart(20, '0')}`)
      const names = [
        'latest',
        'mirror.json',
        ...manifests,
        `segments/${hash('a')}`,
        `segments/${hash('0')}`,
        'lists-old',
        'lists/b',
        'lists.txt',
      ]
      await Promise.all(names.map((each, i) => store.create(each, pattern(i === 14 ? 1_100_000 : i))))
      expect(await all(other.list(''))).toEqual([...names].sort())
      expect(await all(other.list('manifests/'))).toEqual(manifests)
      expect(await all(other.list('lists'))).toEqual(['lists-old', 'lists.txt', 'lists/b'])
      expect(await all(other.list('manifests/', manifests[3]))).toEqual(manifests.slice(4))
      expect(await all(other.list('', 'manifests/zzz'))).toEqual([
        'mirror.json',
        `segments/${hash('0')}`,
        `segments/${hash('a')}`,
      ])
      expect(await all(other.list('manifests/', 'segments/'))).toEqual([])
      expect(await all(other.list(`segments/${hash('a').slice(0, 10)}`))).toEqual([`segments/${hash('a')}`])
      expect(await all(other.list('none/'))).toEqual([])
      await Promise.all([store.close(), other.close()])
    })

    it('tells others of a new object, if it can', async () => {
      const [store, other] = await open()
      await store.create('manifests/1', text('1'))
      let calls = 0
      const end = other.watch?.(() => calls++)
      let next = 2
      // Until the subscription has begun, objects may go unnoticed.
      await eventually(async () => {
        if (end !== undefined) await store.create(`manifests/${next++}`, text('2'))
        expect(end === undefined || calls > 0).toBe(true)
      })
      end?.()
      await Promise.all([store.close(), other.close()])
    })
  })
}
