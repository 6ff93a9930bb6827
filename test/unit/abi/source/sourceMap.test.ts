import { describe, expect, it } from 'vitest'
import { SourceMap } from '../../../../src/abi/source/sourceMap.ts'

/** PUSH1 0x5b; JUMPDEST; PUSH2 0x0000; JUMP; STOP */
const CODE = Uint8Array.of(0x60, 0x5b, 0x5b, 0x61, 0, 0, 0x56, 0)

describe('a source map', () => {
  it('gives each instruction its range; the data of a PUSH belong to it', () => {
    const map = new SourceMap('1:2:0:-:0;:9;5:1:1:i;;10', CODE)
    expect(map.rangeAt(0)).toEqual({ file: 0, start: 1, end: 3 })
    expect(map.rangeAt(1)).toEqual({ file: 0, start: 1, end: 3 })
    expect(map.rangeAt(2)).toEqual({ file: 0, start: 1, end: 10 })
    expect(map.rangeAt(5)).toEqual({ file: 1, start: 5, end: 6 })
    expect(map.rangeAt(7)).toEqual({ file: 1, start: 10, end: 11 })
    expect([0, 2, 3, 6, 7].map((pc) => map.jumpAt(pc))).toEqual(['other', 'other', 'in', 'in', 'in'])
  })

  it('knows nothing beyond its entries and beyond the code', () => {
    const map = new SourceMap('1:2:0:o;', CODE)
    expect(map.jumpAt(0)).toBe('out')
    expect(map.rangeAt(2)).toBeUndefined()
    expect(map.rangeAt(8)).toBeUndefined()
    expect(map.jumpAt(8)).toBe('other')
    expect(new SourceMap('1:2:0', new Uint8Array()).rangeAt(0)).toBeUndefined()
  })

  it('ignores entries without code, and marks generated code by -1', () => {
    expect(new SourceMap(`${'1:2:-1;'.repeat(50)}`, CODE).rangeAt(7)).toEqual({ file: -1, start: 1, end: 3 })
  })

  it.each(['', ';;;', 'x:y:z;', '::::::;', '99999999999999999999:1:1', '-5:-7:0'])('has no fault for %j', (text) => {
    const map = new SourceMap(text, CODE)
    for (let pc = 0; pc < CODE.length; pc++) map.rangeAt(pc)
    expect([...map.rangesUpTo(6)].length).toBeLessThanOrEqual(4)
  })

  it('names the ranges that ran since the last jump', () => {
    const map = new SourceMap('1:1:0;2;3;4;5', CODE)
    expect([...map.rangesUpTo(6)].map(({ start }) => start)).toEqual([4, 3, 2])
    expect([...map.rangesUpTo(0)].map(({ start }) => start)).toEqual([1])
    expect([...map.rangesUpTo(99)]).toEqual([])
  })
})
