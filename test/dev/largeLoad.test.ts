/** A load of many accounts: committed in slices, which a failure or the next start removes. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { devGenesis } from '../../src/config/devGenesis.ts'
import { LOAD_SLICE_KEYS } from '../../src/config/limits.ts'
import type { KeyValueStore, Mutation } from '../../src/ports/keyValueStore.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { Column, keys } from '../../src/storage/schema.ts'
import { closedAfterEach, openDevNode } from '../support/devNodeInMemory.ts'

const open = closedAfterEach()
const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const ACCOUNTS = 8_500
const addressOf = (i: number): string => `0x${(0x10_0000 + i).toString(16).padStart(40, '0')}`

let dump: string

beforeAll(async () => {
  const json = devGenesis() as { alloc: Record<string, unknown> }
  const alloc = { ...json.alloc }
  for (let i = 0; i < ACCOUNTS; i++) alloc[addressOf(i).slice(2)] = { balance: String(i + 1) }
  const { node, rpc } = await openDevNode({}, new MemoryStore(), {}, { ...json, alloc })
  await rpc('eth_sendTransaction', { from: ALICE, to: addressOf(3), value: '0x1' })
  dump = await rpc<string>('anvil_dumpState')
  await node.close()
})

/** A store that records the sizes of its batches, and fails from some batch on, as after a kill. */
class WatchedStore implements KeyValueStore {
  readonly #store: MemoryStore
  readonly sizes: number[] = []
  failsAfter = Number.POSITIVE_INFINITY

  constructor(store: MemoryStore) {
    this.#store = store
  }

  get: KeyValueStore['get'] = (key) => this.#store.get(key)
  getMany: KeyValueStore['getMany'] = (list) => this.#store.getMany(list)
  range: KeyValueStore['range'] = (options) => this.#store.range(options)

  commit(batch: readonly Mutation[]): void {
    if (this.sizes.length >= this.failsAfter) throw new Error('killed')
    this.sizes.push(batch.length)
    this.#store.commit(batch)
  }

  close(): void {}
}

const nodesIn = (store: MemoryStore): number => [...store.range({ prefix: Uint8Array.of(Column.trieNode) })].length
const markIn = (store: MemoryStore): Uint8Array | undefined => store.get(keys.meta('loading'))

async function chainWithBlock() {
  const store = new MemoryStore()
  const watched = new WatchedStore(store)
  const { node, rpc } = await open({}, watched)
  const hash = await rpc<string>('eth_sendTransaction', { from: ALICE, to: ALICE })
  return { store, watched, node, rpc, hash, nodes: nodesIn(store) }
}

describe('a load of many accounts', () => {
  it('is committed in slices; the last batch has the flat view and the blocks only', async () => {
    const { store, watched, node, rpc } = await chainWithBlock()
    watched.sizes.length = 0
    await rpc('anvil_loadState', dump)
    expect(watched.sizes.length).toBeGreaterThan(2)
    expect(Math.max(...watched.sizes)).toBeLessThan(ACCOUNTS + LOAD_SLICE_KEYS)
    expect(watched.sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(3 * ACCOUNTS)
    expect(markIn(store)).toBeUndefined()
    expect(await rpc('eth_getBalance', addressOf(ACCOUNTS - 1), 'latest')).toBe(`0x${ACCOUNTS.toString(16)}`)
    expect(await rpc('eth_getBalance', addressOf(3), 'latest')).toBe('0x5')
    await node.close()
    const again = await open({}, store)
    expect(await again.rpc('eth_getBalance', addressOf(3), 'latest')).toBe('0x5')
    expect(await again.rpc('eth_getBalance', addressOf(3), '0x0')).toBe('0x4')
    await again.rpc('eth_sendTransaction', { from: ALICE, to: addressOf(4), value: '0x1' })
    expect(await again.rpc('eth_getBalance', addressOf(4), 'latest')).toBe('0x6')
  })

  it('leaves nothing when the dump proves invalid at its end', async () => {
    const { store, rpc, hash, nodes } = await chainWithBlock()
    const text = gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()
    const cut = `0x${gzipSync(text.slice(0, text.lastIndexOf('"isonode_end"'))).toString('hex')}`
    await expect(rpc('anvil_loadState', cut)).rejects.toThrow(/incomplete/)
    expect([nodesIn(store), markIn(store)]).toEqual([nodes, undefined])
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    await rpc('eth_sendTransaction', { from: ALICE, to: ALICE })
    await rpc('anvil_loadState', dump)
    expect(await rpc('eth_getBalance', addressOf(3), 'latest')).toBe('0x5')
  })

  it('leaves nothing after the next start when the node is killed, whichever batch was the last', async () => {
    for (const batches of [1, 2]) {
      const { store, watched, rpc, hash, nodes } = await chainWithBlock()
      watched.failsAfter = watched.sizes.length + batches
      await expect(rpc('anvil_loadState', dump)).rejects.toThrow()
      expect(nodesIn(store)).toBeGreaterThan(nodes)
      expect(markIn(store)).toBeDefined()
      const { rpc: again } = await open({}, store)
      expect([nodesIn(store), markIn(store)]).toEqual([nodes, undefined])
      expect(await again('eth_blockNumber')).toBe('0x1')
      expect(await again('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
      await again('eth_sendTransaction', { from: ALICE, to: ALICE })
      expect(await again('eth_blockNumber')).toBe('0x2')
    }
  })
})
