import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../../../src/base/primitives/keccak.ts'
import {
  type BftExtraData,
  decodeExtraData,
  encodeExtraData,
  initialExtraData,
} from '../../../../src/consensus/bft/extraData.ts'
import { withSeals } from '../../../../src/consensus/bft/hashes.ts'
import type { Header } from '../../../../src/types/block.ts'
import { addressOf, BftHeaders, type BlockChoice, SIGNERS } from '../../../support/chains/bftHeaders.ts'

const hex = (index: number): string => bytesToHex(addressOf(index))
const list = (...indexes: number[]): string => `[${indexes.map(hex).join(', ')}]`
const SEAL = new Uint8Array(65)
const DIGEST = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365'

const BAD_SEALS: [what: string, choice: BlockChoice, reason: string][] = [
  ['none', { sealers: [] }, 'invalid seals: 0 of them, at least 3 are required'],
  ['too few', { sealers: [0, 3] }, 'invalid seals: 2 of them, at least 3 are required'],
  // None is recovered: a header has room for thousands.
  ['more than validators', { sealers: [0, 1, 1, 2, 5] }, 'invalid seals: 5 of 4 validators'],
  ['one twice', { sealers: [0, 1, 1, 2] }, `invalid seal 2: ${hex(1)} has sealed twice`],
  ['a stranger', { sealers: [0, 1, 2, 5] }, `invalid seal 3: ${hex(5)} is not a validator of the block`],
  ['zeros', { extra: { seals: [SEAL] } }, 'invalid seal 0: no account can be recovered from it'],
  ['an invalid parity', { extra: { seals: [new Uint8Array(65).fill(1).with(64, 27)] } }, 'invalid seal 0: no account'],
]

const BAD_FIELDS: [what: string, choice: BlockChoice, reason: string][] = [
  [
    'mix hash',
    { header: { mixHash: new Uint8Array(32) } },
    `invalid mix hash: 0x${'00'.repeat(32)}, must be ${DIGEST}`,
  ],
  ['difficulty 0', { header: { difficulty: 0n } }, 'invalid difficulty: 0, must be 1'],
  ['difficulty 2', { header: { difficulty: 2n } }, 'invalid difficulty: 2, must be 1'],
  ['ommers', { header: { ommersHash: EMPTY_TRIE_ROOT } }, 'invalid ommers hash: '],
  ['a timestamp before the end of the period', { header: { timestamp: 1001n } }, 'invalid timestamp: 1001, the parent'],
  ['a proposer that is a stranger', { proposer: 5 }, `invalid beneficiary: ${hex(5)} is not a validator of the block`],
  ['no proposer', { header: { beneficiary: new Uint8Array(20) } }, 'invalid beneficiary: 0x0000'],
  ['empty extra data', { header: { extraData: new Uint8Array() } }, 'invalid extra data: '],
  ['32 bytes of extra data', { header: { extraData: new Uint8Array(32) } }, 'invalid extra data: '],
  ['a missing validator', { extra: { validators: [0, 1, 2].map(addressOf) } }, `validators ${list(0, 1, 2)}, must be`],
  ['a further validator', { extra: { validators: [0, 1, 2, 3, 4].map(addressOf) } }, `must be ${list(0, 1, 2, 3)}`],
  [
    'validators in another order',
    { extra: { validators: [1, 0, 2, 3].map(addressOf) } },
    'invalid extra data: validators',
  ],
  ['no validators', { extra: { validators: [] } }, 'invalid extra data: validators [], must be'],
]

