// slow: whole recorded chains
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes } from '../../../src/base/primitives/bytes.ts'
import {
  blockFile,
  importFile,
  inPieces,
  MAINNET_1000,
  needsChain,
  openRecorded,
  RECORDED_CHAINS,
} from '../../support/recorded/recordedChains.ts'

/** The first seal requires an ethash cache, which takes seconds to generate. */
const TIMEOUT_MS = 120_000

/**
 * These seals are verified by the long runs and the tests of ethash, because each takes as long as a whole other chain.
 */
const SLOW_SEALS = new Set(['besu/frontier', 'besu/shanghai', 'besu/cancun'])

describe('import of recorded chains', () => {
  for (const recorded of RECORDED_CHAINS) {
    it(
      recorded.folder,
      async () => {
        const chain = await openRecorded(recorded)
        const file = blockFile(recorded)
        const verifySeal = recorded.withoutSeals !== true && !SLOW_SEALS.has(recorded.folder)
        const report = await importFile(chain, inPieces(file, 60_000), { verifySeal })
        expect(report.end).toEqual({ kind: 'done' })
        expect(report.imported).toBe(recorded.blocks)
        expect(bytesToHex(chain.head.hash)).toBe(recorded.head)
        expect(report.bytesRead).toBe(file.length)
        const exported = concatBytes(...chain.exportBlocks({ startBlock: 1 }))
        expect(bytesToHex(exported)).toBe(bytesToHex(file.subarray(file.length - exported.length)))
      },
      TIMEOUT_MS,
    )
  }

  it(`${MAINNET_1000.folder}, without seals`, needsChain(MAINNET_1000), async () => {
    const chain = await openRecorded(MAINNET_1000)
    const report = await importFile(chain, [blockFile(MAINNET_1000)], { verifySeal: false })
    expect(report.end).toEqual({ kind: 'done' })
    expect(bytesToHex(chain.head.hash)).toBe(MAINNET_1000.head)
    expect(chain.head.totalDifficulty).toBe(21_991_996_248_790n)
  })
})
