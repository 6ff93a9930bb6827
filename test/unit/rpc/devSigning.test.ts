// slow: slow password hashes
import { verifyMessage as ethersVerifyMessage, verifyTypedData as ethersVerifyTypedData } from 'ethers'
import {
  concat,
  hashTypedData,
  keccak256,
  numberToHex,
  recoverMessageAddress,
  recoverTypedDataAddress,
  stringToHex,
  type TypedDataDefinition,
} from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devGenesis.ts'
import { typedData, typedDataHash } from '../../../src/rpc/methods/dev/typedData.ts'
import { openDevRpc } from '../../support/nodes/devRpc.ts'

const account = DEV_ACCOUNTS[0]?.address as `0x${string}`
const STRANGER = '0x00000000000000000000000000000000000000aa'

type Hex = `0x${string}`
let call: Awaited<ReturnType<typeof openDevRpc>>['call']
beforeAll(async () => {
  ;({ call } = await openDevRpc())
})

/** The example of EIP-712. */
const MAIL = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
} as const

/** Every kind of member, structs in structs in arrays, and a domain with only a salt. */
const ORDER = {
  types: {
    Order: [
      { name: 'maker', type: 'Party' },
      { name: 'takers', type: 'Party[]' },
      { name: 'grid', type: 'uint8[2][]' },
      { name: 'legs', type: 'Leg[2]' },
      { name: 'payload', type: 'bytes' },
      { name: 'tag', type: 'bytes4' },
      { name: 'open', type: 'bool' },
      { name: 'change', type: 'int64' },
      { name: 'limit', type: 'uint256' },
    ],
    Party: [
      { name: 'wallet', type: 'address' },
      { name: 'names', type: 'string[]' },
    ],
    Leg: [
      { name: 'asset', type: 'Asset' },
      { name: 'amount', type: 'uint128' },
    ],
    Asset: [{ name: 'id', type: 'bytes32' }],
  },
  primaryType: 'Order',
  domain: { salt: `0x${'5a'.repeat(32)}` },
  message: {
    maker: { wallet: STRANGER, names: ['one', 'zwei', 'três'] },
    takers: [{ wallet: account, names: [] }],
    grid: [
      [1, 2],
      [3, 255],
    ],
    legs: [
      { asset: { id: `0x${'01'.repeat(32)}` }, amount: '1000000000000000000000' },
      { asset: { id: `0x${'02'.repeat(32)}` }, amount: 7 },
    ],
    payload: '0xdeadbeef',
    tag: '0x01020304',
    open: true,
    change: -5,
    limit: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  },
} as const

const asTypedData = (value: unknown) => value as TypedDataDefinition

describe('messages', () => {
  const text = 'Grüße'
  const message = stringToHex(text)

  it.each([
    ['eth_sign', [account, message]],
    ['eth_sign', [message, account]],
    ['personal_sign', [message, account]],
    ['personal_sign', [account, message]],
    ['personal_sign', [message, account, 'password']],
  ])('%s of %j can be recovered by libraries', async (method, params) => {
    const { result } = await call(method, ...params)
    const signature = result as Hex
    expect((await recoverMessageAddress({ message: text, signature })).toLowerCase()).toBe(account)
    expect(ethersVerifyMessage(text, signature).toLowerCase()).toBe(account)
  })

  it('may be as long as an address: the parameter order of the method applies then', async () => {
    const other = DEV_ACCOUNTS[1]?.address as Hex
    for (const [method, params] of [
      ['eth_sign', [account, other]],
      ['personal_sign', [other, account]],
    ] as const) {
      const { result } = await call(method, ...params)
      const recovered = await recoverMessageAddress({ message: { raw: other }, signature: result as Hex })
      expect(recovered.toLowerCase()).toBe(account)
    }
  })

  it('are refused for accounts without a key, and when they are not hex', async () => {
    expect((await call('eth_sign', STRANGER, '0x12')).error).toEqual({ code: -32000, message: 'unknown account' })
    expect((await call('personal_sign', 'hello', account)).error).toEqual({
      code: -32602,
      message: 'invalid argument 0 (message): expected 0x and hex of whole bytes, got "hello"',
    })
    expect((await call('personal_sign', '0x12', '0x34')).error?.code).toBe(-32602)
    expect((await call('eth_sign', account)).error?.message).toContain('(message)')
  })
})

