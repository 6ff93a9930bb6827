import { beforeAll, describe, expect, it } from 'vitest'
import type { FilterChanges } from '../../../../src/api/feeds/filterRegistry.ts'
import { Filters } from '../../../../src/api/feeds/filters.ts'
import type { LogFilter } from '../../../../src/api/logFilter.ts'
import {
  FILTER_TIMEOUT_MS,
  MAX_FILTER_BLOCKS,
  MAX_FILTER_CRITERIA,
  MAX_FILTER_ITEMS,
  MAX_FILTERS,
} from '../../../../src/base/limits/limits.ts'
import { StoreMiss } from '../../../../src/base/ports/keyValueStore.ts'
import { Emitter } from '../../../../src/base/primitives/events.ts'
import type { ChainEvents, ChainReader } from '../../../../src/chain/contract.ts'
import { logFilter } from '../../../../src/rpc/codecs/filter.ts'
import type { PoolEvents, PooledTransaction } from '../../../../src/txpool/contract.ts'
import { type Branches, openBranches, topicOf } from '../../../support/chains/logChain.ts'
import { testRandom } from '../../../support/host/testPorts.ts'

let branches: Branches

beforeAll(async () => {
  branches = await openBranches()
})

function open(chain: ChainReader = branches.chain) {
  const chainEvents = new Emitter<ChainEvents>()
  const poolEvents = new Emitter<PoolEvents>()
  const time = { ms: 0 }
  const filters = new Filters({
    chain,
    chainEvents,
    poolEvents,
    clock: { monotonic: () => time.ms },
    random: testRandom,
  })
  return { filters, chainEvents, poolEvents, time }
}

const NOTHING = { addresses: [], topics: [] }
const hashes = (changes: FilterChanges) => (changes.kind === 'hashes' ? changes.hashes : undefined)
const topics = (changes: FilterChanges) =>
  changes.kind === 'logs' ? changes.logs.map(({ log, removed }) => [Number(log.topics[0]?.at(-1)), removed]) : undefined
const code = (code: string) => expect.objectContaining({ details: { code } })

function pooled(hash: Uint8Array): PooledTransaction {
  return { hash } as PooledTransaction
}

/** The head moves from the left branch to the right one. */
function reorganisation(): ChainEvents['head'] {
  const { left, right } = branches
  return { head: right[1], added: right, removed: left }
}

