// slow: long chains
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { type MergedChains, mergedChains, type ServedChain, TERMINAL_BLOCK } from './branches.ts'
import { SyncNode } from './syncNode.ts'

const hashAt = (chain: ServedChain, number: number): string => bytesToHex(chain[number]?.hash as Uint8Array)
const headOf = (node: SyncNode): string => bytesToHex(node.chain.head.hash)
const warnings = (node: SyncNode): string[] =>
  node.log.filter(({ level }) => level === 'warn').map(({ message }) => message)

const STOPPED =
  'synchronisation ends here: the next blocks are of proof of stake, and need a consensus client, which this node cannot use yet'

async function open(): Promise<{ node: SyncNode; chains: MergedChains }> {
  const chains = await mergedChains()
  return { node: await SyncNode.open({ source: chains }), chains }
}

describe('synchronisation of a chain that leaves proof of work', () => {
  it('stops at the last block of proof of work, whatever peers serve, and says so once', async () => {
    const { node, chains } = await open()
    node.sync.start()
    const liar = node.join({ chain: chains.rival, claims: { number: 1000n }, hasDifficulty: false })
    expect(await node.until(() => node.height === TERMINAL_BLOCK)).toBe(true)
    const honest = node.join({ chain: chains.main })
    await node.world.pass(120_000)
    expect(headOf(node)).toBe(hashAt(chains.main, TERMINAL_BLOCK))
    expect(warnings(node)).toEqual([STOPPED])
    expect([liar.dropped, honest.dropped]).toEqual([undefined, undefined])
    expect(node.sync.isBehind).toBe(false)
    await node.stop()
  })

  it('never adds blocks of a peer to those of proof of stake', async () => {
    const { node, chains } = await open()
    const imported = TERMINAL_BLOCK + 3
    await node.import(chains.main.slice(0, imported + 1))
    expect(node.height).toBe(imported)
    node.sync.start()
    const peer = node.join({ chain: chains.main, hasDifficulty: false })
    await node.world.pass(120_000)
    expect(headOf(node)).toBe(hashAt(chains.main, imported))
    expect(peer.asked).toBe(0)
    expect(warnings(node)).toEqual([STOPPED])
    await node.stop()
  })
})
