import { describe, expect, it } from 'vitest'
import { equalAddresses, hasAddress, sortAddresses } from '../../../../src/consensus/bft/addresses.ts'
import { proposerOf } from '../../../../src/consensus/bft/proposer.ts'
import { quorumOf } from '../../../../src/consensus/bft/quorum.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const VALIDATORS = [2, 4, 6, 8].map(address)

describe('quorum', () => {
  it('is two thirds, rounded up', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(quorumOf)).toEqual([1, 2, 2, 3, 4, 4, 5])
  })
})

describe('proposer', () => {
  const proposers = (parent: number): (number | undefined)[] =>
    [0, 1, 2, 3, 4].map((round) => proposerOf(VALIDATORS, address(parent), round)[0])

  it('follows the proposer of the parent', () => {
    expect(proposers(4)).toEqual([6, 8, 2, 4, 6])
    expect(proposers(8)).toEqual([2, 4, 6, 8, 2])
  })

  it('follows the position of a proposer that has left', () => {
    expect(proposers(5)).toEqual([6, 8, 2, 4, 6])
    expect(proposers(9)).toEqual([2, 4, 6, 8, 2])
    expect(proposers(0)).toEqual([2, 4, 6, 8, 2])
  })

  it('needs a validator', () => {
    expect(() => proposerOf([], address(1), 0)).toThrow(RangeError)
  })
})

describe('addresses', () => {
  it('are sorted, compared and found', () => {
    const sorted = sortAddresses([3, 1, 2, 3].map(address))
    expect(sorted.map((bytes) => bytes[0])).toEqual([1, 2, 3])
    expect(equalAddresses(sorted, [1, 2, 3].map(address))).toBe(true)
    expect(equalAddresses(sorted, [1, 3, 2].map(address))).toBe(false)
    expect(equalAddresses(sorted, [1, 2].map(address))).toBe(false)
    expect([hasAddress(sorted, address(2)), hasAddress(sorted, address(4))]).toEqual([true, false])
  })
})
