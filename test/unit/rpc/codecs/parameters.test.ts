import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../src/base/primitives/errors.ts'
import { blockNumberOrTag, blockNumberOrTagOrHash } from '../../../../src/rpc/codecs/blockParameter.ts'
import { genericTransaction } from '../../../../src/rpc/codecs/callObject.ts'
import { logFilter } from '../../../../src/rpc/codecs/filter.ts'
import { blockOverrides, stateOverrides } from '../../../../src/rpc/codecs/overrides.ts'
import {
  address,
  boolean,
  data,
  hash32,
  index,
  integer,
  storagePosition,
  string,
  uint64,
  wei,
} from '../../../../src/rpc/codecs/scalars.ts'
import type { Codec } from '../../../../src/rpc/method.ts'

function refuses(codec: Codec<unknown>, value: unknown): boolean {
  try {
    codec.parse(value)
    return false
  } catch (error) {
    if (isNodeError(error, 'INVALID_PARAMS')) return true
    throw error
  }
}

const HASH = `0x${'ab'.repeat(32)}`

describe('block parameter', () => {
  it.each([
    ['0x10', 16],
    ['0X10', 16],
    ['#10', 16],
    ['10', 10],
    ['010', 8],
    ['0', 0],
    ['00', 0],
    ['-1', -1],
    ['+7', 7],
    ['-0x1', -1],
  ])('reads %s like Long.decode', (text, number) => {
    expect(blockNumberOrTag.parse(text)).toEqual({ kind: 'number', number })
  })

  it.each(['latest', 'EARLIEST', 'Pending', 'safe', 'finalized'])('takes the tag %s', (tag) => {
    expect(blockNumberOrTag.parse(tag)).toEqual({ kind: 'tag', tag: tag.toLowerCase() })
  })

  it.each([[''], [5], [null], ['0x'], ['08'], ['0xg'], [' 1'], ['0x8000000000000000'], ['head'], [{}]])(
    'refuses %j',
    (value) => {
      expect(refuses(blockNumberOrTag, value)).toBe(true)
    },
  )

  it('reads hashes and objects if both are allowed', () => {
    expect(blockNumberOrTagOrHash.parse(HASH)).toMatchObject({ kind: 'hash', requireCanonical: false })
    expect(blockNumberOrTagOrHash.parse({ blockHash: HASH, requireCanonical: true })).toMatchObject({
      kind: 'hash',
      requireCanonical: true,
    })
    expect(blockNumberOrTagOrHash.parse({ blockNumber: '0x19' })).toEqual({ kind: 'number', number: 25 })
    expect(blockNumberOrTagOrHash.parse('0x19')).toEqual({ kind: 'number', number: 25 })
  })

  it.each([
    ['a hash without 0x is too short to be one', HASH.slice(2)],
    ['17 characters', '0x000000000000019'],
    ['negative', '-1'],
    ['an empty object', {}],
    ['both forms', { blockHash: HASH, blockNumber: '0x1' }],
  ])('refuses if both are allowed: %s', (_, value) => {
    expect(refuses(blockNumberOrTagOrHash, value)).toBe(true)
  })
})

describe('scalars', () => {
  it('hash: exactly 32 bytes, 0x optional', () => {
    expect(bytesToHex(hash32.parse(HASH.slice(2)))).toBe(HASH)
    expect(refuses(hash32, HASH.slice(0, -2))).toBe(true)
    expect(refuses(hash32, `${HASH}00`)).toBe(true)
    expect(refuses(hash32, 1)).toBe(true)
  })

  it('address: left-padded, 0x optional, no checksum', () => {
    expect(bytesToHex(address.parse('0x1'))).toBe(`0x${'0'.repeat(39)}1`)
    expect(bytesToHex(address.parse('A94f5374fce5edbc8e2a8697c15331677e6ebf0b'))).toBe(
      '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b',
    )
    expect(refuses(address, `0x${'11'.repeat(21)}`)).toBe(true)
    expect(refuses(address, '0xzz')).toBe(true)
  })

  it('wei: text is hex, numbers are decimal', () => {
    expect(wei.parse('1000')).toBe(4096n)
    expect(wei.parse('0x000002')).toBe(2n)
    expect(wei.parse('0x')).toBe(0n)
    expect(wei.parse(1000)).toBe(1000n)
    expect(refuses(wei, -1)).toBe(true)
    expect(refuses(wei, '-0x1')).toBe(true)
    expect(refuses(wei, `0x1${'00'.repeat(32)}`)).toBe(true)
  })

  it('gas: Long.decode', () => {
    expect(uint64.parse('1000')).toBe(1000n)
    expect(uint64.parse('0x3e8')).toBe(1000n)
    expect(uint64.parse(1000)).toBe(1000n)
    expect(uint64.parse('0xffffffffffffffff')).toBe(2n ** 64n - 1n)
    expect(refuses(uint64, '-1')).toBe(true)
    expect(refuses(uint64, '0x10000000000000000')).toBe(true)
  })

  it('data: whole bytes', () => {
    expect(bytesToHex(data.parse('1234'))).toBe('0x1234')
    expect(data.parse('0x').length).toBe(0)
    expect(refuses(data, '0x123')).toBe(true)
    expect(refuses(data, 12)).toBe(true)
  })

  it('index: numbers and Integer.decode', () => {
    expect(index.parse('0xb')).toBe(11)
    expect(index.parse('11')).toBe(11)
    expect(index.parse(11)).toBe(11)
    for (const value of ['0x0L', '-1', -1, 1.5, '0x80000000', 2 ** 31, '', true])
      expect(refuses(index, value)).toBe(true)
  })

  it('storage position: hex of up to 32 bytes', () => {
    expect(bytesToHex(storagePosition.parse('10'))).toBe(`0x${'0'.repeat(62)}10`)
    expect(bytesToHex(storagePosition.parse('0x1'))).toBe(`0x${'0'.repeat(63)}1`)
    expect(refuses(storagePosition, `0x${'00'.repeat(33)}`)).toBe(true)
    expect(refuses(storagePosition, 1)).toBe(true)
  })

  it('boolean, string and integer: coercions', () => {
    expect([true, 'true', 'FALSE', 1, 0].map((value) => boolean.parse(value))).toEqual([true, true, false, true, false])
    expect(refuses(boolean, 'yes')).toBe(true)
    expect([5, true, 'x'].map((value) => string.parse(value))).toEqual(['5', 'true', 'x'])
    expect(refuses(string, {})).toBe(true)
    expect([5, 1.9, '10', '-3'].map((value) => integer.parse(value))).toEqual([5, 1, 10, -3])
    for (const value of ['0x10', '1.5', 2 ** 31, '', null]) expect(refuses(integer, value)).toBe(true)
  })
})

