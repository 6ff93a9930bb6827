import { describe, expect, test } from 'vitest'
import { openTestFork } from '../../support/fork/openTestFork.ts'
import { plain } from '../../support/fork/plain.ts'
import { openRecordedRemote } from '../../support/fork/recordedRemote.ts'

const CHAINS: readonly string[] = [
  'besu/frontier',
  'besu/shanghai',
  'besu/osaka',
  'besu/clique',
  'besu/qbft',
  'besu/ibft2',
]

describe('blocks of a remote, read through the tables of this node', () => {
  const cases = CHAINS.flatMap((folder) => [
    { folder, mode: 'auto' as const },
    { folder, mode: 'proofs' as const },
  ])
  test.each(cases)('$folder, $mode: all of a block is that of the remote', async ({ folder, mode }) => {
    const { remote, chain } = await openRecordedRemote(folder)
    const fork = await openTestFork(remote, { mode })
    expect(fork.point.block.hash).toEqual(chain.head.hash)
    for (let number = Number(chain.head.header.number); number >= 0; number--) {
      const block = await fork.read(() => fork.chain.headerByNumber(number))
      const { hash } = block ?? chain.head
      const expected = chain.headerByNumber(number)
      expect(plain(block?.header)).toEqual(plain(expected?.header))
      expect(plain(hash)).toEqual(plain(expected?.hash))
      // Nothing proves the total difficulty.
      expect(block?.totalDifficulty).toBe(mode === 'proofs' ? 0n : expected?.totalDifficulty)
      expect(await fork.read(() => fork.chain.blockSize(hash))).toBe(chain.blockSize(hash))
      expect(plain(await fork.read(() => fork.chain.body(hash)))).toEqual(plain(chain.body(hash)))
      expect(plain(await fork.read(() => fork.chain.senders(hash)))).toEqual(plain(chain.senders(hash)))
      expect(plain(await fork.read(() => fork.chain.receipts(hash)))).toEqual(plain(chain.receipts(hash)))
      expect(plain(await fork.read(() => fork.chain.blockRlp(hash)))).toEqual(plain(chain.blockRlp(hash)))
      for (const transaction of chain.transactionHashes(hash) ?? []) {
        const location = await fork.read(() => fork.chain.transactionLocation(transaction))
        expect(plain(location)).toEqual(plain(chain.transactionLocation(transaction)))
      }
    }
    expect(fork.unverified).toEqual([])
  })
})
