import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigIntToBytes, bytesToHex, equalBytes } from '../../../../src/base/primitives/bytes.ts'
import { ReverseRlp } from '../../../../src/base/primitives/reverseRlp.ts'
import { type RlpItem, rlpEncode } from '../../../../src/base/primitives/rlp.ts'

type Item = Uint8Array | bigint | readonly Item[]

const { item } = fc.letrec<{ item: Item }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 4 },
    fc.uint8Array({ maxLength: 70 }),
    fc.uint8Array({ minLength: 250, maxLength: 260 }),
    fc.bigInt({ min: 0n, max: 2n ** 300n }),
    fc.integer({ min: 0, max: 300 }).map(BigInt),
    fc.array(tie('item'), { maxLength: 6 }),
  ),
}))

function write(value: Item, out: ReverseRlp): void {
  if (typeof value === 'bigint') out.scalar(value)
  else if (value instanceof Uint8Array) out.string(value)
  else {
    const end = out.length
    for (const child of value.toReversed()) write(child, out)
    out.list(end)
  }
}

function plain(value: Item): RlpItem {
  if (typeof value === 'bigint') return bigIntToBytes(value)
  return value instanceof Uint8Array ? value : value.map(plain)
}

describe('ReverseRlp', () => {
  const out = new ReverseRlp()

  it('writes what rlpEncode writes', () => {
    fc.assert(
      fc.property(item, (value) => {
        write(value, out.begin())
        expect(bytesToHex(out.view())).toBe(bytesToHex(rlpEncode(plain(value))))
        expect(bytesToHex(out.copy())).toBe(bytesToHex(out.view()))
      }),
    )
  })

  it('writes strings and lists that are longer than its buffer', () => {
    for (const length of [4094, 4097, 65_535, 65_536, 70_000]) {
      const value = [new Uint8Array(length).fill(7), [new Uint8Array(length)]]
      write(value, out.begin())
      expect(equalBytes(out.view(), rlpEncode(value))).toBe(true)
    }
  })

  it('writes the integers around the limits of their lengths', () => {
    for (let bits = 0n; bits <= 256n; bits += 8n)
      for (const value of [2n ** bits - 1n, 2n ** bits, 2n ** bits + 1n]) {
        out.begin().scalar(value)
        expect(out.view()).toEqual(rlpEncode(bigIntToBytes(value)))
      }
    expect(() => out.begin().scalar(-1n)).toThrow(RangeError)
  })

  it('keeps no copy of a long encoding', () => {
    out.begin().string(new Uint8Array(1_000_000))
    expect(out.begin().view().length).toBe(0)
    out.string(Uint8Array.of(1))
    expect(out.view().buffer.byteLength).toBeLessThan(300_000)
  })
})
