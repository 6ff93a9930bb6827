import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigIntToBytes, bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import {
  type DecodedItem,
  encodedLength,
  MAX_RLP_DEPTH,
  type RlpItem,
  rlpDecode,
  rlpDecodeList,
  rlpEncode,
  rlpSpan,
} from '../../../../src/base/primitives/rlp.ts'
import { cpuTimeMs } from '../../../support/host/cpuTime.ts'
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
    for (const levels of [MAX_RLP_DEPTH + 1, 1000, 5000]) {
      expect(() => rlpDecode(deep(levels))).toThrow('nested too deeply')
    }
    expect(() => rlpDecode(deep(MAX_RLP_DEPTH))).not.toThrow()
  })

  it('encodes in a time that does not grow with the depth', () => {
    const items: RlpItem[] = Array.from({ length: 200_000 }, () => Uint8Array.of(1))
    let nested: RlpItem = items
    for (let i = 0; i < 200; i++) nested = [nested]
    const msOf = (value: RlpItem): number => {
      const startMs = cpuTimeMs()
      rlpEncode(value)
      return cpuTimeMs() - startMs
    }
    msOf(items)
    // Fifty times the work of the flat list allows for collections of garbage; a walk at each level takes 200 times.
    expect(msOf(nested)).toBeLessThan(50 * Math.max(msOf(items), 5))
  })
})

function deep(levels: number): Uint8Array {
  let value: RlpItem = []
  for (let i = 0; i < levels; i++) value = [value]
  return rlpEncode(value)
}
