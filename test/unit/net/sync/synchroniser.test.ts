// slow: long chains
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { EARLY_FORK_BLOCK, FORGED_BLOCK, FORK_BLOCK, MAIN_BLOCKS, type ServedChain } from './branches.ts'
import { SyncNode } from './syncNode.ts'

const tip = (chain: ServedChain): string => bytesToHex(chain.at(-1)?.hash as Uint8Array)
const headOf = (node: SyncNode): string => bytesToHex(node.chain.head.hash)

describe('synchronisation with honest peers', () => {
  it('follows one peer from genesis to its head', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    node.sync.start()
    const peer = node.join({ chain: main })
    expect(await node.until(() => node.states.length === 2)).toBe(true)
    expect(headOf(node)).toBe(tip(main))
    expect(node.states).toEqual([{ startingBlock: 0n, currentBlock: 0n, highestBlock: BigInt(MAIN_BLOCKS) }, undefined])
    expect(node.behind).toEqual([true, false])
    expect(peer.conduct.useless).toBe(0)
    expect(node.log.map(({ level, message }) => `${level} ${message}`)).toEqual(['info synchronising', 'info in sync'])
    await node.stop()
  })

  it('continues from its head, with peers of every kind of answer', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    await node.import(main.slice(0, 40))
    node.sync.start()
    node.join({ chain: main, maxHeaders: 3 })
    node.join({ chain: main, omitsBodies: true })
    node.join({ chain: main, latencyMs: [2000, 4000] })
    expect(await node.until(() => node.states.length === 2)).toBe(true)
    expect(headOf(node)).toBe(tip(main))
    expect(node.states[0]).toEqual({ startingBlock: 39n, currentBlock: 39n, highestBlock: BigInt(MAIN_BLOCKS) })
    await node.stop()
  })

  it('changes to the heavier branch of a peer', async () => {
    const node = await SyncNode.open()
    const { main, shorter } = node.tree
    await node.import(shorter)
    node.sync.start()
    node.join({ chain: main })
    expect(await node.until(() => headOf(node) === tip(main))).toBe(true)
    expect(await node.until(() => node.states.length === 2)).toBe(true)
    expect(node.states[0]?.startingBlock).toBe(BigInt(FORK_BLOCK))
    await node.stop()
  })

  it('finds an old common ancestor', async () => {
    const node = await SyncNode.open()
    const { main, early } = node.tree
    await node.import(early)
    node.sync.start()
    node.join({ chain: main })
    expect(await node.until(() => node.states.length === 2)).toBe(true)
    expect(headOf(node)).toBe(tip(main))
    expect(node.states[0]?.startingBlock).toBe(BigInt(EARLY_FORK_BLOCK))
    await node.stop()
  })

  it('does not replace more blocks than its bound', async () => {
    const node = await SyncNode.open({ bounds: { forkBlocks: 100 } })
    const { main, early } = node.tree
    await node.import(early)
    node.sync.start()
    const peer = node.join({ chain: main })
    expect(await node.until(() => peer.dropped !== undefined)).toBe(true)
    expect(peer.dropped).toBe('its block 73 differs from this chain')
    expect(headOf(node)).toBe(tip(early))
    await node.stop()
  })

  it('does not execute a lighter branch', async () => {
    const node = await SyncNode.open()
    const { main, shorter } = node.tree
    await node.import(main.slice(0, FORK_BLOCK + 20))
    node.sync.start()
    const peer = node.join({ chain: shorter.slice(0, FORK_BLOCK + 10), claims: { number: BigInt(FORK_BLOCK + 30) } })
    const liar = node.join({ chain: shorter.slice(0, FORK_BLOCK + 10), claims: { totalDifficulty: 10n ** 9n } })
    expect(await node.until(() => liar.dropped !== undefined)).toBe(true)
    expect(node.chain.headerByHash(shorter[FORK_BLOCK + 1]?.hash as Uint8Array)).toBeUndefined()
    expect(node.height).toBe(FORK_BLOCK + 19)
    expect(peer.dropped).toBeUndefined()
    expect(node.sync.isBehind).toBe(false)
    await node.stop()
  })

  it('leaves a small gap to gossip, then closes it quietly', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    await node.import(main.slice(0, MAIN_BLOCKS - 3))
    node.sync.start()
    node.join({ chain: main })
    await node.world.pass(3000)
    expect(node.height).toBe(MAIN_BLOCKS - 4)
    expect(await node.until(() => headOf(node) === tip(main))).toBe(true)
    expect(node.states).toEqual([])
    expect(node.behind).toEqual([])
    await node.stop()
  })

  it('follows a peer by its height when the total difficulty is unknown', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    node.sync.start()
    node.join({ chain: main, hasDifficulty: false })
    expect(await node.until(() => node.states.length === 2)).toBe(true)
    expect(headOf(node)).toBe(tip(main))
    await node.stop()
  })

  it('follows a peer that advances meanwhile', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    node.sync.start()
    const peer = node.join({ chain: main, height: 60 })
    await node.until(() => node.height > 20)
    peer.advance(MAIN_BLOCKS)
    expect(await node.until(() => headOf(node) === tip(main))).toBe(true)
    await node.stop()
  })

  it('stops at any point and continues later', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    node.sync.start()
    node.join({ chain: main })
    await node.until(() => node.height > 20)
    await node.stop()
    expect(node.height).toBeLessThan(MAIN_BLOCKS)
    expect(node.sync.position).toBeUndefined()
  })
})

