import { describe, expect, it } from 'vitest'
import { hexToBytes, writeUint } from '../../../../src/base/primitives/bytes.ts'
import { encodeBlockTerms } from '../../../../src/chain/termIndex/blockTerms.ts'
import { SECTION_BLOCKS, SECTION_DEPTH } from '../../../../src/chain/termIndex/section.ts'
import { sectionStep } from '../../../../src/chain/termIndex/sectionBuilder.ts'
import { TermIndex } from '../../../../src/chain/termIndex/termIndex.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { keys } from '../../../../src/storage/schema.ts'
import { Random } from '../../../support/host/random.ts'
import { ALICE, BOB } from '../../../support/nodes/devChain.ts'
import { closedAfterEach } from '../../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()
const SECTIONS = 6
const HEAD = SECTIONS * SECTION_BLOCKS + SECTION_DEPTH + 40
const ACCOUNTS = [0xa1, 0xb2, 0xc3].map((byte) => new Uint8Array(20).fill(byte))

function hashOf(number: number): Uint8Array {
  const hash = new Uint8Array(32)
  writeUint(hash, 28, number, 4)
  return hash
}

/** Blocks that each name some of the accounts. @param sections number of complete sections */
function storeOf(random: Random, sections: number): MemoryStore {
  const kv = new MemoryStore()
  for (let number = 0; number <= HEAD; number++) {
    const accounts = ACCOUNTS.filter((_, i) => random.chance([2, 20, 90][i] as number))
    kv.commit([
      { key: keys.canonicalHash(number), value: hashOf(number) },
      { key: keys.blockTerms(number, hashOf(number)), value: encodeBlockTerms([], accounts) },
    ])
  }
  const head = sections * SECTION_BLOCKS + SECTION_DEPTH - 1
  for (let step = sectionStep(kv, head); step !== undefined; step = sectionStep(kv, head)) kv.commit(step)
  return kv
}

describe('blocks with an account, newest first', () => {
  it.each([0, 3, SECTIONS])('are those of the ascending search in reverse (%i complete sections)', (sections) => {
    const random = new Random(sections + 1)
    const index = new TermIndex(storeOf(random, sections))
    for (let round = 0; round < 60; round++) {
      const [from, to] = [random.below(HEAD + 1), random.below(HEAD + 1)]
      const accounts = [random.pick(ACCOUNTS)]
      const ascending = [...index.blocksWithAccounts(accounts, from, to)]
      expect([...index.blocksWithAccounts(accounts, from, to, true)]).toEqual(ascending.reverse())
    }
  })

  it('are read from the end of the range only', () => {
    const kv = storeOf(new Random(7), SECTIONS)
    let reads = 0
    const counting = {
      get: (key: Uint8Array) => kv.get(key),
      getMany: (wanted: readonly Uint8Array[]) => {
        reads += wanted.length
        return kv.getMany(wanted)
      },
      range: (options: Parameters<MemoryStore['range']>[0]) => kv.range(options),
    }
    const common = [ACCOUNTS[2] as Uint8Array]
    const [newest] = new TermIndex(counting).blocksWithAccounts(common, 0, SECTIONS * SECTION_BLOCKS - 1, true)
    expect(newest).toBeGreaterThan((SECTIONS - 1) * SECTION_BLOCKS)
    expect(reads).toBeLessThan(5)
  })

  it('skip derived blocks', async () => {
    const { node, rpc } = await open()
    const send = () => rpc('eth_sendTransaction', { from: ALICE.address, to: BOB.address, value: '0x1' })
    for (const count of [40, 1, 700, 3]) {
      await send()
      await rpc('hardhat_mine', `0x${count.toString(16)}`)
      await send()
    }
    const { index, head } = node.chain
    const last = Number(head.header.number)
    const bob = [hexToBytes(BOB.address)]
    const ascending = [...index.blocksWithAccounts(bob, 0, last)]
    expect(ascending).toHaveLength(8)
    expect([...index.blocksWithAccounts(bob, 0, last, true)]).toEqual([...ascending].reverse())
    for (const to of [20, 41, 43, 400, 745]) {
      const below = ascending.filter((number) => number <= to)
      expect([...index.blocksWithAccounts(bob, 1, to, true)], `to ${to}`).toEqual(below.reverse())
    }
    for (const from of [3, 30, 44, 300, 744]) {
      const above = ascending.filter((number) => number >= from)
      expect([...index.blocksWithAccounts(bob, from, last, true)], `from ${from}`).toEqual(above.reverse())
    }
  })
})
