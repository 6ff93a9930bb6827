import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigIntToBytes, bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import {
  type DecodedItem,
  encodedLength,
  type RlpItem,
  rlpDecode,
  rlpDecodeList,
  rlpEncode,
  rlpSpan,
} from '../../../../src/base/primitives/rlp.ts'
import { recordedPath } from '../../../support/recorded/conformance.ts'

/** Strings are text, `#` strings are large decimal numbers, numbers are scalars. */
function toItem(input: unknown): RlpItem {
  if (Array.isArray(input)) return input.map(toItem)
  if (typeof input === 'number') return bigIntToBytes(BigInt(input))
  const text = String(input)
  return text.startsWith('#') ? bigIntToBytes(BigInt(text.slice(1))) : new TextEncoder().encode(text)
}

const root = recordedPath('ethereum-tests', 'RLPTests')

describe('ethereum/tests RLPTests', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.json'))) {
    const cases = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Record<
      string,
      { in: unknown; out: string }
    >
    for (const [name, { in: input, out }] of Object.entries(cases)) {
      it(`${file} ${name}`, () => {
        const bytes = hexToBytes(out)
        if (input === 'INVALID') expect(() => rlpDecode(bytes)).toThrow('invalid RLP')
        else expect(bytesToHex(rlpEncode(rlpDecode(bytes)))).toBe(bytesToHex(bytes))
        if (input !== 'INVALID' && input !== 'VALID')
          expect(bytesToHex(rlpEncode(toItem(input)))).toBe(bytesToHex(bytes))
      })
    }
  }
})

const item: fc.Arbitrary<RlpItem> = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ depthSize: 'small' }, fc.uint8Array({ maxLength: 80 }), fc.array(tie('item'), { maxLength: 6 })),
})).item

function plain(decoded: DecodedItem | RlpItem): unknown {
  return decoded instanceof Uint8Array ? bytesToHex(decoded) : decoded.map(plain)
}

describe('RLP', () => {
  it('decodes its own encoding', () => {
    fc.assert(
      fc.property(item, (value) => {
        const bytes = rlpEncode(value)
        expect(bytes.length).toBe(encodedLength(value))
        expect(rlpSpan(bytes, 0).end).toBe(bytes.length)
        expect(plain(rlpDecode(bytes))).toEqual(plain(value))
      }),
    )
  })

  it('accepts exactly one encoding of a value', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        let decoded: DecodedItem
        try {
          decoded = rlpDecode(bytes)
        } catch {
          return
        }
        expect(bytesToHex(rlpEncode(decoded))).toBe(bytesToHex(bytes))
      }),
      { numRuns: 2000 },
    )
  })

  it('refuses a byte string where a list is expected', () => {
    expect(() => rlpDecodeList(hexToBytes('0x80'))).toThrow('expected a list, got a byte string')
  })

  it('refuses nesting that would exhaust the stack', () => {
    expect(() => rlpDecode(deep(2000))).toThrow('nested too deeply')
  })
})

function deep(levels: number): Uint8Array {
  let value: RlpItem = []
  for (let i = 0; i < levels; i++) value = [value]
  return rlpEncode(value)
}
