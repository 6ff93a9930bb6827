/** Terms of blocks whose sections are complete: they are deleted, and searches find the same without them. */
// slow: a thousand blocks
import { beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { hexToBytes, readUint } from '../../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import { decodeSectionHead, SECTION_BLOCKS, SECTION_DEPTH } from '../../../../src/chain/termIndex/section.ts'
import { IndexBuild } from '../../../../src/node/indexBuild.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../../src/storage/schema.ts'
import { addLoggers, numbers, randomTerms, scanned, sealRandom } from '../../../support/chains/indexedChain.ts'
import { devWriter, TEST_CLOCK, TEST_SENDERS } from '../../../support/chains/testChain.ts'
import { Random } from '../../../support/host/random.ts'
import { testRandom, testTimers } from '../../../support/host/testPorts.ts'
import { testYield } from '../../../support/host/testYield.ts'
import { ALICE, openDevChain } from '../../../support/nodes/devChain.ts'

const SECTIONS = 4
const HEAD = SECTIONS * SECTION_BLOCKS + SECTION_DEPTH

/** Numbers of the blocks that have terms of their own. */
function withTerms(kv: MemoryStore): number[] {
  return Array.from(kv.range({ prefix: Uint8Array.of(Column.blockTerms) }), ([key]) => readUint(key, 1, 6))
}

function checkSearches(chain: Chain, random: Random): void {
  const head = Number(chain.head.header.number)
  for (let round = 0; round < 10; round++) {
    const terms = randomTerms(random)
    const blocks = [...chain.index.blocksWithLogs(terms, 0, head)]
    expect(scanned(chain, terms, blocks)).toEqual(scanned(chain, terms, numbers(0, head)))
  }
}

/** Blocks in which the index says that the sender of all transactions took part. */
const ofSender = (chain: Chain) => [...chain.index.blocksWithAccounts([hexToBytes(ALICE.address)], 0, HEAD)]

describe('terms of blocks', () => {
  const kv = new MemoryStore()
  const random = new Random(5)
  let chain: Chain

  beforeAll(async () => {
    chain = await openDevChain({ kv })
    await addLoggers(chain)
    await sealRandom(chain, random, HEAD)
  })

  it('are deleted when the next section but one is complete', () => {
    expect(kv.get(keys.termSection(SECTIONS - 1))).toBeDefined()
    expect(withTerms(kv)).toEqual(numbers((SECTIONS - 2) * SECTION_BLOCKS, HEAD))
    checkSearches(chain, random)
    const withTransactions = numbers(0, HEAD).filter((number) => {
      const header = chain.headerByNumber(number)
      return (chain.body(header?.hash as Uint8Array)?.transactions.length ?? 0) > 0
    })
    expect(ofSender(chain)).toEqual(withTransactions)
  })

  it('that an older program has left are deleted in the background', async () => {
    const older = numbers(0, SECTION_BLOCKS).map((number) => {
      const key = keys.blockTerms(number, chain.headerByNumber(number)?.hash as Uint8Array)
      return { key, value: new Uint8Array(4) }
    })
    kv.commit(older)
    const host = { store: kv, clock: TEST_CLOCK, logger: silentLogger, senders: TEST_SENDERS, platform: 'test' }
    const ports = { timers: testTimers, random: testRandom, yieldToHost: testYield }
    const build = new IndexBuild({ ...host, ...ports }, chain)
    build.start()
    await build.done
    expect(withTerms(kv)).toEqual(numbers((SECTIONS - 2) * SECTION_BLOCKS, HEAD))
    checkSearches(chain, random)
  })

  it('are made again from receipts after a reorganisation below them', async () => {
    const parting = SECTION_BLOCKS + 100
    await devWriter(chain).rollback(HEAD - parting)
    checkSearches(chain, random)
    await sealRandom(chain, random, SECTION_BLOCKS + SECTION_DEPTH)
    const { lastHash } = decodeSectionHead(kv.get(keys.termSection(1)) as Uint8Array)
    expect(lastHash).toEqual(chain.headerByNumber(2 * SECTION_BLOCKS - 1)?.hash)
    expect(withTerms(kv)).toEqual(expect.arrayContaining(numbers(SECTION_BLOCKS, parting + SECTION_BLOCKS)))
    checkSearches(chain, random)
  })
})
