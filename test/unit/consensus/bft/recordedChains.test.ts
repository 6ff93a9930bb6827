// slow: whole recorded chains with all seals
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { BFT_CHAINS } from '../../../support/chains/bftChains.ts'
import { blockFile, importFile, inPieces, needsChain, openRecorded } from '../../../support/recorded/recordedChains.ts'

/** Recovering all seals of a chain with more blocks takes too long; its whole import is part of the conformance runs. */
const MAX_BLOCKS = 100

describe('import of recorded BFT chains, with all seals', () => {
  for (const recorded of BFT_CHAINS) {
    it(recorded.folder, needsChain(recorded), async () => {
      const chain = await openRecorded(recorded)
      const file = blockFile(recorded)
      const report = await importFile(chain, inPieces(file, 60_000), { endBlock: BigInt(MAX_BLOCKS + 1) })
      expect(report.end).toEqual({ kind: 'done' })
      expect(report.imported).toBe(Math.min(recorded.blocks, MAX_BLOCKS))
      if (recorded.blocks <= MAX_BLOCKS) expect(bytesToHex(chain.head.hash)).toBe(recorded.head)
      const exported = concatBytes(...chain.exportBlocks({ startBlock: 0 }))
      expect(bytesToHex(exported)).toBe(bytesToHex(file.subarray(0, exported.length)))
    })
  }
})
