import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALICE, BOB } from '../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import { at, callTo, code, SELFDESTRUCT } from '../../tracing/geth/programs.ts'

interface Entry {
  readonly action: Record<string, string>
  readonly blockNumber: number
  readonly type: string
}

const FROM = ALICE.address.toLowerCase()
const TARGET = at(0x3000)
const WHOLE = { fromBlock: '0x0', toBlock: 'latest' }

const short = ({ type, blockNumber, action }: Entry): string => `${blockNumber} ${type} ${action['to'] ?? ''}`.trim()

describe('trace_filter', () => {
  let node: OpenedNode
  let contract: string

  const filter = async (options: object): Promise<readonly Entry[]> => node.rpc('trace_filter', options)

  beforeAll(async () => {
    node = await openDevNode({ 'rpc-profile': 'besu', 'rpc-max-trace-filter-range': 10 })
    contract = await deploy(node, code(callTo(TARGET), BigInt(at(1)), SELFDESTRUCT).code)
    await node.rpc('hardhat_mine', '0x2')
    await send(node, { to: contract })
    await send(node, { to: BOB.address, value: '0x1' })
  })

  afterAll(() => node.node.close())

  it("has all entries of a range, and each block's rewards", async () => {
    expect((await filter(WHOLE)).map(short)).toEqual([
      '1 create',
      '1 reward',
      '2 reward',
      '3 reward',
      `4 call ${contract}`,
      `4 call ${TARGET}`,
      '4 suicide',
      '4 reward',
      `5 call ${BOB.address.toLowerCase()}`,
      '5 reward',
    ])
  })

  it('traces only the head without a range', async () => {
    expect((await filter({})).map(short)).toEqual([`5 call ${BOB.address.toLowerCase()}`, '5 reward'])
  })

  it('selects by caller and by callee', async () => {
    expect((await filter({ ...WHOLE, fromAddress: FROM })).map(short)).toEqual([
      '1 create',
      `4 call ${contract}`,
      `5 call ${BOB.address.toLowerCase()}`,
    ])
    expect((await filter({ ...WHOLE, toAddress: [TARGET, BOB.address] })).map(short)).toEqual([
      `4 call ${TARGET}`,
      `5 call ${BOB.address.toLowerCase()}`,
    ])
    expect((await filter({ ...WHOLE, fromAddress: [contract], toAddress: [TARGET] })).map(short)).toEqual([
      `4 call ${TARGET}`,
    ])
    expect(await filter({ ...WHOLE, fromAddress: [BOB.address], toAddress: [TARGET] })).toEqual([])
  })

  it('finds calls of precompiled contracts', async () => {
    await send(node, { to: at(4) })
    expect((await filter({ ...WHOLE, toAddress: at(4) })).map(short)).toEqual([`6 call ${at(4)}`])
    await node.rpc('debug_setHead', '0x5')
  })

  it('returns a page of the matches', async () => {
    const all = await filter(WHOLE)
    for (const [after, count] of [
      [0, 3],
      [4, 2],
      [6, 100],
      [100, 1],
    ] as const) {
      expect(await filter({ ...WHOLE, after, count })).toEqual(all.slice(after, after + count))
    }
    expect(await filter({ ...WHOLE, count: 0 })).toEqual([])
    expect((await filter({ ...WHOLE, fromAddress: FROM, after: 1, count: 1 })).map(short)).toEqual([
      `4 call ${contract}`,
    ])
  })

  it('has nothing for an empty range, the genesis block, and blocks that do not exist yet', async () => {
    expect(await filter({ fromBlock: '0x3', toBlock: '0x2' })).toEqual([])
    expect(await filter({ fromBlock: 'earliest', toBlock: '0x0' })).toEqual([])
    expect(await filter({ fromBlock: '0x6', toBlock: '0x9' })).toEqual([])
    expect((await filter({ fromBlock: '0x5', toBlock: '0x9' })).map(short)).toHaveLength(2)
  })

  it('refuses ranges that are too long, other tags, and unknown members', async () => {
    const tooLong = expect.objectContaining({
      code: -32005,
      message: 'Requested range exceeds maximum RPC range limit',
    })
    await expect(filter({ fromBlock: '0x1', toBlock: '0xc' })).rejects.toEqual(tooLong)
    expect(await filter({ fromBlock: '0x6', toBlock: '0x10' })).toEqual([])
    const internal = expect.objectContaining({ code: -32603 })
    for (const tag of ['pending', 'safe', 'finalized']) {
      await expect(filter({ fromBlock: tag })).rejects.toEqual(internal)
    }
    const invalid = expect.objectContaining({ code: -32602 })
    for (const wrong of [{ mode: 'x' }, { after: -1 }, { count: 1.5 }, { fromAddress: 5 }, { toAddress: ['0xzz'] }]) {
      await expect(filter({ ...WHOLE, ...wrong })).rejects.toEqual(invalid)
    }
  })
})
