// slow: whole recorded chains
/** Applying the recorded changes of transactions gives the same state as executing them again. */
import { describe, expect, it } from 'vitest'
import type { KeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { openReplay } from '../../support/chains/replay.ts'
import { type BlockchainTest, openBlockchainTest, readTests } from '../../support/recorded/blockchainTests.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { blockFile, importFile, openRecorded, RECORDED_CHAINS } from '../../support/recorded/recordedChains.ts'

const LIMITS = { signal: undefined, timeoutMs: undefined }
const TIMEOUT_MS = 120_000

/** @returns number of transactions compared */
async function compareBlock(chain: Chain, kv: KeyValueStore, header: ChainHeader): Promise<number> {
  const count = chain.body(header.hash)?.transactions.length ?? 0
  if (count === 0) return 0
  const { replay: known } = await openReplay(chain, kv)
  await known.stateAfter(header, count, LIMITS)
  for (let after = 0; after <= count; after++) {
    const { replay: fresh } = await openReplay(chain, kv)
    const run = await fresh.stateAfter(header, after, LIMITS)
    const applied = await known.stateAfter(header, after, LIMITS)
    const place = `block ${header.header.number}, after ${after}`
    expect(bytesToHex(applied.state.rootHash()), place).toBe(bytesToHex(run.state.rootHash()))
    const postState = after === 0 ? undefined : chain.receipts(header.hash)?.[after - 1]?.postState
    if (postState !== undefined) {
      expect(bytesToHex(applied.state.rootHash()), place).toBe(bytesToHex(postState))
    }
  }
  return count
}

async function compareChain(chain: Chain, kv: KeyValueStore): Promise<number> {
  let seen = 0
  for (let number = 1; number <= Number(chain.head.header.number); number++) {
    const header = chain.headerByNumber(number)
    if (header !== undefined) seen += await compareBlock(chain, kv, header)
  }
  return seen
}

describe('changes of transactions', () => {
  for (const recorded of RECORDED_CHAINS.filter(({ blocks }) => blocks < 100)) {
    it(
      recorded.folder,
      async () => {
        const kv = new MemoryStore()
        const chain = await openRecorded(recorded, { kv })
        await importFile(chain, [blockFile(recorded)], { verifySeal: false })
        await compareChain(chain, kv)
      },
      TIMEOUT_MS,
    )
  }

  for (const folder of ['v12/TransitionTests', 'v12/ValidBlocks/bcStateTests', 'v14/ValidBlocks']) {
    it(
      `BlockchainTests/${folder}`,
      async () => {
        let seen = 0
        const found = recordedPath('ethereum-tests', 'BlockchainTests', folder)
        for (const [, test] of readTests(found)) seen += await compareTest(test)
        expect(seen).toBeGreaterThan(0)
      },
      TIMEOUT_MS,
    )
  }
})

async function compareTest(test: BlockchainTest): Promise<number> {
  const kv = new MemoryStore()
  const chain = await openBlockchainTest(test, kv)
  return compareChain(chain, kv)
}
