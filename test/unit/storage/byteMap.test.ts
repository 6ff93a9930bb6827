// slow: millions of keys
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesToHexUnprefixed } from '../../../src/base/primitives/bytes.ts'
import { ByteMap } from '../../../src/storage/byteMap.ts'
import { textToKey } from '../../../src/storage/keyText.ts'
import { generatedCases } from '../../support/host/generatedCases.ts'

const keyOf = (n: number): Uint8Array => Uint8Array.of(0x20, n >> 16, n >> 8, n)

test('behaves like a Map under any writes and deletions', () => {
  const key = fc.nat(60).map(keyOf)
  const write = fc.tuple(key, fc.option(fc.nat(3000), { nil: undefined, freq: 3 }))
  fc.assert(
    fc.property(fc.array(write, { maxLength: 400 }), (writes) => {
      const map = new ByteMap()
      const model = new Map<string, Uint8Array>()
      for (const [i, [key, length]] of writes.entries()) {
        const text = bytesToHexUnprefixed(key)
        if (length === undefined) expect(map.delete(key)).toBe(model.delete(text))
        else {
          const value = new Uint8Array(length).fill(i)
          expect(map.set(key, value)).toBe(!model.has(text))
          model.set(text, value)
        }
      }
      expect(map.size).toBe(model.size)
      const keys = [...map.keys()].map((text) => bytesToHexUnprefixed(textToKey(text)))
      expect(keys.sort()).toEqual([...model.keys()].sort())
      for (let n = 0; n <= 60; n++) expect(map.get(keyOf(n))).toEqual(model.get(bytesToHexUnprefixed(keyOf(n))))
    }),
    { numRuns: generatedCases(100) },
  )
})

test('holds many entries, some of them longer than a buffer', () => {
  const map = new ByteMap()
  const contentOf = (n: number) => new Uint8Array(n % 1000 === 0 ? 200_000 : n % 70).fill(n)
  for (let n = 0; n < 30_000; n++) map.set(keyOf(n), contentOf(n))
  for (let n = 0; n < 30_000; n += 3) map.delete(keyOf(n))
  for (let n = 0; n < 30_000; n += 3) map.set(keyOf(n), contentOf(n + 1))
  expect(map.size).toBe(30_000)
  for (let n = 0; n < 30_000; n++) {
    const length = (n % 3 === 0 ? contentOf(n + 1) : contentOf(n)).length
    if (map.get(keyOf(n))?.length !== length) expect.fail(`value ${n}`)
  }
  expect(map.get(keyOf(2000))).toEqual(contentOf(2000))
  expect(map.get(keyOf(30_000))).toBeUndefined()
})