describe.each(['ibft2', 'qbft'] as const)('headers of %s', (kind) => {
  const chain = new BftHeaders({ [kind]: { blockperiodseconds: 2 } }, 4)
  const other = kind === 'ibft2' ? 'qbft' : 'ibft2'
  const otherFlavour = new BftHeaders({ [other]: {} }, 4).next.flavour

  it('are valid with a quorum of seals in any order and round', () => {
    expect(chain.verify(chain.child())).toBeUndefined()
    for (const sealers of [
      [3, 1, 0],
      [0, 1, 2, 3],
    ]) {
      for (const round of [0, 1, 7]) expect(chain.verify(chain.child({ sealers, extra: { round } }))).toBeUndefined()
    }
    expect(chain.verify(chain.child({ proposer: 2, extra: { vanity: new Uint8Array(5) } }))).toBeUndefined()
    expect(chain.verify(chain.child({ header: { timestamp: 5000n } }))).toBeUndefined()
  })

  it.each([...BAD_SEALS, ...BAD_FIELDS])('are refused: %s', (_, choice, reason) => {
    expect(chain.verify(chain.child(choice))).toContain(reason)
  })

  it('are refused with seals of another round, another block or the block hash', () => {
    const { flavour } = chain.next
    const sealed = chain.child()
    expect(chain.verify(withSeals(sealed, 1, sealsOf(sealed), flavour))).toMatch(
      /^invalid seal 0: 0x.* is not a validator/,
    )
    const foreign = chain.child({ header: { gasUsed: 1n } })
    expect(chain.verify(withSeals(sealed, 0, sealsOf(foreign), flavour))).toMatch(/^invalid seal 0/)
    const overHash = SIGNERS.slice(0, 4).map((signer) => {
      const { signature, yParity } = signer.sign(chain.hashOf(sealed))
      return Uint8Array.of(...signature, yParity)
    })
    expect(chain.verify(withSeals(sealed, 1, overHash, flavour))).toMatch(/^invalid seal 0/)
  })

  it('are verified without seals when these are not checked, but not without their other rules', () => {
    const light = { verifySeal: false }
    expect(chain.verify(chain.child({ sealers: [] }), light)).toBeUndefined()
    expect(chain.verify(chain.child({ proposer: 5 }), light)).toMatch('invalid beneficiary')
    expect(chain.verify(chain.child({ extra: { validators: [] } }), light)).toMatch('invalid extra data')
  })

  it('are refused in the encoding of the other engine', () => {
    const extra: BftExtraData = initialExtraData(chain.validators, new Uint8Array())
    expect(chain.verify(chain.child({ header: { extraData: encodeExtraData(extra, otherFlavour) } }))).toMatch(
      'invalid extra data: ',
    )
  })

  it.each([
    [{}, 1000n, 1002n, false],
    [{ xblockperiodmilliseconds: 500 }, 999n, 1000n, true],
    [{ xblockperiodmilliseconds: 1500 }, 1000n, 1001n, false],
  ])('keep the distance of the period: %o', (changes, early, earliest, allowsEqualTimestamps) => {
    const paced = new BftHeaders({ [kind]: { blockperiodseconds: 2, ...changes } }, 4)
    expect(paced.next.allowsEqualTimestamps).toBe(allowsEqualTimestamps)
    expect(paced.verify(paced.child({ header: { timestamp: early } }))).toContain('invalid timestamp')
    const header = paced.child({ header: { timestamp: earliest } })
    expect(paced.verify(header)).toBeUndefined()
    expect(paced.next.prepare({ ...header, timestamp: 1n }, paced.head, paced.context).timestamp).toBe(earliest)
  })

  it('may share a second from the transition on that sets milliseconds', () => {
    const transitions = { [kind]: [{ block: 2, xblockperiodmilliseconds: 500 }] }
    const changed = new BftHeaders({ [kind]: { blockperiodseconds: 2 }, transitions }, 4)
    const same = () => changed.child({ header: { timestamp: changed.head.timestamp } })
    expect(changed.verify(same())).toContain('invalid timestamp')
    changed.add()
    expect(changed.verify(same())).toBeUndefined()
  })

  it('wait for a clock that is more than a second behind', () => {
    const header = chain.child({ header: { timestamp: 2000n } })
    expect([1_998_999, 1_999_000, 2_000_000].map((now) => chain.next.arrival(header, now))).toEqual([
      'future',
      'now',
      'now',
    ])
  })

  it('shorten long lists in the reason', () => {
    const validators = Array.from({ length: 30 }, (_, i) => new Uint8Array(20).fill(i))
    const reason = chain.verify(chain.child({ extra: { validators } })) ?? ''
    expect(reason).toContain('and 10 more]')
    expect(reason.length).toBeLessThan(1500)
  })

  function sealsOf({ extraData }: Header): readonly Uint8Array[] {
    return decodeExtraData(extraData, chain.next.flavour).seals
  }
})

describe('nonces', () => {
  it('must be zero under IBFT 2.0 and are not checked under QBFT', () => {
    const nonce = new Uint8Array(8).fill(255)
    const ibft = new BftHeaders({ ibft2: {} }, 1)
    const qbft = new BftHeaders({ qbft: {} }, 1)
    expect(ibft.verify(ibft.child({ header: { nonce } }))).toMatch('invalid nonce: 0xffffffffffffffff')
    expect(qbft.verify(qbft.child({ header: { nonce } }))).toBeUndefined()
  })
})
