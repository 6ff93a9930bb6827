// slow: a dump of many accounts
/** A load of many accounts: committed in slices; the next start removes or completes a load that was cut. */

import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { LOAD_SLICE_KEYS } from '../../../src/base/limits/limits.ts'
import type { KeyValueStore, Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import type { StateRoot } from '../../../src/state/contract.ts'
import { requireState } from '../../../src/state/errors.ts'
import { isSameRoot, readFlatPosition } from '../../../src/state/stateContext.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import { flatEntries } from '../../support/chains/flatEntries.ts'
import { closedAfterEach, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()
const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const ACCOUNTS = 8_500
const addressOf = (i: number): string => `0x${(0x10_0000 + i).toString(16).padStart(40, '0')}`

const CONTRACT = '0x00000000000000000000000000000000000c0de0'
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

const source = new MemoryStore()
let dump: string

beforeAll(async () => {
  const json = devGenesis() as { alloc: Record<string, unknown> }
  const alloc = { ...json.alloc }
  for (let i = 0; i < ACCOUNTS; i++) alloc[addressOf(i).slice(2)] = { balance: String(i + 1) }
  alloc[CONTRACT.slice(2)] = { balance: '0', code: '0x00', storage: { [word(1)]: word(0x1234), [word(2)]: word(7) } }
  const { node, rpc } = await openDevNode({}, source, {}, { ...json, alloc })
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

const column = (store: MemoryStore, byte: number): [string, string][] =>
  [...store.range({ prefix: Uint8Array.of(byte) })].map(([key, value]) => [bytesToHex(key), bytesToHex(value)])
const keysOf = (entries: [string, string][]): string[] => entries.map(([key]) => key)

/** The flat view of the loaded chain. Versions and incarnations of storages differ from those of the source. */
async function expectFlatView(store: MemoryStore, head: StateRoot): Promise<void> {
  expect(isSameRoot(readFlatPosition(store).root, head)).toBe(true)
  expect(keysOf(column(store, Column.flatAccount))).toEqual(keysOf(column(source, Column.flatAccount)))
  const slotsOf = (kv: MemoryStore) => flatEntries(kv).slots.map(({ owner, slot, value }) => ({ owner, slot, value }))
  expect(slotsOf(store)).toEqual(slotsOf(source))
}

const markIn = (store: MemoryStore): Uint8Array | undefined => store.get(keys.meta('loading'))
/** Keys of what a load commits before it replaces the chain. */
const contentIn = (store: MemoryStore): string[] =>
  [Column.trieNode, Column.code, Column.preimage].flatMap((byte) => keysOf(column(store, byte)))
const listsIn = (store: MemoryStore): number => [...store.range({ prefix: keys.meta('loaded:') })].length

async function chainWithBlock() {
  const store = new MemoryStore()
  const watched = new WatchedStore(store)
  const { node, rpc } = await open({}, watched)
  const hash = await rpc<string>('eth_sendTransaction', { from: ALICE, to: ALICE })
  return { store, watched, node, rpc, hash, content: contentIn(store) }
}

describe('a load of many accounts', () => {
  it('is committed in slices, and has a flat view', async () => {
    const { store, watched, node, rpc } = await chainWithBlock()
    watched.sizes.length = 0
    await rpc('anvil_loadState', dump)
    expect(Math.max(...watched.sizes)).toBeLessThan(2 * LOAD_SLICE_KEYS)
    await expectFlatView(store, requireState(node.chain.head.stateRoot))
    expect(watched.sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(3 * ACCOUNTS)
    expect([markIn(store), listsIn(store)]).toEqual([undefined, 0])
    expect(await rpc('eth_getBalance', addressOf(ACCOUNTS - 1), 'latest')).toBe(`0x${ACCOUNTS.toString(16)}`)
    expect(await rpc('eth_getBalance', addressOf(3), 'latest')).toBe('0x5')
    expect(await rpc('eth_getStorageAt', CONTRACT, '0x1', 'latest')).toBe(word(0x1234))
    await node.close()
    const again = await open({}, store)
    expect(await again.rpc('eth_getBalance', addressOf(3), 'latest')).toBe('0x5')
    expect(await again.rpc('eth_getBalance', addressOf(3), '0x0')).toBe('0x4')
    await again.rpc('eth_sendTransaction', { from: ALICE, to: addressOf(4), value: '0x1' })
    expect(await again.rpc('eth_getBalance', addressOf(4), 'latest')).toBe('0x6')
  })

  it('leaves nothing when the dump proves invalid at its end', async () => {
    const { store, rpc, hash, content } = await chainWithBlock()
    const text = gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()
    const cut = `0x${gzipSync(text.slice(0, text.lastIndexOf('"isonode_end"'))).toString('hex')}`
    await expect(rpc('anvil_loadState', cut)).rejects.toThrow(/incomplete/)
    expect([contentIn(store), markIn(store), listsIn(store)]).toEqual([content, undefined, 0])
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    await rpc('eth_sendTransaction', { from: ALICE, to: ALICE })
    await rpc('anvil_loadState', dump)
    expect(await rpc('eth_getBalance', addressOf(3), 'latest')).toBe('0x5')
  })

  it('leaves nothing after the next start when the node is killed before the chain is replaced', async () => {
    for (const batches of [1, 2]) {
      const { store, watched, rpc, hash, content } = await chainWithBlock()
      watched.failsAfter = watched.sizes.length + batches
      await expect(rpc('anvil_loadState', dump)).rejects.toThrow()
      expect(contentIn(store).length).toBeGreaterThan(content.length)
      expect(markIn(store)).toBeDefined()
      const { node, rpc: again } = await open({}, store)
      expect([contentIn(store), markIn(store), listsIn(store)]).toEqual([content, undefined, 0])
      expect(isSameRoot(readFlatPosition(store).root, requireState(node.chain.head.stateRoot))).toBe(true)
      expect(await again('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
      await again('eth_sendTransaction', { from: ALICE, to: ALICE })
      expect(await again('eth_blockNumber')).toBe('0x2')
    }
  })

  it('is complete after the next start when the node is killed afterwards', async () => {
    for (const batches of [3, 5]) {
      const { store, watched, rpc } = await chainWithBlock()
      watched.failsAfter = watched.sizes.length + batches
      await expect(rpc('anvil_loadState', dump)).rejects.toThrow()
      expect(markIn(store)).toBeUndefined()
      expect(isSameRoot(readFlatPosition(store).root, { hash: new Uint8Array(32), version: 0 })).toBe(true)
      // Until then, reads walk the trie.
      expect(await rpc('eth_getStorageAt', CONTRACT, '0x2', 'latest')).toBe(word(7))
      const { node, rpc: again } = await open({}, store)
      await expectFlatView(store, requireState(node.chain.head.stateRoot))
      expect(await again('eth_getStorageAt', CONTRACT, '0x2', 'latest')).toBe(word(7))
      await again('eth_sendTransaction', { from: ALICE, to: addressOf(4), value: '0x1' })
      expect(await again('eth_getBalance', addressOf(4), 'latest')).toBe('0x6')
    }
  })
})
