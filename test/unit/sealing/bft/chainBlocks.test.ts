import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { rlpListPrefix } from '../../../../src/base/primitives/rlp.ts'
import { PROTOCOLS } from '../../../../src/sealing/bft/protocols.ts'

const list = (...items: readonly Uint8Array[]): Uint8Array => {
  const content = concatBytes(...items)
  return concatBytes(rlpListPrefix(content.length), content)
}
const EMPTY = list()

describe.each(['ibft2', 'qbft'] as const)('the block of a proposal of %s', (name) => {
  it.each([
    ['long', 1_000_000, 'a header of 1000004 bytes'],
    ['of many items', 135_000, 'more than 131072 items'],
  ])('is refused before a header that is %s is decoded', (_, items, reason) => {
    const header = list(new Uint8Array(items).fill(1))
    expect(() => PROTOCOLS[name].blocks.decode(list(header, EMPTY, EMPTY))).toThrow(reason)
  })
})
