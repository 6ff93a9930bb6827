import { describe, expect, it } from 'vitest'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../src/base/primitives/keccak.ts'
import { forkRules } from '../../../src/config/forks.ts'
import { PosEngine } from '../../../src/consensus/pos.ts'
import { PowEngine } from '../../../src/consensus/pow/pow.ts'
import type { Header } from '../../../src/types/block.ts'
import { encodeHeader, hashHeader } from '../../../src/types/headerCodec.ts'

const pow = new PowEngine({ fixedDifficulty: 5n })
const pos = new PosEngine()

const HEADER: Header = {
  parentHash: new Uint8Array(32),
  ommersHash: EMPTY_LIST_HASH,
  beneficiary: new Uint8Array(20).fill(3),
  stateRoot: EMPTY_TRIE_ROOT,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 5n,
  number: 10n,
  gasLimit: 1_024_000n,
  gasUsed: 0n,
  timestamp: 1015n,
  extraData: new Uint8Array(32),
  mixHash: new Uint8Array(32).fill(9),
  nonce: new Uint8Array(8).fill(7),
}
const UNSEALED = { rules: forkRules('london'), verifySeal: false }

describe('proof of work and proof of stake', () => {
  it('hash the whole header, using its encoding if available', () => {
    for (const engine of [pow, pos]) {
      expect(engine.hash(HEADER)).toEqual(hashHeader(HEADER))
      expect(engine.hash(HEADER, encodeHeader({ ...HEADER, number: 11n }))).toEqual(
        hashHeader({ ...HEADER, number: 11n }),
      )
    }
  })

  it('differ in finality and ommers', () => {
    expect([pow.finality, pow.allowsOmmers]).toEqual(['difficulty', true])
    expect([pos.finality, pos.allowsOmmers]).toEqual(['forkChoice', false])
  })

  it('allow proof of work 15 seconds ahead of the clock, proof of stake any time', () => {
    expect(pow.arrival(HEADER, 1_000_999)).toBe('now')
    expect(pow.arrival({ ...HEADER, timestamp: 1016n }, 1_000_999)).toBe('future')
    expect(pos.arrival()).toBe('now')
  })

  it('set every field that they determine and keep the others', () => {
    const draft = { ...HEADER, difficulty: 0n }
    const work = pow.prepare(draft, HEADER, UNSEALED)
    expect(work).toEqual({ ...draft, difficulty: 5n, mixHash: new Uint8Array(32), nonce: new Uint8Array(8) })
    expect(pos.prepare({ ...draft, difficulty: 4n })).toEqual({ ...draft, nonce: new Uint8Array(8) })
  })

  it('limit the extra data', () => {
    const extraData = new Uint8Array(33)
    const reason = 'invalid extra data: 33 bytes, the maximum is 32'
    expect(pow.verifyHeader({ ...HEADER, extraData }, HEADER, UNSEALED)).toBe(reason)
    expect(pow.verifyHeader(HEADER, HEADER, UNSEALED)).toBeUndefined()
  })
})

describe('proof-of-stake headers', () => {
  const valid: Partial<Header> = { ...HEADER, difficulty: 0n, nonce: new Uint8Array(8) }
  const verify = (change: Partial<Header>) => pos.verifyHeader({ ...valid, ...change } as Header)

  it.each([
    [{}, undefined],
    [{ difficulty: 1n }, 'invalid difficulty: 1, must be 0 under proof of stake'],
    [{ nonce: new Uint8Array(8).fill(1) }, 'invalid nonce: 0x0101010101010101, must be zero under proof of stake'],
    [{ extraData: new Uint8Array(33) }, 'invalid extra data: 33 bytes, the maximum is 32'],
  ] as const)('%o: %s', (change, reason) => expect(verify(change)).toBe(reason))

  it('allow no ommers and pay nothing', () => {
    expect(verify({ ommersHash: new Uint8Array(32) })).toMatch('invalid ommers hash')
    expect(pos.rewards()).toEqual({ staticReward: 0n, ommerInclusionReward: 0n, ommerRewards: [] })
  })
})
