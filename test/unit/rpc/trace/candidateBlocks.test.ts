import { describe, expect, it } from 'vitest'
import type { ChainIndex } from '../../../../src/chain/contract.ts'
import { nextPossibleBlock } from '../../../../src/rpc/methods/trace/possibleBlocks.ts'

const [A, B, C] = [0xa1, 0xb2, 0xc3].map((byte) => new Uint8Array(20).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const PRECOMPILE = new Uint8Array(20).fill(9, 19)

const BLOCKS = new Map([
  [A, [2, 4, 7, 9]],
  [B, [3, 7, 8, 9]],
  [C, []],
])

const index: ChainIndex = {
  blocksWithLogs: () => [],
  blocksWithAccounts: (accounts, from, to) => {
    const numbers = accounts.flatMap((account) => BLOCKS.get(account) ?? []).sort((a, b) => a - b)
    return numbers.filter((number) => number >= from && number <= to)
  },
  skipDerived: (number) => number,
}

function candidates(lists: readonly (readonly Uint8Array[])[], from: number, to: number): number[] {
  const found: number[] = []
  for (let number = from; ; number++) {
    const next = nextPossibleBlock(index, lists, number, to)
    if (next === undefined) return found
    found.push(next)
    number = next
  }
}

describe('blocks that may have calls of accounts', () => {
  it('are all blocks without accounts', () => {
    expect(candidates([[], []], 3, 6)).toEqual([3, 4, 5, 6])
    expect(candidates([[], []], 6, 3)).toEqual([])
  })

  it('contain one account of each list', () => {
    expect(candidates([[A], []], 1, 8)).toEqual([2, 4, 7])
    expect(candidates([[], [A, B]], 1, 8)).toEqual([2, 3, 4, 7, 8])
    expect(candidates([[A], [B]], 1, 9)).toEqual([7, 9])
    expect(candidates([[A], [C]], 1, 9)).toEqual([])
  })

  it('ignore precompiled contracts, which the index does not cover completely', () => {
    expect(candidates([[], [PRECOMPILE, A]], 5, 7)).toEqual([5, 6, 7])
    expect(candidates([[A], [PRECOMPILE]], 1, 9)).toEqual([2, 4, 7, 9])
  })
})
