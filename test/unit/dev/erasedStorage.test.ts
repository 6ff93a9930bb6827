import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { DEV_ACCOUNTS, devGenesis } from '../../../src/config/devGenesis.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { CREATION, DESTRUCTIBLE } from '../../support/evm/destructible.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const ALICE = DEV_ACCOUNTS[0]?.address
const SLOTS = ['0x1', '0x2', '0x3']
const word = (value: number) => value.toString(16).padStart(64, '0')

const openNode = closedAfterEach()
const open = (): Promise<OpenedNode> => openNode({}, new MemoryStore(), {}, devGenesis({ fork: 'SHANGHAI' }))

function send({ rpc }: OpenedNode, data: string, to = DESTRUCTIBLE): Promise<unknown> {
  return rpc('eth_sendTransaction', { from: ALICE, to, data, gas: '0x7a120' })
}

const create = (opened: OpenedNode): Promise<unknown> => send(opened, bytesToHex(CREATION.data), CREATION.to)
const destroy = (opened: OpenedNode): Promise<unknown> => send(opened, '0x')
const write = (opened: OpenedNode, slot: number, value: number): Promise<unknown> =>
  send(opened, `0x${word(slot)}${word(value)}`)

/** A contract with two slots that is destroyed, created again and written to in one block, and changed from outside. */
async function makeHistory(opened: OpenedNode): Promise<void> {
  const { rpc } = opened
  await create(opened)
  await write(opened, 1, 5)
  await write(opened, 2, 6)
  await rpc('evm_setAutomine', false)
  await destroy(opened)
  await create(opened)
  await write(opened, 2, 7)
  await rpc('evm_mine')
  await rpc('evm_setAutomine', true)
  await rpc('anvil_setStorageAt', DESTRUCTIBLE, '0x3', `0x${word(8)}`)
}

async function slotsOf({ rpc }: OpenedNode, tag = 'latest'): Promise<number[]> {
  const values = await Promise.all(SLOTS.map((slot) => rpc<string>('eth_getStorageAt', DESTRUCTIBLE, slot, tag)))
  return values.map(Number)
}

async function proofs({ rpc }: OpenedNode): Promise<unknown[]> {
  const height = Number(await rpc('eth_blockNumber'))
  const tags = Array.from({ length: height + 1 }, (_, number) => `0x${number.toString(16)}`)
  return Promise.all(tags.map((tag) => rpc('eth_getProof', DESTRUCTIBLE, SLOTS, tag)))
}

describe('a contract that is destroyed and created again in one block', () => {
  it('keeps only its new slots, which a dump restores on another node', async () => {
    const first = await open()
    await makeHistory(first)
    expect(await slotsOf(first)).toEqual([0, 7, 8])
    expect(await slotsOf(first, '0x3')).toEqual([5, 6, 0])
    const second = await open()
    expect(await second.rpc('anvil_loadState', await first.rpc('anvil_dumpState'))).toBe(true)
    expect(await proofs(second)).toEqual(await proofs(first))
    expect(await slotsOf(second)).toEqual([0, 7, 8])
  })

  it('has its slots again after snapshots and removed blocks', async () => {
    const opened = await open()
    const { rpc } = opened
    await makeHistory(opened)
    const snapshot = await rpc('evm_snapshot')
    await rpc('anvil_setStorageAt', DESTRUCTIBLE, '0x1', `0x${word(9)}`)
    await destroy(opened)
    expect(await slotsOf(opened)).toEqual([0, 0, 0])
    await rpc('evm_revert', snapshot)
    expect(await slotsOf(opened)).toEqual([0, 7, 8])
    await rpc('anvil_rollback', 1)
    expect(await slotsOf(opened)).toEqual([5, 6, 0])
    await write(opened, 3, 4)
    expect(await slotsOf(opened)).toEqual([5, 6, 4])
  })
})
