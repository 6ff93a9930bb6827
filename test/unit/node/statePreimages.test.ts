import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { choosePreimages } from '../../../src/node/statePreimages.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'
import { openGenesisNode } from '../../support/nodes/genesisNode.ts'

const open = closedAfterEach()

const CONTRACT = `0x${'c'.repeat(40)}`
const SLOT = `0x${'0'.repeat(63)}1`
const VALUE = `0x${'0'.repeat(63)}2`
const ON = { 'state-preimages': true }
const OFF = { 'state-preimages': false }

const hashOf = (hex: string): string => bytesToHex(keccak256(hexToBytes(hex)))
const preimagesIn = (kv: MemoryStore): number => [...kv.range({ prefix: Uint8Array.of(Column.preimage) })].length

async function withSlot(options: object, kv = new MemoryStore()) {
  const dev = await open(options, kv)
  await dev.rpc('anvil_setStorageAt', CONTRACT, SLOT, VALUE)
  await dev.rpc('anvil_setBalance', CONTRACT, '0x1')
  return dev
}

interface Ranges {
  readonly storage: Record<string, { key: string | null; value: string }>
}

async function storageOf({ rpc }: Awaited<ReturnType<typeof withSlot>>): Promise<Ranges['storage']> {
  const [from] = (await rpc('eth_accounts')) as [string]
  await rpc('eth_sendTransaction', { from, to: from })
  const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const { storage } = await rpc<Ranges>('debug_storageRangeAt', hash, 0, CONTRACT, '0x', 10)
  return storage
}

describe('preimages of the state', () => {
  it('are stored unless they are refused', async () => {
    const stores = Array.from({ length: 3 }, () => new MemoryStore())
    const genesis = JSON.stringify({ difficulty: 1, gasLimit: 10_000_000, alloc: { [CONTRACT]: { balance: '1' } } })
    const options = { 'p2p-enabled': false }
    const [dev, other, refused] = stores as [MemoryStore, MemoryStore, MemoryStore]
    await open({}, dev)
    const nodes = [
      await openGenesisNode(genesis, options, { store: other }),
      await openGenesisNode(genesis, { ...options, ...OFF }, { store: refused }),
    ]
    for (const node of nodes) await node.close()
    expect(preimagesIn(dev)).toBeGreaterThan(0)
    expect([preimagesIn(other), preimagesIn(refused)]).toEqual([1, 0])
  })

  it('give slots in ranges of storage, which otherwise have null, and nothing else changes', async () => {
    const named = await storageOf(await withSlot(ON))
    const unnamed = await storageOf(await withSlot(OFF))
    expect(named).toEqual({ [hashOf(SLOT)]: { key: SLOT, value: VALUE } })
    expect(unnamed).toEqual({ [hashOf(SLOT)]: { key: null, value: VALUE } })
  })

  it('are needed by a dump, which says so', async () => {
    const { rpc } = await withSlot(OFF)
    await expect(rpc('anvil_dumpState')).rejects.toThrow(/with --state-preimages=false/)
  })

  it('are not needed for reads, which are the same after a restart', async () => {
    const kv = new MemoryStore()
    const { node } = await withSlot(OFF, kv)
    await node.close()
    expect(preimagesIn(kv)).toBe(0)
    const { rpc } = await open({}, kv)
    expect(await rpc('eth_getStorageAt', CONTRACT, SLOT, 'latest')).toBe(VALUE)
    await rpc('anvil_setStorageAt', CONTRACT, SLOT, SLOT)
    expect(preimagesIn(kv)).toBe(0)
  })

  it('go on in a database that has them, and cannot begin later', async () => {
    const settings = (options: object) => settingsOf({ ...defaultOptions(false), ...options }, false)
    const kv = new MemoryStore()
    await (await withSlot({}, kv)).node.close()
    expect(await choosePreimages({ store: kv }, settings({}))).toBe(true)
    expect(await choosePreimages({ store: kv }, settings(ON))).toBe(true)
    expect(await choosePreimages({ store: kv }, settings(OFF))).toBe(false)
    expect(await choosePreimages({ store: kv }, settings({}))).toBe(false)
    await expect(choosePreimages({ store: kv }, settings(ON))).rejects.toThrow(/cannot be added later/)
  })
})
