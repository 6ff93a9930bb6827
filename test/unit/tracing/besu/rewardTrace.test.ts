import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { type ForkName, forkRules } from '../../../../src/config/forks.ts'
import { PosEngine } from '../../../../src/consensus/pos.ts'
import { PowEngine } from '../../../../src/consensus/pow/pow.ts'
import { rewardTraces } from '../../../../src/tracing/besu/rewardTrace.ts'
import type { Header } from '../../../../src/types/block.ts'

const ETHER = 10n ** 18n
const HASH = new Uint8Array(32).fill(9)

/** The part of a header that rewards need. */
const header = (number: bigint, author: number): Header =>
  ({ number, beneficiary: new Uint8Array(20).fill(author) }) as Header

function actions(fork: ForkName, ommers: readonly Header[]): unknown[] {
  const block = { header: header(10n, 1), ommers }
  return rewardTraces(block, HASH, new PowEngine(), forkRules(fork)).map((text) => JSON.parse(text).action)
}

const author = (byte: number): string => bytesToHex(new Uint8Array(20).fill(byte))
const hex = (value: bigint): string => `0x${value.toString(16)}`

describe('block rewards', () => {
  it('are those of the fork', () => {
    for (const [fork, ethers] of [
      ['frontier', 5n],
      ['byzantium', 3n],
      ['constantinople', 2n],
    ] as const) {
      expect(actions(fork, [])).toEqual([{ author: author(1), rewardType: 'block', value: hex(ethers * ETHER) }])
    }
  })

  it('are higher with ommers, which are rewarded by age', () => {
    expect(actions('frontier', [header(9n, 2), header(7n, 3)])).toEqual([
      { author: author(1), rewardType: 'block', value: hex(5n * ETHER + (10n * ETHER) / 32n) },
      { author: author(2), rewardType: 'uncle', value: hex((35n * ETHER) / 8n) },
      { author: author(3), rewardType: 'uncle', value: hex((25n * ETHER) / 8n) },
    ])
  })

  it('are a zero entry under proof of stake', () => {
    const block = { header: header(10n, 1), ommers: [] }
    expect(rewardTraces(block, HASH, new PosEngine(), forkRules('cancun')).map((text) => JSON.parse(text))).toEqual([
      {
        action: { author: author(1), rewardType: 'block', value: '0x0' },
        blockHash: bytesToHex(HASH),
        blockNumber: 10,
        result: null,
        subtraces: 0,
        traceAddress: [],
        transactionHash: null,
        transactionPosition: null,
        type: 'reward',
      },
    ])
  })
})
