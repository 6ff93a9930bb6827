import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { forkRules } from '../../../src/config/forks.ts'
import { PowEngine } from '../../../src/consensus/pow/pow.ts'
import type { StateDB } from '../../../src/evm/stateDb.ts'
import type { Header } from '../../../src/types/block.ts'

const ETHER = 10n ** 18n

function block(number: bigint, ...ommerNumbers: bigint[]): { header: Header; ommers: Header[] } {
  const header = (of: bigint, last: number) =>
    ({ number: of, beneficiary: new Uint8Array(20).fill(last) }) as Partial<Header> as Header
  return { header: header(number, 0xaa), ommers: ommerNumbers.map((of, i) => header(of, i + 1)) }
}

describe('proof-of-work rewards', () => {
  const engine = new PowEngine()

  it('pays author and ommers by fork', () => {
    expect(engine.rewards(block(1n), forkRules('frontier')).staticReward).toBe(5n * ETHER)
    expect(engine.rewards(block(1n), forkRules('byzantium')).staticReward).toBe(3n * ETHER)
    expect(engine.rewards(block(10n, 9n, 4n), forkRules('london'))).toEqual({
      staticReward: 2n * ETHER,
      ommerInclusionReward: ETHER / 8n,
      ommerRewards: [(2n * ETHER * 7n) / 8n, (2n * ETHER * 2n) / 8n],
    })
  })

  it('lowers the rewards by a fifth each era (ECIP-1017)', () => {
    const rules = forkRules('atlantis')
    expect(engine.rewards(block(5_000_000n, 4_999_999n), rules)).toEqual({
      staticReward: 5n * ETHER,
      ommerInclusionReward: (5n * ETHER) / 32n,
      ommerRewards: [(5n * ETHER * 7n) / 8n],
    })
    expect(engine.rewards(block(5_000_001n, 5_000_000n, 4_999_996n), rules)).toEqual({
      staticReward: 4n * ETHER,
      ommerInclusionReward: ETHER / 4n,
      ommerRewards: [ETHER / 8n, ETHER / 8n],
    })
    const mordor = new PowEngine({ eraRounds: 2_000_000n })
    expect(mordor.rewards(block(4_000_001n), rules).staticReward).toBe((16n * ETHER) / 5n)
  })

  it('adds them to the balances, including that of an author who also mined an ommer', () => {
    const balances = new Map<string, bigint>([[bytesToHex(new Uint8Array(20).fill(1)), 7n]])
    const state: Partial<StateDB> = {
      getAccount: (address) => {
        const balance = balances.get(bytesToHex(address))
        return balance === undefined ? undefined : { balance, nonce: 0n, codeHash: new Uint8Array(32) }
      },
      setBalance: (address, balance) => void balances.set(bytesToHex(address), balance),
    }
    const paid = block(10n, 9n, 9n)
    const [first, second] = paid.ommers as [Header, Header]
    const ommers = [first, { ...second, beneficiary: paid.header.beneficiary }]
    engine.finalize(state as StateDB, { ...paid, ommers }, forkRules('london'))
    expect([...balances.values()]).toEqual([
      7n + (2n * ETHER * 7n) / 8n,
      2n * ETHER + ETHER / 8n + (2n * ETHER * 7n) / 8n,
    ])
  })
})
