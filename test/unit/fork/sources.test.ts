import { describe, expect, it } from 'vitest'
import type { ForkSource } from '../../../src/fork/contract.ts'
import { memorySource } from '../../../src/fork/memorySource.ts'
import { layered } from '../../../src/fork/sources.ts'
import { bytes } from '../storage/contract.ts'

const [A, B, C] = [bytes(1, 1), bytes(1, 2), bytes(1, 3)]

describe('layered sources', () => {
  const open = () => {
    const [pack, cache] = [memorySource(), memorySource()]
    const source = layered([
      { name: 'pack', source: pack },
      { name: 'cache', source: cache },
    ])
    return { pack, cache, source }
  }

  it('answers from the first that has a value, in the order of the keys, and counts', async () => {
    const { pack, cache, source } = open()
    pack.put([[B, bytes(2)]])
    cache.put([
      [A, bytes(1, 1)],
      [B, bytes(9)],
    ])
    expect(await source.getMany([A, B, C])).toEqual([bytes(1, 1), bytes(2), undefined])
    expect(source.uses).toEqual([
      { name: 'pack', hits: 1, bytes: 1 },
      { name: 'cache', hits: 1, bytes: 2 },
    ])
    expect(source.misses).toBe(1)
  })

  it('gives a value to the sources before the one that had it, and not to those after it', async () => {
    const { pack, cache, source } = open()
    pack.put([[B, bytes(2)]])
    cache.put([[A, bytes(1)]])
    await source.getMany([A, B])
    expect(await pack.getMany([A])).toEqual([bytes(1)])
    expect(await cache.getMany([B])).toEqual([undefined])
  })

  it('puts into all of them', async () => {
    const { pack, cache, source } = open()
    source.put([[A, bytes(1)]])
    expect([await pack.getMany([A]), await cache.getMany([A])]).toEqual([[bytes(1)], [bytes(1)]])
  })

  it('closes all of them, also when one fails', async () => {
    const closed: string[] = []
    const closing = (name: string, error?: Error): ForkSource => ({
      ...memorySource(),
      close: async () => {
        closed.push(name)
        if (error !== undefined) throw error
      },
    })
    const source = layered([
      { name: 'pack', source: closing('pack', new Error('cannot be written')) },
      { name: 'cache', source: closing('cache') },
    ])
    await expect(source.close()).rejects.toThrow('cannot be written')
    expect(closed).toEqual(['pack', 'cache'])
  })
})

describe('the source in memory', () => {
  it('keeps the bytes of its bound, the most recently used ones', async () => {
    const source = memorySource(10_000)
    for (let i = 0; i < 100; i++) {
      source.put([[bytes(1, i), new Uint8Array(848)]])
      expect((await source.getMany([bytes(1, 0)]))[0]).toHaveLength(848)
    }
    const all = await source.getMany(Array.from({ length: 100 }, (_, i) => bytes(1, i)))
    expect(all.filter((value) => value !== undefined)).toHaveLength(10)
  })
})
