import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../../adapters/page/rpc/ask.ts'
import { Points, seriesOf } from '../../../../adapters/page/views/charts/points.ts'
import { MAX_POINTS, readRange, sampled, stepOf } from '../../../../adapters/page/views/charts/range.ts'

const range = (query: string, head: number) => readRange(new URLSearchParams(query), head)

describe('ranges', () => {
  it.each([
    ['', 1000, { from: 901, to: 1000, isLive: true }],
    ['last=500', 1000, { from: 501, to: 1000, isLive: true }],
    ['last=all', 1000, { from: 0, to: 1000, isLive: true }],
    ['last=5000', 10, { from: 0, to: 10, isLive: true }],
    ['from=5&to=10', 1000, { from: 5, to: 10, isLive: false }],
    ['from=5&to=9999', 1000, { from: 5, to: 1000, isLive: false }],
    ['from=10&to=5', 1000, { from: 901, to: 1000, isLive: true }],
    ['from=2000&to=3000', 1000, { from: 901, to: 1000, isLive: true }],
    ['last=-3', 1000, { from: 901, to: 1000, isLive: true }],
    ['', 0, { from: 0, to: 0, isLive: true }],
  ])('reads %s at head %i', (query, head, expected) => expect(range(query, head)).toEqual(expected))

  it('draws each block of a short range', () => {
    expect(sampled({ from: 3, to: 6, isLive: true })).toEqual([3, 4, 5, 6])
    expect(sampled({ from: 0, to: 0, isLive: true })).toEqual([0])
  })

  it('draws a bounded number of blocks of a long range, on a grid that stays when the head moves', () => {
    const before = sampled({ from: 0, to: 20_000_000, isLive: true })
    expect(before.length).toBeLessThanOrEqual(MAX_POINTS + 1)
    expect(before.at(-1)).toBe(20_000_000)
    const after = sampled({ from: 1, to: 20_000_001, isLive: true })
    expect(after.slice(0, -1)).toEqual(before.slice(1, -1))
    expect(stepOf({ from: 0, to: 20_000_000, isLive: true })).toBe(65_536)
  })
})

/** A node with a block each 12 seconds; blobs from block 5 on. */
function node(): { readonly ask: Ask; readonly asked: string[] } {
  const asked: string[] = []
  const answer = (method: string, params: readonly unknown[]): unknown => {
    if (method === 'eth_feeHistory') return { baseFeePerBlobGas: ['0x1', '0x1'] }
    const number = Number(params[0])
    if (number > 8) return null
    const fields = {
      number: params[0],
      timestamp: `0x${(1000 + 12 * number).toString(16)}`,
      gasUsed: '0x64',
      gasLimit: '0xc8',
    }
    return { ...fields, baseFeePerGas: '0x7', ...(number >= 5 ? { excessBlobGas: '0x0' } : {}) }
  }
  const ask = async (method: string, ...params: readonly unknown[]): Promise<never> => {
    asked.push(`${method} ${params[method === 'eth_feeHistory' ? 1 : 0]}`)
    return answer(method, params) as never
  }
  return { ask, asked }
}

describe('points', () => {
  it('asks for each block once, and leaves out those that the node lacks', async () => {
    const { ask, asked } = node()
    const points = new Points()
    const first = await points.load(ask, [4, 5, 9])
    expect(first.map(({ number, blobFee }) => [number, blobFee])).toEqual([
      [4, null],
      [5, 1],
    ])
    await points.load(ask, [4, 5])
    expect(asked).toEqual([
      'eth_getBlockByNumber 0x4',
      'eth_getBlockByNumber 0x5',
      'eth_getBlockByNumber 0x9',
      'eth_feeHistory 0x5',
    ])
  })

  it('makes series of shares, fees and times, without the time of the genesis block', async () => {
    const series = seriesOf(await new Points().load(node().ask, [0, 4, 8]))
    expect(series.map(({ id, values }) => [id, values])).toEqual([
      ['gas', [50, 50, 50]],
      ['baseFee', [7, 7, 7]],
      ['blobFee', [null, null, 1]],
      ['blockTime', [null, null, 12]],
    ])
    expect(series[1]?.format(1_234_567_890)).toBe('1.23 Gwei')
    expect(series[1]?.format(441_000)).toBe('441 kwei')
    expect(seriesOf([])).toEqual([])
  })
})
