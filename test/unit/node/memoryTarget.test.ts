import { describe, expect, it } from 'vitest'
import { BODY_CACHE_BYTES } from '../../../src/base/limits/limits.ts'
import { BLOCK_CACHE_BYTES, MIN_MEMORY_BYTES } from '../../../src/base/limits/memoryShares.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()

const TARGETS = { small: MIN_MEMORY_BYTES, large: 4 * 1024 * 1024 * 1024 }
const settingsAt = (target: number) => settingsOf({ ...defaultOptions(true), 'memory-target': target }, true)
const SMALL = settingsAt(TARGETS.small).memory

/** Counts the reads of each column. */
class CountingStore extends MemoryStore {
  readonly reads = new Map<number, number>()

  override get(key: Uint8Array): Uint8Array | undefined {
    const column = key[0] as number
    this.reads.set(column, this.readsOf(column) + 1)
    return super.get(key)
  }

  readsOf(column: number): number {
    return this.reads.get(column) ?? 0
  }
}

const DATA_BYTES = 100_000
const BLOCKS = Math.ceil((SMALL.blocks * BODY_CACHE_BYTES) / BLOCK_CACHE_BYTES / DATA_BYTES) + 1
const CODE_BYTES = 24_000
const CONTRACTS = Math.ceil(SMALL.codes / CODE_BYTES) + 1
const contract = (number: number): string => `0x${number.toString(16).padStart(40, 'c')}`
const codeOf = (number: number): string => `0x${number.toString(16).padStart(4, '0')}${'00'.repeat(CODE_BYTES - 2)}`

/** Reads of a column when the same requests are repeated. */
async function repeatedReads(kv: CountingStore, column: number, requests: () => Promise<void>): Promise<number> {
  await requests()
  const before = kv.readsOf(column)
  await requests()
  return kv.readsOf(column) - before
}

describe('the memory target', () => {
  it('bounds the memory of decoded blocks', async () => {
    const reads = async (target: number): Promise<number> => {
      const kv = new CountingStore()
      const { rpc } = await open({ 'memory-target': target }, kv)
      const [from] = (await rpc('eth_accounts')) as [string]
      const data = `0x${'00'.repeat(DATA_BYTES)}`
      for (let i = 0; i < BLOCKS; i++) await rpc('eth_sendTransaction', { from, to: from, data, gas: '0xf00000' })
      return repeatedReads(kv, Column.body, async () => {
        for (let i = 1; i <= BLOCKS; i++) await rpc('eth_getBlockByNumber', `0x${i.toString(16)}`, true)
      })
    }
    expect(await reads(TARGETS.small)).toBeGreaterThan(0)
    expect(await reads(TARGETS.large)).toBe(0)
  })

  it('bounds the memory of code', async () => {
    const alloc = Object.fromEntries(
      Array.from({ length: CONTRACTS }, (_, i) => [contract(i), { balance: '0x0', code: codeOf(i) }]),
    )
    const genesis = { ...devGenesis(), alloc }
    const reads = async (target: number): Promise<number> => {
      const kv = new CountingStore()
      const { rpc } = await open({ 'memory-target': target }, kv, {}, genesis)
      return repeatedReads(kv, Column.code, async () => {
        for (let i = 0; i < CONTRACTS; i++) await rpc('eth_getCode', contract(i), 'latest')
      })
    }
    expect(await reads(TARGETS.small)).toBe(CONTRACTS)
    expect(await reads(TARGETS.large)).toBe(0)
  })

  it('bounds the memory of calls', async () => {
    // MSTORE8 at an offset above the share.
    const offset = SMALL.executions.toString(16).padStart(8, '0')
    const code = `0x600163${offset}53`
    const call = ({ rpc }: OpenedNode): Promise<unknown> =>
      rpc('eth_call', { to: contract(1), gas: '0xffffffffff' }, 'latest', { [contract(1)]: { code } })
    const options = { 'rpc-call-gas-cap': 0n }
    const small = await open({ ...options, 'memory-target': TARGETS.small })
    await expect(call(small)).rejects.toThrow(/memory/)
    const large = await open({ ...options, 'memory-target': TARGETS.large })
    expect(await call(large)).toBe('0x')
  })

  it('bounds the memory of the pool', () => {
    expect(settingsAt(TARGETS.small).pool.maxBytes).toBe(SMALL.pool)
  })

  it('bounds the unsent bytes of all connections', async () => {
    const { node } = await open({ 'memory-target': TARGETS.small })
    expect(node.outbound.holdLimit).toBe((SMALL.outbound / 4) * 3)
  })

  it('is divided between the main thread and the threads that answer requests', () => {
    const { memory, readers } = settingsOf({ ...defaultOptions(false), 'memory-target': TARGETS.small * 2 }, false, {
      readers: 4,
    })
    const sum = (shares: object): number => Object.values(shares).reduce((total: number, bytes) => total + bytes, 0)
    expect(readers.count).toBe(4)
    expect(sum(memory) + 4 * sum(readers.memory)).toBeLessThanOrEqual(TARGETS.small * 2)
  })

  it('comes from the memory of the machine unless an option gives it', () => {
    const machine = (memoryBytes: number) => settingsOf(defaultOptions(false), false, { memoryBytes }).memory
    expect(machine(4 * TARGETS.small)).toEqual(SMALL)
    expect(machine(64 * TARGETS.large)).toEqual(settingsAt(TARGETS.large).memory)
  })
})
