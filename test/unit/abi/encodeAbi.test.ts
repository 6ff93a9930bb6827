import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { abiItems } from '../../../src/abi/abiItem.ts'
import { type AbiParameter, abiTypes } from '../../../src/abi/abiType.ts'
import { decodeAbi } from '../../../src/abi/abiValue.ts'
import { argumentsOf } from '../../../src/abi/decoded.ts'
import { type AbiInput, encodeAbi, encodeCall } from '../../../src/abi/encodeAbi.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { checksumAddress } from '../../../src/types/address.ts'

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

function typesOf(parameters: readonly AbiParameter[]) {
  const types = abiTypes(parameters)
  if (types === undefined) throw new Error('the types are not known')
  return types
}

function encode(type: string, value: unknown, components?: readonly AbiParameter[]): string {
  return bytesToHex(encodeAbi(typesOf([{ type, ...(components && { components }) }]), [value as AbiInput]))
}

interface Typed {
  readonly parameter: AbiParameter
  readonly value: fc.Arbitrary<unknown>
}

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((value) => bytesToHex(value))

const ELEMENTARY: readonly Typed[] = [
  ...[8, 64, 200, 256].map((bits) => ({
    parameter: { type: `uint${bits}` },
    value: fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }),
  })),
  ...[8, 128, 256].map((bits) => ({
    parameter: { type: `int${bits}` },
    value: fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n }),
  })),
  { parameter: { type: 'bool' }, value: fc.boolean() },
  {
    parameter: { type: 'address' },
    value: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((value) => checksumAddress(value)),
  },
  ...[1, 4, 31, 32].map((length) => ({ parameter: { type: `bytes${length}` }, value: bytes(length) })),
  { parameter: { type: 'bytes' }, value: fc.uint8Array({ maxLength: 70 }).map((value) => bytesToHex(value)) },
  { parameter: { type: 'string' }, value: fc.string({ unit: 'grapheme', maxLength: 40 }) },
]

const typed: fc.Arbitrary<Typed> = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(...ELEMENTARY),
    fc.tuple(tie('any'), fc.option(fc.integer({ min: 0, max: 3 }))).map(([{ parameter, value }, length]) => ({
      parameter: { ...parameter, type: `${parameter.type}[${length ?? ''}]` },
      value:
        length === null ? fc.array(value, { maxLength: 3 }) : fc.array(value, { minLength: length, maxLength: length }),
    })),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((members) => ({
      parameter: { type: 'tuple', components: members.map(({ parameter }) => parameter) },
      value: fc.tuple(...members.map(({ value }) => value)),
    })),
  ),
})).any

const withValues = fc
  .array(typed, { minLength: 1, maxLength: 4 })
  .chain((list) =>
    fc.tuple(fc.constant(list.map(({ parameter }) => parameter)), fc.tuple(...list.map(({ value }) => value))),
  )

describe('encoded values', () => {
  it('of all types are those of viem', () => {
    fc.assert(
      fc.property(withValues, ([parameters, values]) => {
        const types = abiTypes(parameters)
        if (types === undefined) return
        const expected = encodeAbiParameters(parameters as never, values as never)
        expect(bytesToHex(encodeAbi(types, values as AbiInput[]))).toBe(expected)
      }),
    )
  })

  it('are decoded to the same values', () => {
    fc.assert(
      fc.property(withValues, ([parameters, values]) => {
        const types = abiTypes(parameters)
        if (types === undefined) return
        const encoded = encodeAbi(types, values as AbiInput[])
        const decoded = decodeAbi(types, encoded, { maxItems: 4096, maxAllItems: 4096 }) ?? []
        const again = argumentsOf(types, decoded, []).map(({ value }) => value as AbiInput)
        expect(bytesToHex(encodeAbi(types, again))).toBe(bytesToHex(encoded))
      }),
    )
  })

  it('may be given as texts of a form, and tuples by name', () => {
    expect(encode('uint256', '5')).toBe(encode('uint256', 5n))
    expect(encode('uint256', '0x10')).toBe(encode('uint256', 16))
    expect(encode('int8', '-3')).toBe(encode('int8', -3n))
    expect(encode('bool', 'true')).toBe(encode('bool', true))
    expect(encode('address', ACCOUNT.toLowerCase())).toBe(encode('address', ACCOUNT))
    const components = [
      { name: 'to', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ]
    expect(encode('tuple', { amount: 5, to: ACCOUNT }, components)).toBe(encode('tuple', [ACCOUNT, 5n], components))
  })

  it('of a call begin with its selector', () => {
    const abi = [{ type: 'function', name: 'f', inputs: [{ name: 'x', type: 'string[]' }], outputs: [] }] as const
    const [item] = abiItems(abi).functions
    if (item === undefined) throw new Error('no function')
    const expected = encodeFunctionData({ abi, args: [['a', 'b']] } as never)
    expect(bytesToHex(encodeCall(item, [['a', 'b']]))).toBe(expected)
  })

  it.each<[string, unknown, RegExp]>([
    ['uint8', 256, /^argument 1: 256 does not fit uint8$/],
    ['uint8', -1, /does not fit uint8/],
    ['int8', 128n, /does not fit int8/],
    ['uint256', 1.5, /expected a whole number/],
    ['uint256', 2 ** 60, /expected a whole number/],
    ['uint256', '1e5', /expected a whole number, got "1e5"/],
    ['uint256', '9'.repeat(100), /expected a whole number/],
    ['bool', 1, /expected true or false/],
    ['address', '0x12', /expected an address of 20 bytes/],
    ['address', ACCOUNT.replace('Fd', 'fd'), /the checksum of 0x\w+ is wrong/],
    ['bytes4', '0x12', /expected 4 bytes, got 1/],
    ['bytes', '0x1', /expected hex of whole bytes/],
    ['bytes', '12', /expected hex of whole bytes/],
    ['string', 5, /expected text/],
    ['uint8[2]', [1], /expected 2 items, got 1/],
    ['uint8[][]', [[1], [2, 300]], /^argument 1\[1\]\[1\]: 300 does not fit uint8$/],
    ['uint8[]', 'x', /expected a list/],
  ])('of %s refuse %s', (type, value, message) => {
    expect(() => encode(type, value)).toThrow(message)
  })

  it('name the member that is wrong or missing', () => {
    const components = [{ name: 'to', type: 'address' }]
    expect(() => encode('tuple', { to: 5 }, components)).toThrow(/^argument 1\.to: expected an address/)
    expect(() => encode('tuple', {}, components)).toThrow(/^argument 1: the member to is missing$/)
    expect(() => encode('tuple', [], components)).toThrow(/expected 1 members, got 0/)
    expect(() => encodeAbi(typesOf([{ type: 'bool' }]), [])).toThrow('expected 1 arguments, got 0')
  })
})