describe('synchronisation with faulty peers', () => {
  it.each([
    ['bodies of other blocks', { swapsBodies: true }, /body of block|more bodies/],
    ['headers with gaps', { hasGaps: true }, /in place of header/],
  ] as const)('drops a peer that delivers %s', async (_, behaviour, reason) => {
    const node = await SyncNode.open()
    const { main } = node.tree
    node.sync.start()
    const peer = node.join({ chain: main, ...behaviour })
    node.join({ chain: main })
    expect(await node.until(() => node.height === MAIN_BLOCKS)).toBe(true)
    expect(peer.dropped).toMatch(reason)
    expect(node.log.find(({ level }) => level === 'warn')).toMatchObject({
      message: 'dropped a peer with a wrong answer',
      fields: { peer: expect.stringContaining('simulated/'), reason: expect.stringMatching(reason) },
    })
    await node.stop()
  })

  it.each([
    ['forged', /invalid block 121 .*: invalid state root/],
    ['easy', /block 121: invalid difficulty: 1, must be 1000/],
  ] as const)('drops a peer with a %s chain and keeps the blocks before', async (name, reason) => {
    const node = await SyncNode.open()
    const { tree } = node
    node.sync.start()
    const peer = node.join({ chain: tree[name] })
    expect(await node.until(() => peer.dropped !== undefined)).toBe(true)
    expect(peer.dropped).toMatch(reason)
    expect(node.height).toBe(FORGED_BLOCK)
    node.join({ chain: tree.main })
    expect(await node.until(() => node.height === MAIN_BLOCKS)).toBe(true)
    await node.stop()
  })

  it('replaces a silent peer without waiting for its time-out', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    node.sync.start()
    node.join({ chain: main, answers: 6 })
    node.join({ chain: main })
    expect(await node.until(() => node.height === MAIN_BLOCKS)).toBe(true)
    expect(node.world.now).toBeLessThan(4500)
    await node.stop()
  })

  it('drops a peer that does not have the chain that it claims', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    node.sync.start()
    const liar = node.join({ chain: main.slice(0, 50), claims: { number: 10n ** 12n, totalDifficulty: 10n ** 30n } })
    node.join({ chain: main })
    expect(await node.until(() => node.height === MAIN_BLOCKS)).toBe(true)
    expect(await node.until(() => liar.dropped !== undefined)).toBe(true)
    expect(liar.asked).toBeLessThan(80)
    expect(await node.until(() => !node.sync.isBehind)).toBe(true)
    expect(node.states.at(-1)).toBeUndefined()
    await node.stop()
  })

  it('drops a peer whose head has less total difficulty than claimed', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    node.sync.start()
    const liar = node.join({ chain: main, claims: { totalDifficulty: 10n ** 30n } })
    expect(await node.until(() => liar.dropped !== undefined)).toBe(true)
    expect(liar.dropped).toMatch(/claims total difficulty 1000000000000000000000000000000, its chain has 204096/)
    expect(node.height).toBe(MAIN_BLOCKS)
    await node.stop()
  })

  it('gives other peers their turn when a chain has no end', async () => {
    const node = await SyncNode.open({ bounds: { roundBlocks: 32 } })
    const { main, shorter } = node.tree
    node.sync.start()
    const endless = node.join({ chain: shorter, claims: { number: 10n ** 12n, totalDifficulty: 10n ** 30n } })
    node.join({ chain: main })
    expect(await node.until(() => headOf(node) === tip(main))).toBe(true)
    expect(await node.until(() => endless.dropped !== undefined)).toBe(true)
    await node.stop()
  })

  it('is not kept behind by real blocks under a far claim, and drops the peer', async () => {
    const node = await SyncNode.open()
    const { main } = node.tree
    await node.import(main.slice(0, 41))
    node.sync.start()
    const claims = {
      get number(): bigint {
        return BigInt(node.height + 7)
      },
    }
    const dripping = node.join({ chain: main, height: 41, maxHeaders: 1, hasDifficulty: false, claims })
    for (let height = 42; dripping.isOpen && height < MAIN_BLOCKS; height++) {
      await node.world.pass(1000)
      dripping.advance(height)
    }
    expect(dripping.dropped).toBe('its chain ends far below its head')
    expect(node.sync.isBehind).toBe(false)
    // Only the claim before the first block counted.
    expect(node.behind).toEqual([true, false])
    expect(node.world.now).toBeLessThan(30_000)
    await node.stop()
  })

  it('does not take a peer for a liar because its own head has moved meanwhile', async () => {
    const node = await SyncNode.open({ isFinal: true })
    const { main } = node.tree
    await node.import(main.slice(0, 41))
    node.sync.start()
    const peer = node.join({ chain: main, height: 60, latencyMs: [500, 600] })
    await node.world.pass(200)
    await node.import(main.slice(0, 51))
    expect(await node.until(() => node.height === 60)).toBe(true)
    expect(peer.dropped).toBeUndefined()
    await node.stop()
  })

  it('drops a peer with another block than a final one', async () => {
    const node = await SyncNode.open({ isFinal: true })
    const { main, shorter } = node.tree
    await node.import(main.slice(0, FORK_BLOCK + 5))
    node.sync.start()
    const peer = node.join({ chain: shorter, height: FORK_BLOCK + 15 })
    expect(await node.until(() => peer.dropped !== undefined)).toBe(true)
    expect(peer.dropped).toBe(`its block ${FORK_BLOCK + 1} differs from a final block of this chain`)
    await node.stop()
  })

  it('drops peers far below the head while it synchronises', async () => {
    const node = await SyncNode.open({ maxPeers: 8 })
    const { main } = node.tree
    await node.import(main.slice(0, 50))
    node.sync.start()
    const low = [10, 20, 30, 40].map((height) => node.join({ chain: main, height, isMaintained: height === 10 }))
    node.join({ chain: main })
    expect(await node.until(() => node.height === MAIN_BLOCKS)).toBe(true)
    expect(low.map(({ dropped }) => dropped)).toEqual([
      undefined,
      'trailing peer during the synchronisation',
      undefined,
      undefined,
    ])
    await node.stop()
  })
})
