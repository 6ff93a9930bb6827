import fc from 'fast-check'
import { formatEther, formatGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { ether, grouped, gwei } from '../../../../src/base/primitives/amounts.ts'

describe('amounts', () => {
  it('are decimal, like those of viem', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 9n, max: 2n ** 128n }), (wei) => {
        expect(ether(wei)).toBe(`${formatEther(wei)} ETH`)
        expect(gwei(wei)).toBe(`${formatGwei(wei)} gwei`)
      }),
    )
    expect([ether(0n), ether(5n), ether(10n ** 18n)]).toEqual(['0 ETH', '5 wei', '1 ETH'])
  })

  it('of gas are grouped', () => {
    fc.assert(
      fc.property(fc.nat(), (count) => {
        expect(grouped(count)).toBe(count.toLocaleString('en-US'))
      }),
    )
  })
})
