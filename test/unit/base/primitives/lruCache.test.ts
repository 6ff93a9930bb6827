import { describe, expect, it } from 'vitest'
import { LruCache } from '../../../../src/base/primitives/lruCache.ts'

describe('LruCache', () => {
  it('evicts the least recently used entry', () => {
    const cache = new LruCache<string, number>(2)
    cache.set('a', 1)
    cache.set('b', 2)
    cache.get('a')
    cache.set('c', 3)
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3])
  })

  it('bounds the sum of weights', () => {
    const cache = new LruCache<string, number>(10)
    cache.set('a', 1, 6)
    cache.set('b', 2, 6)
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 2])
    cache.set('b', 3, 1)
    cache.set('c', 4, 9)
    expect([cache.get('b'), cache.get('c')]).toEqual([3, 4])
    cache.set('d', 5, 11)
    expect(cache.get('d')).toBeUndefined()
    expect(cache.size).toBe(2)
  })

  it('absorbs another cache', () => {
    const cache = new LruCache<string, number>(3)
    const other = new LruCache<string, number>(3)
    cache.set('a', 1)
    other.set('a', 2)
    other.set('b', 3)
    cache.absorb(other)
    expect([cache.get('a'), cache.get('b')]).toEqual([2, 3])
  })

  it('evicts in order of use after entries were read, replaced and deleted', () => {
    const cache = new LruCache<string, number>(4)
    const order: string[] = []
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, 1)
    cache.get('b')
    cache.get('b')
    cache.set('a', 2)
    cache.delete('d')
    cache.set('e', 1)
    for (const key of ['x', 'y', 'z', 'w']) {
      cache.set(key, 1)
      const left = ['c', 'b', 'a', 'e'].filter((name) => !order.includes(name))
      // Reading would change the order, so the test reads from a copy.
      const copy = new LruCache<string, number>(4)
      copy.absorb(cache)
      order.push(...left.filter((name) => copy.get(name) === undefined))
    }
    expect(order).toEqual(['c', 'b', 'a', 'e'])
    cache.clear()
    expect([cache.size, cache.get('w')]).toEqual([0, undefined])
    cache.set('f', 3)
    expect(cache.get('f')).toBe(3)
  })
})
