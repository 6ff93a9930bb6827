import { describe, expect, it } from 'vitest'
import type { LogCollector } from '../../../src/api/logCollector.ts'
import { LogMatcher } from '../../../src/api/logMatcher.ts'
import { type LogScanBackend, LogViews, scanLogs } from '../../../src/api/logScan.ts'
import { MAX_LOG_RESULTS } from '../../../src/base/limits/limits.ts'
import type { StoredLogs } from '../../../src/chain/contract.ts'
import { storedLogs } from '../../support/chains/storedLogs.ts'

const address = new Uint8Array(20).fill(1)
const topicOf = (value: number) => new Uint8Array(32).fill(value)

/** A block with this number of logs, whose topics are their index modulo 200. */
function block(number: number, logs: number, dataLength: number): StoredLogs {
  const data = new Uint8Array(dataLength)
  const all = Array.from({ length: logs }, (_, i) => ({ address, topics: [topicOf(i % 200)], data }))
  const half = Math.floor(logs / 2)
  return storedLogs({
    number,
    blockHash: topicOf(number),
    transactions: [
      { hash: topicOf(100), logs: all.slice(0, half) },
      { hash: topicOf(101), logs: all.slice(half) },
    ],
  })
}

function open(blocks: readonly StoredLogs[]) {
  const turns = { count: 0 }
  const backend = {
    chain: {
      lowestNumber: 0,
      head: { header: { number: BigInt(blocks.length - 1) } },
      index: {
        *blocksWithLogs(_: unknown, from: number, to: number) {
          for (let number = from; number <= to; number++) yield number
        },
        skipDerived: (number: number) => number,
      },
      storedLogs: (numbers: readonly number[]) => numbers.map((number) => blocks[number]),
    },
    yieldToHost: async () => {
      turns.count++
    },
  } as unknown as LogScanBackend
  return { backend, turns }
}

const scan = <C extends LogCollector>(backend: LogScanBackend, matcher: LogMatcher, collector: C) =>
  scanLogs(backend, matcher, { from: 0, to: 1000 }, collector, { signal: undefined })

const positions = ({ views }: LogViews) => views.map((view) => [view.blockNumber, view.transactionIndex, view.logIndex])

describe('a search for logs', () => {
  it('answers synchronously when one slice is enough', () => {
    const { backend, turns } = open([block(0, 3, 0), block(1, 0, 0), block(2, 2, 40)])
    const found = scan(backend, new LogMatcher({ addresses: [address], topics: [] }), new LogViews())
    expect(positions(found as LogViews)).toEqual([
      [0n, 0, 0],
      [0n, 1, 1],
      [0n, 1, 2],
      [2n, 0, 0],
      [2n, 1, 1],
    ])
    expect(turns.count).toBe(0)
  })

  it('yields within a large block, and finds each log once', async () => {
    const blocks = [block(0, 10, 0), block(1, 40_000, 32), block(2, 400, 30_000), block(3, 20_000, 0), block(4, 1, 0)]
    const { backend, turns } = open(blocks)
    const every = (await scan(backend, new LogMatcher({ addresses: [], topics: [] }), new LogViews())).views
    expect(every).toHaveLength(60_411)
    expect(every.map(({ logIndex }) => logIndex).slice(10, 40_010)).toEqual(Array.from({ length: 40_000 }, (_, i) => i))
    const turnsOfAll = turns.count
    expect(turnsOfAll).toBeGreaterThan(8)
    const rare = await scan(backend, new LogMatcher({ addresses: [], topics: [[topicOf(7)]] }), new LogViews())
    expect(rare.views.map(({ log }) => log.topics[0])).toEqual(Array.from(rare.views, () => topicOf(7)))
    expect(rare.views).toHaveLength(1 + 200 + 2 + 100)
    expect(turns.count - turnsOfAll).toBeLessThan(turnsOfAll)
  })

  it('is refused for too many logs, and ends with its request', async () => {
    const all = new LogMatcher({ addresses: [], topics: [] })
    const { backend } = open([block(0, 100_000, 1000)])
    const collector = { count: 0, add: () => collector.count++ }
    await scan(backend, all, collector)
    expect(collector.count).toBe(100_000)
    collector.count = MAX_LOG_RESULTS - 1
    const refused = expect.objectContaining({ details: { code: 'RANGE_TOO_LARGE' } })
    await expect((async () => scan(backend, all, collector))()).rejects.toEqual(refused)
    const signal = AbortSignal.abort()
    const aborted = scanLogs(backend, all, { from: 0, to: 0 }, new LogViews(), { signal })
    await expect(aborted).rejects.toMatchObject({ details: { code: 'TIMEOUT' } })
  })
})