describe('typed data', () => {
  it('has the hash of the example in the standard', () => {
    const hash = typedDataHash(typedData.parse(MAIL))
    expect(bytesToHex(hash)).toBe('0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2')
  })

  it.each([
    ['the example of the standard', MAIL],
    ['members of every kind', ORDER],
  ])('is recovered by libraries: %s', async (_name, data) => {
    for (const given of [data, JSON.stringify(data)]) {
      const { result } = await call('eth_signTypedData_v4', account, given)
      const signature = result as Hex
      const recovered = await recoverTypedDataAddress({ ...asTypedData(data), signature })
      expect(recovered.toLowerCase()).toBe(account)
      const { EIP712Domain: _, ...types } = data.types as unknown as Record<string, { name: string; type: string }[]>
      expect(ethersVerifyTypedData(data.domain, types, data.message, signature).toLowerCase()).toBe(account)
    }
  })

  it('is also signed under the older names', async () => {
    const { result } = await call('eth_signTypedData_v4', account, MAIL)
    expect((await call('eth_signTypedData', account, MAIL)).result).toBe(result)
    expect((await call('eth_signTypedData_v3', account, MAIL)).result).toBe(result)
  })

  it('may have a recursive type, and end with an absent struct', () => {
    const types = {
      Node: [
        { name: 'value', type: 'uint256' },
        { name: 'next', type: 'Node' },
        { name: 'others', type: 'Node[]' },
      ],
    }
    const leaf = { value: 1, others: [] }
    const data = { types, primaryType: 'Node', domain: {}, message: { ...leaf, next: { ...leaf, next: null } } }
    // As in wallets, the missing struct is a zero word.
    const typeHash = keccak256(stringToHex('Node(uint256 value,Node next,Node[] others)'))
    const nodeHash = (next: Hex) => keccak256(concat([typeHash, numberToHex(1, { size: 32 }), next, keccak256('0x')]))
    const domainHash = keccak256(keccak256(stringToHex('EIP712Domain()')))
    const message = nodeHash(nodeHash(numberToHex(0, { size: 32 })))
    expect(bytesToHex(typedDataHash(typedData.parse(data)))).toBe(keccak256(concat(['0x1901', domainHash, message])))
  })

  it('may be long', () => {
    const types = { A: [{ name: 'list', type: 'uint8[]' }] }
    const data = { types, primaryType: 'A', domain: {}, message: { list: new Array(300_000).fill(1) } }
    expect(bytesToHex(typedDataHash(typedData.parse(data)))).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it('may be only the domain', () => {
    const data = { ...MAIL, primaryType: 'EIP712Domain' }
    expect(bytesToHex(typedDataHash(typedData.parse(data)))).toBe(hashTypedData(asTypedData(data)))
  })

  it('reads integers beyond 2^53 exactly', () => {
    const types = { A: [{ name: 'n', type: 'uint256' }] }
    const text = `{"types":${JSON.stringify(types)},"primaryType":"A","domain":{},"message":{"n":9007199254740993}}`
    const expected = hashTypedData({ types, primaryType: 'A', domain: {}, message: { n: 9007199254740993n } })
    expect(bytesToHex(typedDataHash(typedData.parse(text)))).toBe(expected)
  })

  const one = (type: string, value: unknown) => ({
    types: { A: [{ name: 'x', type }] },
    primaryType: 'A',
    domain: {},
    message: { x: value },
  })

  it.each([
    ['uint8', 256, 'message.x: expected a uint8, got 256'],
    ['uint8', -1, 'message.x: expected a uint8, got -1'],
    ['int8', 128, 'message.x: expected an int8, got 128'],
    ['uint7', 1, 'no integers of 7 bits'],
    ['uint264', 1, 'no integers of 264 bits'],
    ['uint8', 1.5, 'expected an integer, got 1.5'],
    ['uint256', undefined, 'message.x: expected an integer, got nothing'],
    ['address', '0x12', 'expected 20 bytes, got 1'],
    ['bytes4', '0x0102', 'expected 4 bytes, got 2'],
    ['bytes33', '0x01', 'no such type: bytes33'],
    ['bytes', 'text', '0x and hex'],
    ['bool', 1, 'true or false'],
    ['string', 1, 'expected a string, got 1'],
    ['B', {}, 'no such type: B'],
    ['A[]', {}, 'expected an array, got an object'],
    ['uint8[2]', [1], 'expected 2 items, got 1'],
    ['uint8[x]', [1], 'no such type: uint8[x]'],
    ['[]', [1], 'no such type: []'],
    ['A', 5, 'message.x: expected an object, got 5'],
  ])('refuses a %s that is %j', async (type, value, message) => {
    const { error } = await call('eth_signTypedData_v4', account, one(type, value))
    expect(error?.code).toBe(-32602)
    expect(error?.message).toContain(message)
  })

  it('refuses other data', async () => {
    const refused = async (data: unknown) => (await call('eth_signTypedData_v4', account, data)).error
    expect((await refused('{'))?.message).toContain('(typedData)')
    expect((await refused([{ type: 'string', name: 'a', value: 'b' }]))?.message).toContain('expected an object')
    expect((await refused({ ...MAIL, primaryType: 'Letter' }))?.message).toContain('Letter is not defined')
    expect((await refused({ ...MAIL, types: { Mail: 1 } }))?.message).toContain('types: Mail')
    expect((await refused({ ...MAIL, types: { Mail: [{ name: 1 }] } }))?.message).toContain('a name and a type')
    const many = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`T${i}`, []]))
    expect((await refused({ ...MAIL, types: many }))?.message).toContain('at most 256')
    expect((await call('eth_signTypedData_v4', STRANGER, MAIL)).error?.message).toBe('unknown account')
  })
})

describe('the accounts', () => {
  it('are listed', async () => {
    const addresses = DEV_ACCOUNTS.map(({ address }) => address)
    expect((await call('personal_listAccounts')).result).toEqual(addresses)
    expect((await call('eth_requestAccounts')).result).toEqual(addresses)
  })
})
