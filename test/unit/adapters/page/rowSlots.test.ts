import { describe, expect, it } from 'vitest'
import { rowSlots } from '../../../../adapters/page/components/rowSlots.ts'

const slotsAfter = (...shown: readonly (readonly string[])[]): number[] => [
  ...shown.reduce((before, keys) => rowSlots(keys, before, false), new Map<string, number>()).values(),
]

describe('the elements of the rows of a table', () => {
  it('stay with a row that stays', () => {
    expect(slotsAfter(['b', 'a'], ['c', 'b', 'a'])).toEqual([2, 0, 1])
  })

  it('pass from rows that go to rows that come, in their order', () => {
    expect(slotsAfter(['c', 'b', 'a'], ['f', 'e', 'd'])).toEqual([0, 1, 2])
    expect(slotsAfter(['c', 'b', 'a'], ['d', 'c', 'b'])).toEqual([2, 0, 1])
  })

  it('are as many as rows, after a shorter list too', () => {
    expect(slotsAfter(['c', 'b', 'a'], ['a'], ['a', 'x', 'y'])).toEqual([2, 3, 4])
    expect(slotsAfter(['a'], [], ['b', 'c'])).toEqual([0, 1])
  })

  it('do not pass to another row while a reader holds the table', () => {
    const before = rowSlots(['b', 'a'], new Map(), false)
    expect([...rowSlots(['c', 'b'], before, true)]).toEqual([
      ['c', 2],
      ['b', 0],
    ])
  })
})
