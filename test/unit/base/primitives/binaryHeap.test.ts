import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BinaryHeap } from '../../../../src/base/primitives/binaryHeap.ts'

const below = (a: number, b: number): boolean => a < b

describe('a binary heap', () => {
  it('returns its items in order, regardless of insertion order', () => {
    const step = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(undefined))
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.array(step), (first, steps) => {
        const heap = new BinaryHeap(below, [...first])
        const model = [...first]
        for (const item of steps) {
          model.sort((a, b) => a - b)
          expect(heap.size).toBe(model.length)
          expect(heap.peek()).toBe(model[0])
          if (item === undefined) expect(heap.pop()).toBe(model.shift())
          else {
            heap.push(item)
            model.push(item)
          }
        }
        model.sort((a, b) => a - b)
        expect(model.map(() => heap.pop())).toEqual(model)
        expect(heap.pop()).toBeUndefined()
      }),
    )
  })
})
