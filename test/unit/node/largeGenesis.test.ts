import { afterEach, expect, it } from 'vitest'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { IsoNode } from '../../../src/node/node.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import { openGenesisNode } from '../../support/nodes/genesisNode.ts'

const opened: IsoNode[] = []
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close()
})

/** Some more than one slice of the state. */
const ACCOUNTS = 10_000

function genesisText(): string {
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => [at.toString(16).padStart(40, '0'), { balance: '1' }])
  return JSON.stringify({ difficulty: 1, gasLimit: 10_000_000, alloc: Object.fromEntries(accounts) })
}

/** Calls a function before each batch. */
class WatchedStore extends MemoryStore {
  beforeBatch: (count: number) => void = () => {}
  #count = 0

  override commit(mutations: readonly Mutation[]): void {
    this.beforeBatch(++this.#count)
    super.commit(mutations)
  }
}

// The first batch is the mark of an unfinished state, the next ones are parts of the state.
it.each([1, 2])(
  'a stop at batch %i of a large allocation ends the start; the next start begins again',
  async (stopsAt) => {
    const text = genesisText()
    const store = new WatchedStore()
    const stopSignal = { aborted: false }
    let batches = 0
    store.beforeBatch = (count) => {
      batches = count
      if (count === stopsAt) stopSignal.aborted = true
    }
    const options = { 'p2p-enabled': false }
    await expect(openGenesisNode(text, options, { store, stopSignal })).rejects.toMatchObject({
      details: { code: 'STOPPED' },
      message: 'the writing of the genesis block was stopped; the next start begins it again',
    })
    expect(batches).toBe(stopsAt)
    const entries = (kv: MemoryStore) =>
      [...kv.range({ prefix: new Uint8Array(0) })]
        .filter(([key]) => key[0] !== Column.meta)
        .map(([key, value]) => `${bytesToHex(key)} ${bytesToHex(value)}`)
    const again = await openGenesisNode(text, options, { store })
    const fresh = new MemoryStore()
    const other = await openGenesisNode(text, options, { store: fresh })
    opened.push(again, other)
    expect(bytesToHex(again.chain.head.hash)).toBe(bytesToHex(other.chain.head.hash))
    const kept = new Set(entries(fresh))
    expect(entries(store).filter((entry) => !kept.has(entry))).toEqual([])
    expect(entries(store)).toHaveLength(kept.size)
    expect(store.get(keys.meta('loading'))).toBeUndefined()
  },
)

it('a large allocation is announced before its state is written, for a new chain only', async () => {
  const lines: unknown[][] = []
  const logger = { ...silentLogger, info: (...line: unknown[]) => void lines.push(line), child: () => logger }
  const text = genesisText()
  const store = new MemoryStore()
  const open = async () => {
    const node = await openGenesisNode(text, { 'p2p-enabled': false }, { store, logger })
    opened.push(node)
  }
  await open()
  const work = 'writing the state of the genesis block'
  const announced = () => lines.filter(([message]) => String(message).endsWith(work)).map(([message]) => message)
  expect(announced()).toEqual([work, `finished ${work}`])
  await open()
  expect(announced()).toHaveLength(2)
})
