/** Deleted states of a dev chain: what clients see inside and outside the window, and what the store still holds. */
import { expect, it } from 'vitest'
import { MAX_PRUNE_STEP_BLOCKS, PRUNE_GRACE_MS } from '../../../src/base/limits/limits.ts'
import type { KeyValueReader } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, bytesToNumber } from '../../../src/base/primitives/bytes.ts'
import { recomputeStateRoot } from '../../../src/state/recomputeRoot.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'
import { testTimers } from '../../support/host/testPorts.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()

type Rpc = OpenedNode['rpc']

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const RETAINED = 8
/** Readers of these tests have ended before a state is deleted. */
const host = {
  timers: {
    schedule: (delayMs: number, callback: () => void) =>
      testTimers.schedule(delayMs === PRUNE_GRACE_MS ? 0 : delayMs, callback),
  },
}

const hex = (value: number): string => `0x${value.toString(16)}`
const account = (n: number): string => `0x${(n + 0x1000).toString(16).padStart(40, '0')}`
/** Stores the block number in the slot that the call data name, and clears the slot before it. */
const CODE = '0x4360003555600060016000350355'
const CONTRACT = `0x${'c0de'.repeat(10)}`

function openPruned(kv = new MemoryStore()): Promise<OpenedNode> {
  return open({ 'pruning-enabled': true, 'pruning-blocks-retained': RETAINED }, kv, host)
}

function openArchive(kv = new MemoryStore()): Promise<OpenedNode> {
  return open({ 'pruning-enabled': false }, kv, host)
}

async function send(rpc: Rpc, n: number): Promise<void> {
  await rpc('eth_sendTransaction', { from: ALICE, to: account(n % 23), value: hex(n + 1) })
  await rpc('eth_sendTransaction', {
    from: ALICE,
    to: CONTRACT,
    gas: '0x30000',
    data: `0x${n.toString(16).padStart(64, '0')}`,
  })
}

/** Waits until everything below the lowest readable state is deleted. @returns its block */
async function settled({ rpc }: OpenedNode, kv: MemoryStore): Promise<number> {
  let lowest = -1
  for (let same = 0; same < 5; ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const [from, to] = kv.getMany([keys.meta('stateFrom'), keys.meta('prunedTo')])
    const isDeleted = from === undefined || (to !== undefined && bytesToNumber(to) === bytesToNumber(from) - 1)
    const now = await lowestState(rpc)
    same = isDeleted && now === lowest ? same + 1 : 0
    lowest = now
  }
  return lowest
}

/** States can be read from one block on. */
async function lowestState(rpc: Rpc): Promise<number> {
  let [deleted, kept] = [-1, Number(await rpc('eth_blockNumber'))]
  while (kept - deleted > 1) {
    const middle = (deleted + kept) >> 1
    if (await isReadable(rpc, middle)) kept = middle
    else deleted = middle
  }
  return kept
}

async function isReadable(rpc: Rpc, number: number): Promise<boolean> {
  return rpc('eth_getBalance', ALICE, hex(number)).then(
    () => true,
    () => false,
  )
}

function storedNodes(kv: MemoryStore): number {
  return [...kv.range({ prefix: Uint8Array.of(Column.trieNode) })].length
}

/** Checks that the store has every node of the states from a block on, and no other one. */
function expectNodes({ node }: OpenedNode, kv: MemoryStore, from: number): void {
  const read = new Set<string>()
  const reader: KeyValueReader = {
    get: (key) => {
      read.add(bytesToHex(key))
      return kv.get(key)
    },
    getMany: (wanted) => kv.getMany(wanted),
    range: (options) => kv.range(options),
  }
  const head = Number(node.chain.head.header.number)
  for (let number = from; number <= head; number++) {
    const header = node.chain.headerByNumber(number)
    if (header === undefined || header.stateRoot.isMissing === true) throw new Error(`no state of block ${number}`)
    expect(runToEnd(recomputeStateRoot(reader, header.stateRoot))).toEqual(header.stateRoot.hash)
  }
  expect(storedNodes(kv)).toBe(read.size)
}

it('keeps every state of the window and deletes all nodes that only older states have', async () => {
  const kv = new MemoryStore()
  const pruned = await openPruned(kv)
  const archive = await openArchive()
  for (const { rpc, clock } of [pruned, archive]) {
    await rpc('hardhat_setCode', CONTRACT, CODE)
    for (let n = 1; n <= 14; n++) {
      clock.seconds += 1
      await send(rpc, n)
    }
  }
  const lowest = await settled(pruned, kv)
  const head = Number(await pruned.rpc('eth_blockNumber'))
  expect(lowest).toBeGreaterThanOrEqual(head - RETAINED - 1)
  expect(lowest).toBeLessThanOrEqual(head - RETAINED)
  expectNodes(pruned, kv, lowest)
  for (let number = lowest; number <= head; number++) {
    for (const address of [ALICE, CONTRACT, account(3), account(20)]) {
      const ask = (rpc: Rpc) => rpc('eth_getProof', address, ['0x5', '0xe', '0xd'], hex(number))
      expect(await ask(pruned.rpc)).toEqual(await ask(archive.rpc))
    }
    if (number === lowest) continue
    const trace = (rpc: Rpc) => rpc('debug_traceBlockByNumber', hex(number), {})
    expect(await trace(pruned.rpc)).toEqual(await trace(archive.rpc))
  }
  await expect(pruned.rpc('eth_getBalance', ALICE, hex(lowest - 1))).rejects.toThrow(
    `the state of block ${lowest - 1} was deleted: this node keeps states from block ${lowest} on`,
  )
  await expect(pruned.rpc('debug_traceBlockByNumber', hex(lowest), {})).rejects.toThrow('was deleted')
  // Blocks and receipts remain.
  const block = (rpc: Rpc) => rpc('eth_getBlockByNumber', '0x3', true)
  expect(await block(pruned.rpc)).toEqual(await block(archive.rpc))
})

