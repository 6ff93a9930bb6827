import { p256 } from '@noble/curves/nist.js'
import { describe, expect, it } from 'vitest'
import { bytesToHex, bytesToHexUnprefixed } from '../../../src/base/primitives/bytes.ts'
import { publicKeyOf, publicKeyToAddress } from '../../../src/base/primitives/secp256k1.ts'
import { encodeAddresses, generateBlockchainConfig } from '../../../src/cli/blockchainConfig.ts'
import { IBFT2, QBFT } from '../../../src/consensus/bft/flavour.ts'

const ADDRESSES = ['0x7e5f4552091a69125d5dfcb7b8c2659029395bdf', '0x2b5ad5c4795c026514f8317c7a215e218dccd6cf']
const ZEROS = '00'.repeat(32)

/** Private keys 1, 2, 3, … */
function counting(): (length: number) => Uint8Array {
  let next = 0
  return (length) => new Uint8Array(length).with(length - 1, ++next)
}

const configOf = (config: object, nodes: object = { generate: true, count: 2 }): string =>
  JSON.stringify({ genesis: { config }, blockchain: { nodes } })

describe('operator generate-blockchain-config', () => {
  it('prints the genesis file with every digit, in the order of its members', () => {
    const text = `{"genesis": {"config": {"chainId": 1337, "qbft": {"epochlength": 30000}, "list": [1, "a", []], "none": {}},
      "nonce": "0x0", "extraData": "0x01", "gasLimit": 123456789012345678901, "ratio": 1.50e3, "big": -0,
      "alloc": {"fe3b557e8fb62b89f4916b721be55ceb828dbd73": {"balance": "\\"90\\u00e9"}}},
      "blockchain": {"nodes": {"generate": true, "count": 2}}}`
    const { genesis } = generateBlockchainConfig(text, counting())
    const list = `ea94${ADDRESSES.map((address) => address.slice(2)).join('94')}`
    expect(genesis).toBe(`{
  "config" : {
    "chainId" : 1337,
    "qbft" : {
      "epochlength" : 30000
    },
    "list" : [ 1, "a", [ ] ],
    "none" : { }
  },
  "nonce" : "0x0",
  "extraData" : "0xf84fa0${ZEROS}${list}c080c0",
  "gasLimit" : 123456789012345678901,
  "ratio" : 1.50e3,
  "big" : -0,
  "alloc" : {
    "fe3b557e8fb62b89f4916b721be55ceb828dbd73" : {
      "balance" : "\\"90é"
    }
  }
}`)
  })

  it('generates keys', () => {
    const { nodes } = generateBlockchainConfig(configOf({ ibft2: {} }), counting())
    expect(nodes.map(({ address }) => bytesToHex(address))).toEqual(ADDRESSES)
    for (const [i, { address, publicKey, privateKey }] of nodes.entries()) {
      expect(privateKey).toEqual(new Uint8Array(32).with(31, i + 1))
      expect(publicKey).toEqual(publicKeyOf(privateKey as Uint8Array))
      expect(publicKeyToAddress(publicKey)).toEqual(address)
    }
    const { genesis } = generateBlockchainConfig(configOf({ ibft2: {}, qbft: {} }), counting())
    expect(JSON.parse(genesis).extraData).toMatch(/808400000000c0$/)
    expect(JSON.parse(generateBlockchainConfig(configOf({ ethash: {} }), counting()).genesis)).toEqual({
      config: { ethash: {} },
    })
  })

  it('takes over public keys', () => {
    const keys = [2, 1].map((n) => bytesToHexUnprefixed(publicKeyOf(new Uint8Array(32).with(31, n))))
    const { nodes, genesis } = generateBlockchainConfig(
      configOf({ qbft: {} }, { keys: [`0x${keys[0]}`, keys[1]] }),
      counting(),
    )
    expect(nodes.map(({ address, privateKey }) => [bytesToHex(address), privateKey])).toEqual([
      [ADDRESSES[1], undefined],
      [ADDRESSES[0], undefined],
    ])
    expect(JSON.parse(genesis).extraData).toBe(encodeAddresses(JSON.stringify([...ADDRESSES].reverse()), QBFT))
  })

  it('obeys the curve', () => {
    const { nodes } = generateBlockchainConfig(configOf({ ecCurve: 'secp256r1', qbft: {} }), counting())
    const expected = p256.getPublicKey(new Uint8Array(32).with(31, 1), false).slice(1)
    expect(nodes[0]?.publicKey).toEqual(expected)
    const keys = [bytesToHex(expected)]
    expect(generateBlockchainConfig(configOf({ eccurve: 'secp256r1' }, { keys }), counting()).nodes).toHaveLength(1)
    expect(() => generateBlockchainConfig(configOf({}, { keys }), counting())).toThrow('is not a public key')
  })

  const key = bytesToHex(publicKeyOf(new Uint8Array(32).with(31, 1)))
  it.each([
    ['', 'not JSON'],
    ['{"genesis": ', 'not JSON'],
    ['[]', 'the configuration must be an object'],
    ['{"genesis": 5}', 'genesis must be an object'],
    ['{}', 'blockchain must be an object'],
    ['{"blockchain": {}}', 'blockchain.nodes must be an object'],
    [configOf({}, {}), 'blockchain.nodes needs "generate": true with a count, or a list of keys'],
    [configOf({}, { generate: true }), 'blockchain.nodes.count must be a number of at most 1000, not nothing'],
    [configOf({}, { generate: true, count: -1 }), 'at most 1000, not -1'],
    [configOf({}, { generate: true, count: 1001 }), 'at most 1000, not 1001'],
    [configOf({}, { generate: true, count: 1.5 }), 'at most 1000, not 1.5'],
    [configOf({}, { keys: ['0x12'] }), '"0x12" is not a public key'],
    [configOf({}, { keys: [7] }), '7 is not a public key'],
    [configOf({}, { keys: [key, key] }), 'is listed twice'],
    [configOf({ eccurve: 'ed25519' }), 'genesis.config.ecCurve must be secp256k1 or secp256r1, not "ed25519"'],
  ])('refuses %s', (text, message) => {
    expect(() => generateBlockchainConfig(text, counting())).toThrow(
      expect.objectContaining({ code: 'INVALID_BLOCKCHAIN_CONFIG', message: expect.stringContaining(message) }),
    )
  })
})

describe('rlp encode', () => {
  it('encodes addresses in the order of the input', () => {
    const text = JSON.stringify([ADDRESSES[0]])
    const list = `d594${ADDRESSES[0]?.slice(2)}`
    expect(encodeAddresses(text, IBFT2)).toBe(`0xf83ea0${ZEROS}${list}808400000000c0`)
    expect(encodeAddresses(text, QBFT)).toBe(`0xf83aa0${ZEROS}${list}c080c0`)
    expect(encodeAddresses('[]', QBFT)).toBe(`0xe5a0${ZEROS}c0c080c0`)
  })

  it.each([
    ['', 'not JSON'],
    ['{}', 'expected a JSON array of addresses, got {'],
    ['[1]', '1 is not an address'],
    ['["0x12"]', '"0x12" is not an address'],
  ])('refuses %s', (text, message) => {
    expect(() => encodeAddresses(text, IBFT2)).toThrow(message)
  })
})
