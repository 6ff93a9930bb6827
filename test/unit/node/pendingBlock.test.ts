import { getContractAddress } from 'viem'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { provenValue } from '../../support/chains/merkleProof.ts'
import { ALICE, BOB, signed } from '../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const ALICE_ADDRESS = ALICE.address.toLowerCase()
const BOB_ADDRESS = BOB.address.toLowerCase()
/** Stores 42 in slot 0; its code returns slot 0. */
const CODE = '60005460005260206000f3'
const INIT_CODE = `0x602a600055600b8060106000396000f3${CODE}`
const CONTRACT = getContractAddress({ from: ALICE.address, nonce: 1n }).toLowerCase()
const RICH = 10_000n * 10n ** 18n
const SLOT_ZERO = `0x${'00'.repeat(32)}`
const FORTY_TWO = `0x${'2a'.padStart(64, '0')}`

interface Block {
  readonly [name: string]: unknown
  readonly number: string
  readonly timestamp: string
  readonly stateRoot: string
  readonly transactions: readonly (string | { readonly hash: string; readonly blockNumber: string })[]
}

const opened: OpenedNode[] = []

/** Blocks are produced only on demand. */
async function open(options: Parameters<typeof openDevNode>[0] = {}): Promise<OpenedNode> {
  const node = await openDevNode(options)
  opened.push(node)
  await node.rpc('evm_setAutomine', false)
  return node
}

afterEach(async () => {
  for (const { node } of opened.splice(0)) await node.close()
})

async function send({ rpc }: OpenedNode, fields: Parameters<typeof signed>[1], account = ALICE): Promise<string> {
  return rpc<string>('eth_sendRawTransaction', bytesToHex(await signed(account, fields)))
}

/** A transfer of 5 wei, then a creation. */
async function fillPool(dev: OpenedNode): Promise<readonly string[]> {
  return [
    await send(dev, { nonce: 0, value: 5n }),
    await send(dev, { nonce: 1, to: null, data: INIT_CODE, gas: 200_000n }),
  ]
}

const pendingBlock = ({ rpc }: OpenedNode, full = false) => rpc<Block>('eth_getBlockByNumber', 'pending', full)