it('deletes the states between the amendments of a block, and those of blocks that a snapshot has reverted', async () => {
  const kv = new MemoryStore()
  const pruned = await openPruned(kv)
  const { rpc } = pruned
  await rpc('hardhat_setCode', CONTRACT, CODE)
  for (let n = 1; n <= 12; n++) {
    for (let i = 0; i < 3; i++) await rpc('anvil_setBalance', account(n * 10 + i), hex(n))
    const snapshot = await rpc('evm_snapshot')
    await rpc('anvil_setBalance', account(5), hex(n + 7))
    for (let i = 0; i < 3; i++) await send(rpc, n * 3 + i)
    if (n % 2 === 0) expect(await rpc('evm_revert', snapshot)).toBe(true)
    await send(rpc, n * 7)
  }
  for (let n = 100; n <= 100 + RETAINED; n++) await send(rpc, n)
  const lowest = await settled(pruned, kv)
  expectNodes(pruned, kv, lowest)
})

it('counts a run of empty blocks as one', async () => {
  const kv = new MemoryStore()
  const pruned = await openPruned(kv)
  const { rpc } = pruned
  for (let n = 1; n <= 3; n++) await send(rpc, n)
  const snapshot = await rpc('evm_snapshot')
  await rpc('hardhat_mine', hex(5000))
  await send(rpc, 4)
  expect(await settled(pruned, kv)).toBeLessThanOrEqual(4)
  expect(await rpc('evm_revert', snapshot)).toBe(true)
  await rpc('hardhat_mine', hex(5000))
  for (let n = 1; n <= 10; n++) await send(rpc, n)
  const lowest = await settled(pruned, kv)
  expect(lowest).toBeGreaterThan(5000)
  expect(await rpc('eth_getBalance', account(9), hex(lowest))).toBeDefined()
  expect((await rpc<{ number: string }>('eth_getBlockByNumber', hex(2000), false)).number).toBe(hex(2000))
})

it('refuses to revert to a deleted state, and begins again from the genesis accounts', async () => {
  const kv = new MemoryStore()
  const pruned = await openPruned(kv)
  const { rpc } = pruned
  const snapshot = await rpc('evm_snapshot')
  for (let n = 1; n <= 12; n++) await send(rpc, n)
  await settled(pruned, kv)
  await expect(rpc('evm_revert', snapshot)).rejects.toThrow('the state of block 0 was deleted')
  await rpc('anvil_reset')
  expect(await rpc('eth_blockNumber')).toBe('0x0')
  expect(await rpc('eth_getBalance', ALICE, '0x0')).toBe('0x21e19e0c9bab2400000')
  for (let n = 1; n <= 12; n++) await send(rpc, n)
  expect(await settled(pruned, kv)).toBeGreaterThan(0)
})

it('continues after a restart, and keeps the bound', async () => {
  const kv = new MemoryStore()
  const first = await openPruned(kv)
  for (let n = 1; n <= 15; n++) await send(first.rpc, n)
  const lowest = await settled(first, kv)
  await first.node.close()
  const second = await openPruned(kv)
  expect(await settled(second, kv)).toBe(lowest)
  for (let n = 1; n <= 5; n++) await send(second.rpc, n)
  const later = await settled(second, kv)
  expect(later).toBeGreaterThan(lowest)
  expectNodes(second, kv, later)
})

it('waits for readers once to delete the states of many blocks', async () => {
  const kv = new MemoryStore()
  const archive = await openArchive(kv)
  for (let n = 0; n < 150; n++) await send(archive.rpc, n)
  const head = Number(await archive.rpc('eth_blockNumber'))
  expect(head).toBeGreaterThan(MAX_PRUNE_STEP_BLOCKS + RETAINED)
  await archive.node.close()
  let waits = 0
  const timers = {
    schedule: (delayMs: number, callback: () => void) => {
      if (delayMs === PRUNE_GRACE_MS) waits++
      return host.timers.schedule(delayMs, callback)
    },
  }
  const pruned = await open({ 'pruning-enabled': true, 'pruning-blocks-retained': RETAINED }, kv, { timers })
  expect(await settled(pruned, kv)).toBe(head - RETAINED)
  expect(waits).toBe(1)
})

it('is off by option', async () => {
  const kv = new MemoryStore()
  const archive = await openArchive(kv)
  for (let n = 1; n <= 12; n++) await send(archive.rpc, n)
  expect(await settled(archive, kv)).toBe(0)
})
