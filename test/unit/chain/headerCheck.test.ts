import { describe, expect, it } from 'vitest'
import { SimulatedWorld } from '../../simulation/world.ts'
import { GossipNode } from '../net/gossip/gossipNodes.ts'

describe('the check of a header', () => {
  it('distinguishes valid, known, early, orphaned and invalid headers, and stores nothing', async () => {
    const node = await GossipNode.open(new SimulatedWorld(1), 'node')
    const { chain } = node
    const { block, hash } = await node.build()
    const { header } = block
    const check = (changes: object) => chain.checkHeader({ ...header, ...changes }, hash)
    expect(await check({})).toEqual({ kind: 'valid', totalDifficulty: 102n })
    expect(await check({ nonce: new Uint8Array(8) })).toEqual({ kind: 'invalid', reason: 'invalid seal' })
    expect(await check({ number: 2n })).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('invalid block number'),
    })
    expect(await check({ gasUsed: header.gasLimit + 1n })).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('gas used'),
    })
    expect(await check({ parentHash: hash })).toEqual({ kind: 'unknownParent' })
    expect(await check({ timestamp: header.timestamp + 10_000n })).toEqual({ kind: 'future' })
    expect(chain.headerByHash(hash)).toBeUndefined()
    await chain.import(block)
    expect(await check({})).toMatchObject({ kind: 'known' })
  })
})