describe('the pending block', () => {
  it('has the executable transactions of the pool, and becomes the next block', async () => {
    const dev = await open()
    const hashes = await fillPool(dev)
    await send(dev, { nonce: 7 })
    const block = await pendingBlock(dev)
    expect(block.transactions).toEqual(hashes)
    expect(block).toMatchObject({ number: '0x1', hash: null, nonce: null, miner: null })
    const full = await pendingBlock(dev, true)
    expect(full.transactions).toMatchObject(hashes.map((hash) => ({ hash, blockNumber: '0x1' })))
    expect(await dev.rpc('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x2')
    expect(await dev.rpc('eth_getUncleCountByBlockNumber', 'pending')).toBe('0x0')
    expect(await dev.rpc('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x1')).toMatchObject({
      hash: hashes[1],
    })
    expect(await dev.rpc('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x2')).toBeNull()
    expect(await dev.rpc('eth_getBlockReceipts', 'pending')).toMatchObject([{ status: '0x1' }, { status: '0x1' }])
    expect(await dev.rpc('eth_blockNumber')).toBe('0x0')
    await dev.rpc('evm_mine')
    const mined = await dev.rpc<Block>('eth_getBlockByNumber', 'latest', false)
    for (const name of ['number', 'stateRoot', 'gasUsed', 'transactions', 'parentHash', 'receiptsRoot', 'timestamp'])
      expect([name, mined[name]]).toEqual([name, block[name]])
    expect(dev.node.chain.headerByNumber(1)).toBeDefined()
  })

  it('is used by reads and calls on `pending`', async () => {
    const dev = await open()
    await fillPool(dev)
    const read = (method: string, ...params: unknown[]) => dev.rpc(method, ...params, 'pending')
    expect(BigInt((await read('eth_getBalance', BOB_ADDRESS)) as string)).toBe(RICH + 5n)
    expect(BigInt((await dev.rpc('eth_getBalance', BOB_ADDRESS, 'latest')) as string)).toBe(RICH)
    expect(await read('eth_getTransactionCount', ALICE_ADDRESS)).toBe('0x2')
    expect(await read('eth_getCode', CONTRACT)).toBe(`0x${CODE}`)
    expect(await read('eth_getStorageAt', CONTRACT, '0x0')).toBe(FORTY_TWO)
    expect(await read('eth_getStorageValues', { [CONTRACT]: [SLOT_ZERO] })).toEqual({ [CONTRACT]: [FORTY_TWO] })
    expect(await read('eth_call', { to: CONTRACT })).toBe(FORTY_TWO)
    expect(await dev.rpc('eth_call', { to: CONTRACT }, 'latest')).toBe('0x')
    const onPending = (await read('eth_estimateGas', { from: ALICE_ADDRESS, to: CONTRACT })) as string
    const onHead = await dev.rpc<string>('eth_estimateGas', { from: ALICE_ADDRESS, to: CONTRACT }, 'latest')
    expect(BigInt(onPending)).toBeGreaterThan(BigInt(onHead))
    expect(await read('eth_createAccessList', { from: ALICE_ADDRESS, to: CONTRACT })).toMatchObject({
      accessList: [{ address: CONTRACT, storageKeys: [SLOT_ZERO] }],
    })
    const call = { blockStateCalls: [{ calls: [{ from: ALICE_ADDRESS, to: CONTRACT }] }] }
    expect(await read('eth_simulateV1', call)).toMatchObject([{ number: '0x2', calls: [{ returnData: FORTY_TWO }] }])
    expect(await dev.rpc('eth_feeHistory', '0x2', 'pending', [50])).toMatchObject({
      oldestBlock: '0x0',
      reward: [['0x0'], ['0x3b9aca00']],
    })
    const { stateRoot } = await pendingBlock(dev)
    const proof = (await read('eth_getProof', CONTRACT, ['0x0'])) as {
      accountProof: string[]
      storageHash: string
      storageProof: { value: string; proof: string[] }[]
    }
    expect(provenValue(stateRoot, CONTRACT, proof.accountProof)).toBeDefined()
    expect(proof.storageProof[0]?.value).toBe('0x2a')
    expect(provenValue(proof.storageHash, SLOT_ZERO, proof.storageProof[0]?.proof ?? [])).toBe('0x2a')
  })

  it('is built once, on demand, and again after changes of pool, head, state and clock', async () => {
    const dev = await open()
    const build = vi.spyOn(dev.node.chain, 'build')
    await dev.rpc('eth_getBalance', BOB_ADDRESS, 'latest')
    await send(dev, { nonce: 0, value: 1n })
    expect(build).toHaveBeenCalledTimes(0)
    const balance = async () => BigInt(await dev.rpc<string>('eth_getBalance', BOB_ADDRESS, 'pending')) - RICH
    const together = await Promise.all([balance(), balance(), pendingBlock(dev), pendingBlock(dev, true)])
    expect(together.slice(0, 2)).toEqual([1n, 1n])
    expect(build).toHaveBeenCalledTimes(1)
    await send(dev, { nonce: 1, value: 2n })
    expect(await balance()).toBe(3n)
    expect(build).toHaveBeenCalledTimes(2)
    await dev.rpc('hardhat_setBalance', BOB_ADDRESS, `0x${(RICH + 100n).toString(16)}`)
    expect(await balance()).toBe(103n)
    await dev.rpc('evm_increaseTime', 1000)
    const later = await pendingBlock(dev)
    const before = build.mock.calls.length
    expect(Number(later.timestamp)).toBeGreaterThanOrEqual(dev.clock.seconds + 1000)
    await dev.rpc('evm_mine')
    expect((await pendingBlock(dev)).transactions).toEqual([])
    expect(build.mock.calls.length).toBe(before + 1)
    expect(await balance()).toBe(103n)
    expect(build.mock.calls.length).toBe(before + 1)
  })

  it('omits transactions that cannot be executed, which stay in the pool, and has no side effects', async () => {
    const dev = await open()
    const all = (RICH * 99n) / 100n
    const first = await send(dev, { nonce: 0, value: all })
    await send(dev, { nonce: 1, value: all })
    await dev.rpc('evm_setNextBlockTimestamp', dev.clock.seconds + 77)
    expect(await pendingBlock(dev)).toMatchObject({
      transactions: [first],
      timestamp: `0x${(dev.clock.seconds + 77).toString(16)}`,
    })
    expect(await dev.rpc('txpool_status')).toMatchObject({ pending: '0x2' })
    await dev.rpc('evm_mine')
    expect(await dev.rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      transactions: [first],
      timestamp: `0x${(dev.clock.seconds + 77).toString(16)}`,
    })
  })

  it('is available while the pool changes constantly', async () => {
    const dev = await open()
    let nonce = 0
    const build = dev.node.chain.build.bind(dev.node.chain)
    vi.spyOn(dev.node.chain, 'build').mockImplementation(async (...parameters) => {
      await send(dev, { nonce: nonce++ })
      return build(...parameters)
    })
    const block = await pendingBlock(dev)
    expect(block.number).toBe('0x1')
    expect(nonce).toBeLessThan(10)
  })

  it('is the head in the besu profile', async () => {
    const dev = await open({ 'rpc-profile': 'besu' })
    await send(dev, { nonce: 0, value: 5n })
    expect(await dev.rpc('eth_getBlockByNumber', 'pending', false)).toEqual(
      await dev.rpc('eth_getBlockByNumber', 'latest', false),
    )
    expect(BigInt(await dev.rpc<string>('eth_getBalance', BOB_ADDRESS, 'pending'))).toBe(RICH)
  })
})
