// slow: generated messages
import { describe, expect, it } from 'vitest'
import { MAX_BFT_EXTRA_DATA_BYTES } from '../../../../src/base/limits/limits.ts'
import { concatBytes, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { rlpEncode, rlpListOfEncoded, rlpListPrefix } from '../../../../src/base/primitives/rlp.ts'
import { AnswerItems } from '../../../../src/net/protocols/answer.ts'
import { decodeEthMessage } from '../../../../src/net/protocols/eth/codec.ts'
import { decodeReceiptList } from '../../../../src/net/protocols/eth/receiptItems.ts'
import { type EthVersion, ethVersion } from '../../../../src/net/protocols/eth/versions.ts'
import { decodeSnapMessage } from '../../../../src/net/protocols/snap/codec.ts'
import { codeOf } from '../../../support/chains/pool.ts'

const INVALID = 'INVALID_PROTOCOL_MESSAGE'
const MIB = 1_048_576
const ETH68 = ethVersion(68) as EthVersion
const ETH69 = ethVersion(69) as EthVersion

/** A list of one-byte items. */
const bomb = (items: number, item = 0x80): Uint8Array =>
  concatBytes(rlpListPrefix(items), new Uint8Array(items).fill(item))

describe('messages that would need much memory', () => {
  const message = (body: Uint8Array): Uint8Array => rlpListOfEncoded([Uint8Array.of(1), body])
  const eth = (code: number, payload: Uint8Array) => codeOf(() => decodeEthMessage(ETH68, { code, payload }))

  it('are refused when they are too long', () => {
    expect(eth(0x0e, bomb(10 * MIB + 1))).toBe(INVALID)
    expect(eth(0x04, message(bomb(10 * MIB)))).toBe(INVALID)
  })

  it('are refused when a list has too many items', () => {
    const hashes = rlpListOfEncoded(Array.from({ length: 16_385 }, () => rlpEncode(new Uint8Array(32))))
    expect(eth(0x05, message(hashes))).toBe(INVALID)
    expect(eth(0x06, message(bomb(9 * MIB, 0xc0)))).toBe(INVALID)
    expect(eth(0x10, message(bomb(9 * MIB, 0xc0)))).toBe(INVALID)
  })

  it('are refused when the parts of an item are too many', () => {
    expect(eth(0x04, message(rlpListOfEncoded([bomb(9 * MIB)])))).toBe(INVALID)
    expect(eth(0x02, rlpListOfEncoded([bomb(9 * MIB)]))).toBe(INVALID)
    const typed = concatBytes(Uint8Array.of(2), bomb(9 * MIB))
    expect(eth(0x02, rlpListOfEncoded([rlpEncode(typed)]))).toBe(INVALID)
    expect(eth(0x07, rlpListOfEncoded([rlpListOfEncoded([bomb(9 * MIB), bomb(0), bomb(0)]), Uint8Array.of(1)]))).toBe(
      INVALID,
    )
    const receipt = rlpListOfEncoded([bomb(9 * MIB)])
    for (const version of [ETH68, ETH69]) expect(codeOf(() => decodeReceiptList(version, receipt))).toBe(INVALID)
  })

  it('are refused when a header is longer than any consensus allows', () => {
    const items = Array.from({ length: 15 }, () => rlpEncode(new Uint8Array(0)))
    for (const [at, length] of [
      [0, 32],
      [1, 32],
      [2, 20],
      [3, 32],
      [4, 32],
      [5, 32],
      [6, 256],
      [13, 32],
      [14, 8],
    ] as const)
      items[at] = rlpEncode(new Uint8Array(length))
    const headerWith = (extraBytes: number): Uint8Array =>
      rlpListOfEncoded(items.with(12, rlpEncode(new Uint8Array(extraBytes))))
    const newBlock = (header: Uint8Array): Uint8Array =>
      rlpListOfEncoded([rlpListOfEncoded([header, bomb(0), bomb(0)]), Uint8Array.of(1)])
    for (const header of [headerWith(140_000), headerWith(9 * MIB)]) {
      expect(eth(0x04, message(rlpListOfEncoded([header])))).toBe(INVALID)
      expect(eth(0x07, newBlock(header))).toBe(INVALID)
    }
    const longest = headerWith(MAX_BFT_EXTRA_DATA_BYTES)
    expect(decodeEthMessage(ETH68, { code: 0x07, payload: newBlock(longest) }).kind).toBe('newBlock')
  })

  it('are refused in snap', () => {
    const zero = rlpEncode(new Uint8Array(32))
    const paths = rlpListOfEncoded(Array.from({ length: 20 }, () => bomb(1000)))
    const trieNodes = rlpListOfEncoded([Uint8Array.of(1), zero, paths, Uint8Array.of(1)])
    expect(codeOf(() => decodeSnapMessage(6, trieNodes))).toBe(INVALID)
    expect(codeOf(() => decodeSnapMessage(5, message(bomb(9 * MIB))))).toBe(INVALID)
  })
})

describe('AnswerItems', () => {
  it('ends before the limit, but always holds one item', () => {
    const found = new AnswerItems(10)
    expect(found.add(new Uint8Array(20))).toBe(true)
    expect(found.add(new Uint8Array(1))).toBe(false)
    const small = new AnswerItems(10)
    expect([4, 6, 1].map((length) => small.add(new Uint8Array(length)))).toEqual([true, true, false])
    expect(small.bytes).toBe(10)
  })

  it('encodes the list with and without an id', () => {
    for (const lengths of [[], [1], [55], [56, 200], [70_000]]) {
      const items = lengths.map((length) => rlpEncode(new Uint8Array(length).fill(7)))
      const found = new AnswerItems(1e6)
      for (const item of items) found.add(item)
      expect(found.encode(undefined)).toEqual(rlpListOfEncoded(items))
      expect(found.encode(0n)).toEqual(rlpListOfEncoded([Uint8Array.of(0x80), rlpListOfEncoded(items)]))
      expect(found.encode(1n << 63n)).toEqual(
        rlpListOfEncoded([hexToBytes('888000000000000000'), rlpListOfEncoded(items)]),
      )
    }
  })
})
