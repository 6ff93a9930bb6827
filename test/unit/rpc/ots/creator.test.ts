import { describe, expect, it } from 'vitest'
import { PRUNE_GRACE_MS } from '../../../../src/base/limits/limits.ts'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { devGenesis } from '../../../../src/config/devGenesis.ts'
import { createAddress } from '../../../../src/types/address.ts'
import { eventually } from '../../../support/host/eventually.ts'
import { testTimers } from '../../../support/host/testPorts.ts'
import { ALICE, BOB } from '../../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import { at, code, createFrom, returnBytes } from '../../tracing/geth/programs.ts'

const open = closedAfterEach()
const FROM = ALICE.address.toLowerCase()
const INIT = [...returnBytes('0x00')]

/** Readers of these tests have ended before a state is deleted. */
const QUICK_PRUNING = {
  timers: {
    schedule: (delayMs: number, callback: () => void) =>
      testTimers.schedule(delayMs === PRUNE_GRACE_MS ? 0 : delayMs, callback),
  },
}

const creatorOf = ({ rpc }: OpenedNode, address: string): Promise<{ hash: string; creator: string } | null> =>
  rpc('ots_getContractCreator', address)

const mine = ({ rpc }: OpenedNode, count: number) => rpc('hardhat_mine', `0x${count.toString(16)}`)

describe('ots_getContractCreator', () => {
  it('finds the transaction and its sender', async () => {
    const node = await open()
    await mine(node, 20)
    const contract = await deploy(node, code(0n).code)
    const { transactions } = await node.rpc<{ transactions: string[] }>('eth_getBlockByNumber', 'latest', false)
    expect(await creatorOf(node, contract)).toEqual({ hash: transactions[0], creator: FROM })
    await mine(node, 37)
    await send(node, { to: contract })
    expect(await creatorOf(node, contract)).toEqual({ hash: transactions[0], creator: FROM })
  })

  it('names the contract that created it, among several transactions of a block', async () => {
    const node = await open()
    const factory = await deploy(node, code(createFrom(INIT)).code)
    await mine(node, 3)
    await node.rpc('evm_setAutomine', false)
    const hashes: string[] = []
    for (const to of [BOB.address, factory, factory, BOB.address]) hashes.push(await send(node, { to, value: '0x0' }))
    await node.rpc('evm_mine')
    const created = (nonce: bigint) => bytesToHex(createAddress(hexToBytes(factory), nonce))
    expect(await creatorOf(node, created(1n))).toEqual({ hash: hashes[1], creator: factory })
    expect(await creatorOf(node, created(2n))).toEqual({ hash: hashes[2], creator: factory })
    expect(await creatorOf(node, created(3n))).toBeNull()
  })

  it('is null for accounts without code, delegations, contracts of the genesis and code that was set', async () => {
    const json = devGenesis()
    const alloc = json['alloc'] as Record<string, object>
    const node = await open(
      {},
      undefined,
      {},
      { ...json, alloc: { ...alloc, [at(0x9000).slice(2)]: { balance: '0x0', code: '0x00' } } },
    )
    await node.rpc('hardhat_setCode', at(0x9001), '0x00')
    await node.rpc('hardhat_setCode', BOB.address, `0xef0100${at(0x9000).slice(2)}`)
    await mine(node, 2)
    for (const address of [at(0x9000), at(0x9001), BOB.address, ALICE.address, at(0x9002)]) {
      expect(await creatorOf(node, address)).toBeNull()
    }
    expect(await node.rpc('ots_hasCode', BOB.address, 'latest')).toBe(true)
  })

  it('does not take a creation that was reverted for one that was kept', async () => {
    const node = await open()
    // The write far into memory costs more than the first call has left after the creation.
    const factory = await deploy(node, code(createFrom(INIT, { salt: 1n }), 0n, 0x20000n, 0x52).code)
    await node.rpc('evm_setAutomine', false)
    await send(node, { to: factory, gas: '0x124f8' })
    const kept = await send(node, { to: factory })
    await node.rpc('evm_mine')
    const statuses = await node.rpc<{ status: string }[]>('eth_getBlockReceipts', 'latest')
    expect(statuses.map(({ status }) => status)).toEqual(['0x0', '0x1'])
    const [created] = await node.rpc<{ to: string }[]>('ots_getInternalOperations', kept)
    expect(await creatorOf(node, created?.to ?? '')).toEqual({ hash: kept, creator: factory })
  })

  it('says which states were deleted', async () => {
    const node = await open({ 'pruning-enabled': true, 'pruning-blocks-retained': 8 }, undefined, QUICK_PRUNING)
    const old = await deploy(node, code(0n).code)
    for (let i = 0; i < 40; i++) await send(node, { to: BOB.address, value: '0x1' })
    const young = await deploy(node, code(0n).code)
    await send(node, { to: BOB.address, value: '0x1' })
    expect((await creatorOf(node, young))?.creator).toBe(FROM)
    await eventually(() => expect(node.rpc('ots_hasCode', old, 20)).rejects.toThrow('was deleted'))
    await expect(creatorOf(node, old)).rejects.toThrow(/was deleted: this node keeps states from block \d+ on/)
  })
})
