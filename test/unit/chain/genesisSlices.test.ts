import { describe, expect, it } from 'vitest'
import { LOAD_SLICE_KEYS } from '../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import type { IsoNode, NodeHost } from '../../../src/node/node.ts'
import { genesisState } from '../../../src/state/genesisState.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { openGenesisNode } from '../../support/nodes/genesisNode.ts'

const ACCOUNTS = LOAD_SLICE_KEYS
const SLOTS = 2 * LOAD_SLICE_KEYS
const TOKEN = `0x${'7'.repeat(40)}`
const hex = (number: number, length: number): string => `0x${number.toString(16).padStart(length, '0')}`

/** @param balance of each account except the token */
function genesisText(balance: string): string {
  const alloc: Record<string, object> = {}
  for (let i = 0; i < ACCOUNTS; i++) alloc[hex(i + 1, 40)] = { balance }
  const storage: Record<string, string> = {}
  for (let i = 0; i < SLOTS; i++) storage[hex(i, 64)] = hex(i + 1, 64)
  alloc[TOKEN] = { balance: '0x1', nonce: '0x1', code: '0x6001', storage }
  return JSON.stringify({ difficulty: 1, gasLimit: 10_000_000, alloc })
}
const TEXT = genesisText('0x5')
const OTHER_TEXT = genesisText('0x6')

/** Fails instead of a commit. */
class FailingStore extends MemoryStore {
  readonly batches: number[] = []
  failsAt = Number.POSITIVE_INFINITY

  override commit(mutations: readonly Mutation[]): void {
    if (this.batches.length >= this.failsAt) throw new Error('the disk is full')
    this.batches.push(mutations.length)
    super.commit(mutations)
  }
}

const open = (store: MemoryStore, text = TEXT): Promise<IsoNode> =>
  openGenesisNode(text, { 'p2p-enabled': false }, { store } as Partial<NodeHost>)

function rootOf(text: string): string {
  return bytesToHex(genesisState(new StagedStore(new MemoryStore()), parseGenesisFile(text).alloc).hash)
}

const countOf = (kv: MemoryStore, column: number): number => [...kv.range({ prefix: Uint8Array.of(column) })].length

async function check(node: IsoNode, text: string, balance: bigint): Promise<void> {
  const { genesis } = node.chain
  expect(bytesToHex(genesis.header.stateRoot)).toBe(rootOf(text))
  const state = node.states.reader(genesis.stateRoot as never)
  expect(state.getAccount(new Uint8Array(20).fill(0, 0, 19).fill(9, 19))?.balance).toBe(balance)
  const token = new Uint8Array(20).fill(0x77)
  for (const slot of [0, 1, 9000, SLOTS - 1]) {
    const key = new Uint8Array(32)
    new DataView(key.buffer).setUint32(28, slot)
    expect(new DataView(state.getStorage(token, key).slice().buffer).getUint32(28)).toBe(slot + 1)
  }
  expect(bytesToHex(state.getCode(token))).toBe('0x6001')
}

describe('a large genesis', () => {
  it('is written in slices, with the state root of its accounts', async () => {
    const kv = new FailingStore()
    const node = await open(kv)
    await check(node, TEXT, 5n)
    await node.close()
    expect(kv.batches.length).toBeGreaterThan(3)
    // Nodes, code and flat view of each entry, and the block.
    expect(Math.max(...kv.batches)).toBeLessThan(4 * LOAD_SLICE_KEYS)
    const again = await open(kv)
    await check(again, TEXT, 5n)
    await again.close()
  })

  it('needs no more trie nodes than in one batch, except for a few', async () => {
    const kv = new FailingStore()
    await (await open(kv)).close()
    const whole = new MemoryStore()
    const stage = new StagedStore(whole)
    genesisState(stage, parseGenesisFile(TEXT).alloc)
    whole.commit(stage.mutations())
    const [sliced, nodes] = [countOf(kv, Column.trieNode), countOf(whole, Column.trieNode)]
    expect(sliced - nodes).toBeLessThan(100)
  })

  it.each([1, 2, 3])(
    'that fails at batch %i leaves nothing to the next one, even of another chain',
    async (failsAt) => {
      const kv = new FailingStore()
      kv.failsAt = failsAt
      await expect(open(kv)).rejects.toThrow('the disk is full')
      kv.failsAt = Number.POSITIVE_INFINITY
      const node = await open(kv, OTHER_TEXT)
      await check(node, OTHER_TEXT, 6n)
      await node.close()
      const fresh = new MemoryStore()
      await (await open(fresh, OTHER_TEXT)).close()
      const entries = (store: MemoryStore) =>
        [...store.range({ prefix: new Uint8Array(0) })].map(([key]) => bytesToHex(key))
      expect(entries(kv)).toEqual(entries(fresh))
    },
  )
})