describe('filters', () => {
  it('collect the hashes of new blocks', () => {
    const { filters, chainEvents } = open()
    const { left, right } = branches
    const early = filters.installBlockFilter()
    chainEvents.emit('head', { head: left[0], added: left, removed: [] })
    const late = filters.installBlockFilter()
    chainEvents.emit('head', reorganisation())
    expect(hashes(filters.changes(early))).toEqual([left[0].hash, right[0].hash, right[1].hash])
    expect(hashes(filters.changes(late))).toEqual([right[0].hash, right[1].hash])
    expect(hashes(filters.changes(early))).toEqual([])
  })

  it('collect the hashes of transactions that enter the pool', () => {
    const { filters, poolEvents } = open()
    const id = filters.installPendingTransactionFilter()
    const [first, second] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    poolEvents.emit('added', pooled(first))
    poolEvents.emit('added', pooled(second))
    expect(filters.changes(id)).toEqual({ kind: 'hashes', hashes: [first, second] })
    expect(hashes(filters.changes(id))).toEqual([])
  })

  it('return logs of removed blocks first, in reverse order, then those of the new branch', () => {
    const { filters, chainEvents } = open()
    const id = filters.installLogFilter(logFilter.parse({}))
    chainEvents.emit('head', reorganisation())
    expect(topics(filters.changes(id))).toEqual([
      [0x21, true],
      [0x20, true],
      [0x11, true],
      [0x10, true],
      [0x30, false],
      [0x31, false],
      [0x40, false],
      [0x41, false],
    ])
    expect(topics(filters.changes(id))).toEqual([])
  })

  it('match address and topics, and apply a numeric toBlock, but no fromBlock', () => {
    const { filters, chainEvents } = open()
    const install = (filter: unknown) => filters.installLogFilter(logFilter.parse(filter))
    const byTopic = install({ topics: [[topicOf(0x11), topicOf(0x40)]] })
    const byAddress = install({ address: branches.address, topics: [topicOf(0x31)] })
    const elsewhere = install({ address: `0x${'99'.repeat(20)}` })
    const bounded = install({ fromBlock: '0x100', toBlock: '0x2' })
    chainEvents.emit('head', { ...reorganisation(), removed: [] })
    expect(topics(filters.changes(byTopic))).toEqual([[0x40, false]])
    expect(topics(filters.changes(byAddress))).toEqual([[0x31, false]])
    expect(topics(filters.changes(elsewhere))).toEqual([])
    expect(topics(filters.changes(bounded))).toEqual([
      [0x30, false],
      [0x31, false],
    ])
  })

  it('have ids that cannot be guessed', () => {
    const { filters } = open()
    const ids = Array.from({ length: 100 }, () => filters.installBlockFilter())
    expect(new Set(ids).size).toBe(100)
    expect(ids.some((id) => id > 1n << 120n)).toBe(true)
    expect(ids.every((id) => id < 1n << 128n)).toBe(true)
  })

  it('have one kind each', () => {
    const { filters } = open()
    const filter = logFilter.parse({ fromBlock: '0x1' })
    expect(filters.logFilter(filters.installLogFilter(filter))).toBe(filter)
    expect(() => filters.logFilter(filters.installBlockFilter())).toThrow(code('LOGS_FILTER_NOT_FOUND'))
    expect(() => filters.changes(1n)).toThrow(code('FILTER_NOT_FOUND'))
  })

  it('are removed when they are uninstalled, whatever their kind', () => {
    const { filters } = open()
    const ids = [
      filters.installBlockFilter(),
      filters.installPendingTransactionFilter(),
      filters.installLogFilter(logFilter.parse({})),
    ]
    for (const id of ids) expect([filters.uninstall(id), filters.uninstall(id)]).toEqual([true, false])
    expect(filters.size).toBe(0)
  })

  it('listen only while a filter of the kind exists', () => {
    const { filters, chainEvents, poolEvents } = open()
    const listening = () => [chainEvents.has('head'), poolEvents.has('added')]
    expect(listening()).toEqual([false, false])
    const block = filters.installBlockFilter()
    const log = filters.installLogFilter(logFilter.parse({}))
    expect(listening()).toEqual([true, false])
    const transaction = filters.installPendingTransactionFilter()
    filters.uninstall(block)
    expect(listening()).toEqual([true, true])
    filters.uninstall(log)
    filters.uninstall(transaction)
    expect(listening()).toEqual([false, false])
  })

  it('time out when they are not polled, and are removed at the next event', () => {
    const { filters, chainEvents, time } = open()
    const polled = filters.installLogFilter(logFilter.parse({}))
    const read = filters.installLogFilter(logFilter.parse({}))
    const idle = filters.installBlockFilter()
    time.ms = FILTER_TIMEOUT_MS - 1
    filters.changes(polled)
    filters.logFilter(read)
    time.ms = FILTER_TIMEOUT_MS
    expect(() => filters.changes(idle)).toThrow(code('FILTER_NOT_FOUND'))
    expect(filters.uninstall(idle)).toBe(false)
    filters.changes(polled)
    filters.changes(read)
    time.ms += FILTER_TIMEOUT_MS
    chainEvents.emit('head', reorganisation())
    expect(filters.size).toBe(0)
    expect(chainEvents.has('head')).toBe(false)
  })

  it('are bounded in number; expired ones are evicted', () => {
    const { filters, time } = open()
    for (let i = 0; i < MAX_FILTERS; i++) filters.installBlockFilter()
    expect(() => filters.installBlockFilter()).toThrow(code('TOO_MANY_FILTERS'))
    time.ms = FILTER_TIMEOUT_MS
    expect(filters.installBlockFilter()).toBeGreaterThan(0n)
    expect(filters.size).toBe(1)
  })

  it('are bounded in addresses and topics', () => {
    const { filters } = open()
    const addresses = Array.from({ length: 1000 }, () => new Uint8Array(20))
    const big: LogFilter = { ...NOTHING, addresses, fromBlock: undefined, toBlock: undefined, blockHash: undefined }
    const ids = Array.from({ length: MAX_FILTER_CRITERIA / 1000 }, () => filters.installLogFilter(big))
    expect(() => filters.installLogFilter(big)).toThrow(code('TOO_MANY_FILTERS'))
    filters.uninstall(ids[0] as bigint)
    expect(filters.installLogFilter(big)).toBeGreaterThan(0n)
  })

  it('are removed when too many results are pending', () => {
    const { filters, chainEvents, poolEvents } = open()
    const transactions = filters.installPendingTransactionFilter()
    const transaction = pooled(new Uint8Array(32))
    for (let i = 0; i < MAX_FILTER_ITEMS; i++) poolEvents.emit('added', transaction)
    expect(hashes(filters.changes(transactions))).toHaveLength(MAX_FILTER_ITEMS)
    for (let i = 0; i < MAX_FILTER_ITEMS * 1.5; i++) poolEvents.emit('added', transaction)
    expect(() => filters.changes(transactions)).toThrow(code('FILTER_NOT_FOUND'))
    expect(filters.uninstall(transactions)).toBe(false)
    const blocks = filters.installBlockFilter()
    const { left } = branches
    for (let i = 0; i < MAX_FILTER_BLOCKS * 1.5; i++)
      chainEvents.emit('head', { head: left[0], added: left, removed: [] })
    expect(() => filters.changes(blocks)).toThrow(code('FILTER_NOT_FOUND'))
  })

  it('lose nothing when a poll throws StoreMiss', () => {
    const { chain } = branches
    let misses = 1
    const lossy = new Proxy(chain, {
      get: (target, name) => {
        if (name === 'storedLogsOf' && misses-- > 0) throw new StoreMiss({ kind: 'keys', keys: [] })
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { filters, chainEvents } = open(lossy)
    const id = filters.installLogFilter(logFilter.parse({ topics: [topicOf(0x30)] }))
    chainEvents.emit('head', reorganisation())
    expect(() => filters.changes(id)).toThrow(StoreMiss)
    expect(topics(filters.changes(id))).toEqual([[0x30, false]])
  })
})