describe('call object', () => {
  it('reads every member and ignores others', () => {
    const call = genericTransaction.parse({
      from: '0x1',
      to: '0x2',
      gas: '21000',
      gasPrice: '10',
      value: 5,
      input: '0x1234',
      strict: 'true',
      comment: 'anything',
      accessList: [{ address: '0x3', storageKeys: ['0x1'] }],
    })
    expect(call).toMatchObject({ gas: 21000n, gasPrice: 16n, value: 5n, strict: true, nonce: undefined })
    expect(bytesToHex(call.data)).toBe('0x1234')
    expect(call.accessList?.[0]?.storageKeys[0]?.length).toBe(32)
  })

  it('treats an absent, null or empty recipient as a creation', () => {
    for (const to of [undefined, null, '', '0x']) expect(genericTransaction.parse({ to }).to).toBeUndefined()
  })

  it('refuses differing data and input, and values that are not objects', () => {
    expect(refuses(genericTransaction, { data: '0x01', input: '0x02' })).toBe(true)
    expect(genericTransaction.parse({ data: '0x01', input: '0x01' }).data.length).toBe(1)
    expect(refuses(genericTransaction, '0x8')).toBe(true)
    expect(refuses(genericTransaction, { value: '-1' })).toBe(true)
  })

  it('names an invalid member', () => {
    expect(() => genericTransaction.parse({ gas: 'abc' })).toThrow(/^gas: /)
  })
})

describe('filter object', () => {
  const topic = HASH

  it('accepts one address or several, and topics with alternatives', () => {
    const filter = logFilter.parse({ address: '0x1', topics: [null, topic, [topic, topic], [null, topic], []] })
    expect(filter.addresses).toHaveLength(1)
    expect(filter.topics.map((position) => position?.length)).toEqual([undefined, 1, 2, undefined, undefined])
    expect(logFilter.parse({ address: ['0x1', '0x2'], topics: topic }).topics).toHaveLength(1)
  })

  it('treats absent, null and empty as any', () => {
    for (const value of [undefined, null, []]) {
      expect(logFilter.parse({ address: value, topics: value })).toMatchObject({ addresses: [], topics: [] })
    }
  })

  it('refuses unknown keys, and a hash beside a range', () => {
    expect(refuses(logFilter, { fromBlok: '0x1' })).toBe(true)
    expect(refuses(logFilter, { blockHash: HASH, fromBlock: '0x1' })).toBe(true)
    expect(logFilter.parse({ blockhash: HASH }).blockHash).toHaveLength(32)
  })
})

describe('overrides', () => {
  it('reads accounts and storage', () => {
    const [override] = stateOverrides.parse({
      a94f5374fce5edbc8e2a8697c15331677e6ebf0b: { balance: '0x000002', nonce: 88, stateDiff: { '0x1': '0x2' } },
    })
    expect(override).toMatchObject({ balance: 2n, nonce: 88n, state: undefined })
    expect([...(override?.stateDiff ?? [])][0]?.[1][31]).toBe(2)
    expect(refuses(stateOverrides, { '0x1': { state: {}, stateDiff: {} } })).toBe(true)
  })

  it('reads block members under their several names', () => {
    expect(blockOverrides.parse({ time: '0x10', baseFee: '0x1' })).toMatchObject({ time: 16n, baseFeePerGas: 1n })
    expect(blockOverrides.parse({ coinbase: '0x1' }).feeRecipient).toHaveLength(20)
  })
})
