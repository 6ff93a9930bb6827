// slow: thousands of blocks
import { beforeAll, describe, expect, it } from 'vitest'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { SECTION_BLOCKS, SECTION_DEPTH } from '../../../src/chain/termIndex/section.ts'
import { IndexBuild } from '../../../src/node/indexBuild.ts'
import type { NodeHost } from '../../../src/node/node.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { ResidentStore } from '../../../src/storage/residentStore.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import { addLoggers, addressOf, numbers, randomTerms, scanned, sealRandom } from '../../support/chains/indexedChain.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../../support/chains/testChain.ts'
import { Random } from '../../support/host/random.ts'
import { testRandom, testTimers } from '../../support/host/testPorts.ts'
import { testYield } from '../../support/host/testYield.ts'
import { openDevChain } from '../../support/nodes/devChain.ts'

const HEAD = 2 * SECTION_BLOCKS + SECTION_DEPTH
const ADDED: readonly number[] = [Column.blockTerms, Column.termSection]

/** The mutations that restore a store as left by a program without the index. */
function beforeIndex(kv: MemoryStore): Mutation[] {
  const kept = [...kv.range({ prefix: new Uint8Array(0) })].filter(([key]) => !ADDED.includes(key[0] as number))
  return kept.map(([key, value]) => ({ key, value }))
}

let entries: readonly Mutation[]

beforeAll(async () => {
  const kv = new MemoryStore()
  const chain = await openDevChain({ kv })
  await addLoggers(chain)
  await sealRandom(chain, new Random(3), HEAD)
  entries = beforeIndex(kv)
})

function olderStore(): { readonly kv: MemoryStore; readonly random: Random } {
  const kv = new MemoryStore()
  kv.commit(entries)
  return { kv, random: new Random(4) }
}

function hostOf(store: MemoryStore, infos: Record<string, unknown>[] = []): NodeHost {
  const logger = {
    ...silentLogger,
    info: (_: string, properties?: Record<string, unknown>) => infos.push(properties ?? {}),
  }
  return {
    store,
    clock: TEST_CLOCK,
    logger: logger as unknown as NodeHost['logger'],
    senders: TEST_SENDERS,
    timers: testTimers,
    random: testRandom,
    yieldToHost: testYield,
    platform: 'test',
  }
}

function checkLogs(chain: Chain, random: Random): number {
  const head = Number(chain.head.header.number)
  let candidates = 0
  for (let round = 0; round < 15; round++) {
    const terms = randomTerms(random)
    const blocks = [...chain.index.blocksWithLogs(terms, 0, head)]
    expect(scanned(chain, terms, blocks)).toEqual(scanned(chain, terms, numbers(0, head)))
    candidates += blocks.length
  }
  return candidates
}

function started(...options: ConstructorParameters<typeof IndexBuild>): IndexBuild {
  const build = new IndexBuild(...options)
  build.start()
  return build
}

describe('a database from before the index', () => {
  it('answers immediately, and from the index when it is complete', async () => {
    const { kv, random } = olderStore()
    const chain = await openDevChain({ kv })
    const before = checkLogs(chain, new Random(9))
    const build = started(hostOf(kv), chain)
    await build.done
    expect(kv.get(keys.termSection(1))).toBeDefined()
    expect(checkLogs(chain, new Random(9))).toBeLessThanOrEqual(before)
    // Nothing is known about accounts in old blocks: any of them may have accessed any account.
    expect([...chain.index.blocksWithAccounts([addressOf(0x99)], 0, HEAD)]).toEqual(numbers(0, HEAD))
    await sealRandom(chain, random, 10)
    expect([...chain.index.blocksWithAccounts([addressOf(0x99)], 0, HEAD + 10)]).toEqual(numbers(0, HEAD))
    checkLogs(chain, random)
  })

  it('resumes where it was stopped, with new blocks in between', async () => {
    const { kv, random } = olderStore()
    const first = await openDevChain({ kv })
    let turns = 0
    const stopping = started(hostOf(kv), {
      run: async (lane, work) => {
        const result = await first.run(lane, work)
        if (++turns === 5) void stopping.stop()
        return result
      },
    })
    await stopping.done
    expect(turns).toBe(5)
    expect(kv.get(keys.termSection(0))).toBeUndefined()
    await sealRandom(first, random, 20)
    checkLogs(first, random)
    await first.close()

    const second = await openDevChain({ kv })
    await started(hostOf(kv), second).done
    expect(kv.get(keys.termSection(1))).toBeDefined()
    checkLogs(second, random)
  })

  it('is completed over an asynchronous store', async () => {
    const { kv, random } = olderStore()
    const store = new ResidentStore(
      {
        getMany: async (wanted) => kv.getMany(wanted),
        range: async (options) => [...kv.range(options)],
        commit: async (batch) => kv.commit(batch),
        close: async () => {},
      },
      { bytes: 500_000 },
    )
    const chain = await openDevChain({ kv: store, residency: store })
    await started({ ...hostOf(kv), store, residency: store }, chain).done
    await chain.close()
    expect(kv.get(keys.termSection(1))).toBeDefined()
    checkLogs(await openDevChain({ kv }), random)
  })

  it('is also completed by new blocks alone', async () => {
    const { kv, random } = olderStore()
    const chain = await openDevChain({ kv })
    await sealRandom(chain, random, SECTION_BLOCKS + 10)
    expect(kv.get(keys.termSection(1))).toBeDefined()
    checkLogs(chain, random)
  })

  it('stops when the node closes', async () => {
    const { kv } = olderStore()
    const chain = await openDevChain({ kv })
    const build = started(hostOf(kv), chain)
    await build.stop()
    await chain.close()
    expect(kv.get(keys.termSection(1))).toBeUndefined()
  })
})
