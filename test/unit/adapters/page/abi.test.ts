import { encodeAbiParameters, parseAbi, parseAbiParameters, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { encodeCall, functionsOf, outputTexts } from '../../../../adapters/page/abi/functions.ts'
import { readValue } from '../../../../adapters/page/abi/readValue.ts'
import { TRANSFER, TRANSFER_SINGLE, transfersOf } from '../../../../adapters/page/abi/tokens.ts'
import type { AbiEntry } from '../../../../adapters/page/rpc/isonode.ts'
import type { Log } from '../../../../adapters/page/rpc/types.ts'
import { abiTypes } from '../../../../src/abi/abiType.ts'

const typeOf = (type: string) => (abiTypes([{ type }]) ?? [])[0] as NonNullable<ReturnType<typeof abiTypes>>[number]
const functionOf = (text: string) =>
  functionsOf(parseAbi([text]) as unknown as AbiEntry[])[0] as ReturnType<typeof functionsOf>[number]

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

describe('forms of an ABI', () => {
  it.each([
    ['uint256', ['115792089237316195423570985008687907853269984665640564039457584007913129639935'], [2n ** 256n - 1n]],
    ['int8, bool', ['-128', 'true'], [-128, true]],
    ['address, bytes4, bytes', [ADDRESS, '0x12345678', '0x010203'], [ADDRESS, '0x12345678', '0x010203']],
    ['string', [' größer ["1"] '], [' größer ["1"] ']],
    ['uint256[]', ['[1, 0xff, 9007199254740993]'], [[1n, 255n, 9007199254740993n]]],
    [
      'uint8[2][]',
      ['[[1,2],[3,4]]'],
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    ['string[], uint256', ['["a 12","b,c"]', '7'], [['a 12', 'b,c'], 7n]],
    [
      '(address a, (uint256 b, string c)[] d)',
      [`["${ADDRESS}", [[1, "x"], [2, "y"]]]`],
      [
        {
          a: ADDRESS,
          d: [
            { b: 1n, c: 'x' },
            { b: 2n, c: 'y' },
          ],
        },
      ],
    ],
  ])('encode %s as viem does', (types, texts, values) => {
    const target = functionOf(`function f(${types})`)
    const data = encodeCall(
      target,
      target.inputs.map(({ type }, i) => readValue(type, texts[i] as string, 'a')),
    )
    const expected = encodeAbiParameters(parseAbiParameters(types) as never, values as never)
    expect(data).toBe(toFunctionSelector(target.signature) + expected.slice(2))
  })

  it.each([
    ['uint8', '256', 'a: 256 does not fit uint8'],
    ['uint8', '-1', 'a: -1 does not fit uint8'],
    ['int8', '128', 'a: 128 does not fit int8'],
    ['uint256', '1.5', 'a: expected a whole number'],
    ['bool', 'yes', 'a: expected true or false'],
    ['address', '0x12', 'a: expected an address'],
    ['address', ADDRESS.replace('F6F4', 'f6F4'), 'checksum'],
    ['bytes4', '0x123456', 'a: expected 4 bytes, got 3'],
    ['bytes', '0x123', 'a: expected hex of whole bytes'],
    ['uint256[2]', '[1]', 'a: expected 2 items, got 1'],
    ['uint256[]', '1', 'a: expected a list for uint256[], such as [1]'],
    ['uint256[][]', '[1]', 'a[0]: expected a list'],
  ])('refuse %s %s: %s', (type, text, message) => {
    expect(() => readValue(typeOf(type), text, 'a')).toThrow(message)
  })

  it('show what a function returns', () => {
    const target = functionOf('function f() view returns (uint256, string)')
    const data = encodeAbiParameters(parseAbiParameters('uint256, string'), [5n, 'five'])
    expect(target.isRead).toBe(true)
    expect(outputTexts(target, data)).toEqual(['5', '"five"'])
    expect(outputTexts(target, '0x')).toBeUndefined()
  })

  it('leave out functions with types that are not known', () => {
    expect(functionsOf([{ type: 'function', name: 'f', inputs: [{ name: 'a', type: 'uint7' }] }])).toEqual([])
  })
})

describe('transfers in logs', () => {
  const topic = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
  const log = (topics: readonly string[], data: string): Log => ({ topics, data, address: ADDRESS }) as Log

  it('are told apart by their topics', () => {
    expect(transfersOf(log([TRANSFER, topic(1n), topic(2n)], topic(5n)))[0]).toMatchObject({
      standard: 'ERC-20',
      amount: 5n,
    })
    expect(transfersOf(log([TRANSFER, topic(1n), topic(2n), topic(9n)], '0x'))[0]).toMatchObject({
      standard: 'ERC-721',
      tokenId: 9n,
    })
    const single = transfersOf(
      log([TRANSFER_SINGLE, topic(0n), topic(1n), topic(2n)], `${topic(9n)}${topic(3n).slice(2)}`),
    )
    expect(single[0]).toMatchObject({ standard: 'ERC-1155', tokenId: 9n, amount: 3n, from: `0x${'0'.repeat(39)}1` })
  })

  it('are none in logs of another form', () => {
    expect(transfersOf(log([], '0x'))).toEqual([])
    expect(transfersOf(log([TRANSFER, topic(1n)], topic(5n)))).toEqual([])
    expect(transfersOf(log([TRANSFER_SINGLE, topic(0n), topic(1n), topic(2n)], '0x'))).toEqual([])
  })
})
