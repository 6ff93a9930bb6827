import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import { verifyRecorded } from '../support/chains/verifyCommit.ts'
import { MAINNET_1000, needsChain, RECORDED_CHAINS } from '../support/recorded/recordedChains.ts'
import { longCount } from './count.ts'

describe('recorded chains through verify and commit', () => {
  for (const chain of [...RECORDED_CHAINS, MAINNET_1000].slice(0, longCount)) {
    it(`${chain.folder}: each block is executed once`, needsChain(chain), async () => {
      const { head, blocks, whileVerified, whileCommitted } = await verifyRecorded(chain)
      expect([blocks, bytesToHex(head.hash)]).toEqual([chain.blocks, chain.head])
      expect(whileVerified).toEqual(Array(blocks).fill(1))
      expect(whileCommitted).toEqual(Array(blocks).fill(0))
    })
  }
})
