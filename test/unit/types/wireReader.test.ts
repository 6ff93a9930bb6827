import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { rlpListOfEncoded, rlpListPrefix } from '../../../src/base/primitives/rlp.ts'
import type { EncodedKind } from '../../../src/types/fieldReader.ts'
import { ItemBudget, readMessage, type WireReader } from '../../../src/types/wireReader.ts'
import { codeOf } from '../../support/chains/pool.ts'

const KIND: EncodedKind = { code: 'INVALID_PROTOCOL_MESSAGE', name: 'message' }
const INVALID = 'INVALID_PROTOCOL_MESSAGE'

const reader = (hex: string): WireReader => readMessage(hexToBytes(hex), KIND)

describe('WireReader', () => {
  it('reads items in order', () => {
    const fields = reader('cc820457c20102c48301020304')
    expect(fields.scalar('id')).toBe(0x457n)
    expect(fields.nextIsList).toBe(true)
    expect(fields.listOf('list', (items) => items.scalar('item'))).toEqual([1n, 2n])
    expect(bytesToHex(fields.item('item'))).toBe('0xc483010203')
    expect(fields.scalar('last')).toBe(4n)
    expect(fields.isAtEnd).toBe(true)
    expect(codeOf(() => fields.item('more'))).toBe(INVALID)
  })

  it.each([
    ['nothing', ''],
    ['a byte string', '820102'],
    ['bytes after the list', 'c00'.padEnd(6, '0')],
    ['a list that is cut', 'c20102'.slice(0, 4)],
    ['a length with leading zeros', 'f80001'],
    ['a length of 8 bytes', 'ffffffffffffffffff'],
  ])('refuses %s', (_, hex) => {
    expect(codeOf(() => reader(hex))).toBe(INVALID)
  })

  it.each([
    ['an item beyond the end of its list', 'c28301', (fields: WireReader) => fields.bytes('field')],
    ['a list where bytes are expected', 'c1c0', (fields: WireReader) => fields.bytes('field')],
    ['bytes where a list is expected', 'c101', (fields: WireReader) => fields.list('field')],
    ['a byte in a long form', 'c28105', (fields: WireReader) => fields.bytes('field')],
    ['leading zeros', 'c3820001', (fields: WireReader) => fields.scalar('field')],
    ['a zero that is not empty', 'c100', (fields: WireReader) => fields.scalar('field')],
    ['a number that is too long', 'ca89010000000000000000', (fields: WireReader) => fields.scalar('field')],
    ['a hash of another length', 'c3820102', (fields: WireReader) => fields.fixed('field', 32)],
    ['more bytes than allowed', 'c3820102', (fields: WireReader) => fields.bytes('field', 1)],
    [
      'more items than allowed',
      'c3010203',
      (fields: WireReader) => fields.all('field', (items) => items.bytes('item'), 2),
    ],
    ['an item too many', 'c101', (fields: WireReader) => fields.end()],
  ])('refuses %s', (_, hex, read) => {
    expect(codeOf(() => read(reader(hex)))).toBe(INVALID)
  })

  it('refuses a message that is longer than its limit', () => {
    const message = rlpListOfEncoded([new Uint8Array(8)])
    expect(codeOf(() => readMessage(message, KIND, message.length - 1))).toBe(INVALID)
    expect(readMessage(message, KIND, message.length).nextIsList).toBe(false)
  })
})

describe('ItemBudget', () => {
  const lists = (levels: number): Uint8Array => {
    let value: Uint8Array = Uint8Array.of(0xc0)
    for (let i = 1; i < levels; i++) value = rlpListOfEncoded([value])
    return value
  }

  it('counts the items of all encodings together, on all levels', () => {
    const budget = new ItemBudget(KIND, 8)
    budget.take(hexToBytes('c50102c20304'))
    budget.take(hexToBytes('0205'), 1)
    expect(codeOf(() => budget.take(hexToBytes('c20304')))).toBe(INVALID)
  })

  it('stops at the limit, however long the rest is', () => {
    const bomb = concatBytes(rlpListPrefix(1e6), new Uint8Array(1e6).fill(0xff))
    bomb.fill(1, 4, 100)
    expect(codeOf(() => new ItemBudget(KIND, 50).take(bomb))).toBe(INVALID)
  })

  it.each([
    ['an item beyond the end of its list', 'c3c28301020304'],
    ['an item beyond the input', 'c3820102'.slice(0, 6)],
    ['a prefix that is cut', 'c1f8'],
  ])('refuses %s', (_, hex) => {
    expect(codeOf(() => new ItemBudget(KIND).take(hexToBytes(hex)))).toBe(INVALID)
  })

  it('refuses encodings that are nested too deeply', () => {
    expect(codeOf(() => new ItemBudget(KIND).take(lists(100)))).toBe(INVALID)
    expect(codeOf(() => new ItemBudget(KIND).take(lists(30)))).toBeUndefined()
  })
})
