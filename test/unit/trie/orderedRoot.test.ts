import { describe, expect, it } from 'vitest'
import { bytesToHex, numberToBytes } from '../../../src/base/primitives/bytes.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { orderedTrieRoot } from '../../../src/trie/orderedRoot.ts'
import { naiveRoot } from './naiveTrie.ts'

const indexKey = (index: number) => rlpEncode(numberToBytes(index))

describe('orderedTrieRoot', () => {
  it('is the root of the empty trie for an empty list', () => {
    expect(bytesToHex(orderedTrieRoot([]))).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
  })

  it.each([1, 2, 3, 16, 17, 127, 128, 129, 130, 255, 256, 257, 300, 700])(
    'matches the definition for %d items',
    (count) => {
      for (const length of [1, 3, 20, 31, 40, 300]) {
        const values = Array.from({ length: count }, (_, i) => new Uint8Array(length).fill((i % 255) + 1))
        expect(bytesToHex(orderedTrieRoot(values))).toBe(bytesToHex(naiveRoot(values.map((v, i) => [indexKey(i), v]))))
      }
    },
  )

  it('accepts items of any length', () => {
    for (const length of [55, 56, 57, 255, 256, 65_535, 65_536, 70_000]) {
      const values = [new Uint8Array(length).fill(7), new Uint8Array(length).fill(8)]
      expect(orderedTrieRoot(values)).toEqual(naiveRoot(values.map((v, i) => [indexKey(i), v])))
    }
    expect(orderedTrieRoot([Uint8Array.of(1)])).toEqual(naiveRoot([[indexKey(0), Uint8Array.of(1)]]))
  })
})
