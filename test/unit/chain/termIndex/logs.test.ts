// slow: thousands of blocks
import { beforeAll, describe, expect, it } from 'vitest'
import type { KeyValueReader } from '../../../../src/base/ports/keyValueStore.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import type { ChainReader } from '../../../../src/chain/contract.ts'
import { SECTION_BLOCKS, SECTION_DEPTH } from '../../../../src/chain/termIndex/section.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { keys } from '../../../../src/storage/schema.ts'
import {
  addLoggers,
  exactCandidates,
  numbers,
  randomTerms,
  scanned,
  sealRandom,
} from '../../../support/chains/indexedChain.ts'
import { Random } from '../../../support/host/random.ts'
import { openDevChain } from '../../../support/nodes/devChain.ts'

const TWO_SECTIONS = 2 * SECTION_BLOCKS + SECTION_DEPTH
const ROUNDS = 25

const isBuilt = (kv: KeyValueReader, section: number): boolean => kv.get(keys.termSection(section)) !== undefined

/**
 * Checks that the index returns the exact blocks with the terms, and in them all logs that a search of every block
 * finds.
 */
function checkIndex(chain: ChainReader, random: Random): void {
  const head = Number(chain.head.header.number)
  for (let round = 0; round < ROUNDS; round++) {
    const terms = randomTerms(random)
    const from = random.chance(30) ? 0 : random.below(head + 1)
    const to = random.chance(30) ? head : from + random.below(head + 10 - from)
    const candidates = [...chain.index.blocksWithLogs(terms, from, to)].filter((number) => number <= head)
    expect(candidates, JSON.stringify({ from, to, round })).toEqual(exactCandidates(chain, terms, from, to))
    expect(scanned(chain, terms, candidates)).toEqual(scanned(chain, terms, numbers(from, Math.min(to, head))))
  }
}

describe('the index of logs', () => {
  const random = new Random(7)
  const kv = new MemoryStore()
  let chain: Chain

  beforeAll(async () => {
    chain = await openDevChain({ kv })
    await addLoggers(chain)
    await sealRandom(chain, random, SECTION_BLOCKS - 1)
  })

  it('finds the same logs as a search of every block, before the first section', () => {
    expect(isBuilt(kv, 0)).toBe(false)
    checkIndex(chain, random)
  })

  it('continues in sections once blocks are deep enough', async () => {
    await sealRandom(chain, random, SECTION_DEPTH)
    expect(isBuilt(kv, 0)).toBe(true)
    await sealRandom(chain, random, TWO_SECTIONS - Number(chain.head.header.number))
    expect(isBuilt(kv, 1)).toBe(true)
    expect(isBuilt(kv, 2)).toBe(false)
    checkIndex(chain, random)
  })

  it('is available again when the chain is reopened', async () => {
    checkIndex(await openDevChain({ kv }), random)
  })

  it('answers only for canonical blocks, wherever the head moves', async () => {
    const first = chain.head
    const parting = chain.canonicalHash(SECTION_BLOCKS - 20) as Uint8Array
    await chain.setHead(parting)
    checkIndex(chain, random)
    await sealRandom(chain, random, 30)
    checkIndex(chain, random)
    await sealRandom(chain, random, SECTION_BLOCKS + SECTION_DEPTH)
    checkIndex(chain, random)
    const second = chain.head
    await chain.setHead(first.hash)
    checkIndex(chain, random)
    await sealRandom(chain, random, 3)
    checkIndex(chain, random)
    await chain.setHead(second.hash)
    await sealRandom(chain, random, SECTION_DEPTH)
    checkIndex(chain, random)
    await chain.setHead(chain.genesis.hash)
    expect([...chain.index.blocksWithLogs({ addresses: [], topics: [] }, 0, 10)]).toEqual([0])
  })

  it('matches nothing for an empty list of alternatives', () => {
    expect([...chain.index.blocksWithLogs({ addresses: [], topics: [[]] }, 0, 10)]).toEqual([])
  })
})
