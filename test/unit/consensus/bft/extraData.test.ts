import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { type RlpItem, rlpEncode } from '../../../../src/base/primitives/rlp.ts'
import {
  type BftExtraData,
  decodeExtraData,
  encodeExtraData,
  initialExtraData,
} from '../../../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../../../src/consensus/bft/flavour.ts'

const VALIDATOR = hexToBytes('7e5f4552091a69125d5dfcb7b8c2659029395bdf')
const ZEROS = '00'.repeat(32)
const INITIAL = initialExtraData([VALIDATOR], new Uint8Array())
const FULL: BftExtraData = {
  vanity: new Uint8Array(32).fill(7),
  validators: [VALIDATOR, new Uint8Array(20).fill(0xee)],
  vote: { recipient: new Uint8Array(20).fill(3), isAdd: false },
  round: 258,
  seals: [new Uint8Array(65).fill(1), new Uint8Array(65).fill(2)],
}

describe('extra data', () => {
  it('has the known encoding of each flavour', () => {
    const list = 'd5947e5f4552091a69125d5dfcb7b8c2659029395bdf'
    expect(bytesToHex(encodeExtraData(INITIAL, IBFT2))).toBe(`0xf83ea0${ZEROS}${list}808400000000c0`)
    expect(bytesToHex(encodeExtraData(INITIAL, QBFT))).toBe(`0xf83aa0${ZEROS}${list}c080c0`)
  })

  it.each([IBFT2, QBFT])('decodes its encoding: $name', (flavour) => {
    for (const isAdd of [true, false]) {
      const extra = { ...FULL, vote: { recipient: VALIDATOR, isAdd } }
      expect(decodeExtraData(encodeExtraData(extra, flavour), flavour)).toEqual(extra)
    }
    for (const round of [0, 1, 0x7f, 0x80, 0xffff_ffff]) {
      const extra = { ...FULL, vote: undefined, round }
      expect(decodeExtraData(encodeExtraData(extra, flavour), flavour)).toEqual(extra)
    }
    expect(decodeExtraData(encodeExtraData(INITIAL, flavour), flavour)).toEqual(INITIAL)
  })

  it('cuts a long vanity and pads a short one on the left', () => {
    expect(initialExtraData([], new Uint8Array(40).fill(5)).vanity).toEqual(new Uint8Array(32).fill(5))
    expect(initialExtraData([], Uint8Array.of(1, 2)).vanity.subarray(29)).toEqual(Uint8Array.of(0, 1, 2))
  })

  const vanity = new Uint8Array(32)
  const none = new Uint8Array()
  const zeroRound = new Uint8Array(4)
  const vote = (direction: RlpItem): RlpItem => [VALIDATOR, direction]
  const badIbft: [string, RlpItem, string][] = [
    ['a byte string', vanity, 'expected a list'],
    ['too few items', [vanity, [], none, zeroRound], 'seals is missing'],
    ['too many items', [vanity, [], none, zeroRound, [], []], '1 fields too many'],
    ['a short validator', [vanity, [none], none, zeroRound, []], 'validators[0] has 0 bytes, not 20'],
    ['the vote of QBFT', [vanity, [], [], zeroRound, []], 'recipient is missing'],
    ['an unknown vote', [vanity, [], vote(Uint8Array.of(1)), zeroRound, []], 'direction is neither add nor drop'],
    ['the drop vote of QBFT', [vanity, [], vote(none), zeroRound, []], 'direction is neither add nor drop'],
    ['a vote with a third item', [vanity, [], [VALIDATOR, none, none], zeroRound, []], '1 fields too many'],
    ['the round of QBFT', [vanity, [], none, none, []], 'round has 0 bytes, not 4'],
    ['a short seal', [vanity, [], none, zeroRound, [new Uint8Array(64)]], 'seals[0] has 64 bytes, not 65'],
    ['a seal that is a list', [vanity, [], none, zeroRound, [[]]], 'seals[0] is a list'],
  ]
  const badQbft: [string, RlpItem, string][] = [
    ['the vote of IBFT 2.0', [vanity, [], none, none, []], 'expected a list'],
    ['the drop vote of IBFT 2.0', [vanity, [], vote(Uint8Array.of(0)), none, []], 'direction is neither add nor drop'],
    ['a round with leading zeros', [vanity, [], [], zeroRound, []], 'round has leading zeros'],
    ['a round of 5 bytes', [vanity, [], [], Uint8Array.of(1, 0, 0, 0, 0), []], 'round has more than 4 bytes'],
    ['a round that is a list', [vanity, [], [], [], []], 'round is a list'],
  ]
  it.each([...badIbft.map((row) => [IBFT2, ...row] as const), ...badQbft.map((row) => [QBFT, ...row] as const)])(
    'is refused: %o %s',
    (flavour, _, item, reason) => {
      expect(() => decodeExtraData(rlpEncode(item), flavour)).toThrow(reason)
    },
  )

  it('is refused when it is not RLP', () => {
    for (const bytes of [none, Uint8Array.of(0xf8), new Uint8Array(32), Uint8Array.of(0xc0, 0)]) {
      for (const flavour of [IBFT2, QBFT]) {
        expect(() => decodeExtraData(bytes, flavour)).toThrow(
          expect.objectContaining({ details: { code: 'INVALID_EXTRA_DATA' } }),
        )
      }
    }
  })
})
