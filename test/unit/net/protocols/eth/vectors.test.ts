/** Encodings published with EIP-2481. */
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { decodeEthMessage, encodeEthMessage } from '../../../../../src/net/protocols/eth/codec.ts'
import type { EthMessage } from '../../../../../src/net/protocols/eth/messages.ts'
import { decodeReceiptList } from '../../../../../src/net/protocols/eth/receiptItems.ts'
import { ETH_MESSAGES, type EthVersion, ethVersion } from '../../../../../src/net/protocols/eth/versions.ts'
import { decodeBody } from '../../../../../src/types/blockCodec.ts'
import { hashHeader } from '../../../../../src/types/headerCodec.ts'
import { transactionHash } from '../../../../../src/types/transactionCodec.ts'

const ETH66 = ethVersion(66) as EthVersion
const HASHES =
  'f847820457f842a000000000000000000000000000000000000000000000000000000000deadc0dea000000000000000000000000000000000000000000000000000000000feedbeef'
const Z = (bytes: number) => '00'.repeat(bytes)
const HEADER = `f901f9a0${Z(32)}a0${Z(32)}94${Z(20)}a0${Z(32)}a0${Z(32)}a0${Z(32)}b90100${Z(256)}8208ae820d0582115c8215b3821a0a827788a0${Z(32)}88${Z(8)}`
const R1 = '64b1702d9298fee62dfeccc57d322a463ad55ca201256d01f62b45b2e1c21c'
const R2 = '52f8f61201b2b11a78d6e866abc9c3db2ae8631fa656bfe5cb53668255367afb'
const TO = '9435353535353535353535353535353535353535'
const TRANSACTIONS = `f8d2f867088504a817c8088302e248${TO}358202008025a0${R1}12a0${R1}10f867098504a817c80983033450${TO}358202d98025a0${R2}a0${R2}`

const VECTORS: readonly [EthMessage['kind'], string][] = [
  ['getBlockHeaders', 'e8820457e4a000000000000000000000000000000000000000000000000000000000deadc0de050580'],
  ['getBlockHeaders', 'ca820457c682270f050580'],
  ['blockHeaders', `f90202820457f901fc${HEADER}`],
  ['getBlockBodies', HASHES],
  ['blockBodies', `f902dc820457f902d6f902d3${TRANSACTIONS}f901fc${HEADER}`],
  ['getNodeData', HASHES],
  ['nodeData', 'ce820457ca84deadc0de84feedbeef'],
  ['getReceipts', HASHES],
  [
    'receipts',
    `f90172820457f9016cf90169f901668001b90100${Z(256)}f85ff85d9400000000000000000000000000000000000000${'11'}f842a0${Z(30)}deada0${Z(30)}beef830100ff`,
  ],
  ['getPooledTransactions', HASHES],
  ['pooledTransactions', `f8d7820457${TRANSACTIONS}`],
]

const decoded = (index: number) => {
  const [kind, hex] = VECTORS[index] as [EthMessage['kind'], string]
  return decodeEthMessage(ETH66, { code: ETH_MESSAGES[kind].code, payload: hexToBytes(hex) })
}

describe('EIP-2481', () => {
  it.each(VECTORS.map(([kind], index) => [kind, index] as const))(
    '%s %d is decoded and encoded again',
    (kind, index) => {
      const message = decoded(index)
      expect(message).toMatchObject({ kind, requestId: 1111n })
      const encoded = encodeEthMessage(ETH66, message)
      expect(encoded.code).toBe(ETH_MESSAGES[kind].code)
      expect(bytesToHex(encoded.payload)).toBe(`0x${VECTORS[index]?.[1]}`)
    },
  )

  it('reads the query of headers by hash and by number', () => {
    const hash = concatBytes(new Uint8Array(28), hexToBytes('deadc0de'))
    expect(decoded(0)).toMatchObject({ start: hash, limit: 5n, skip: 5n, isReverse: false })
    expect(decoded(1)).toMatchObject({ start: 9999n, limit: 5n, skip: 5n, isReverse: false })
  })

  it('reads headers, bodies, transactions and receipts', () => {
    const hash = '0x8c2f2af15b7b563b6ab1e09bed0e9caade7ed730aec98b70a993597a797579a9'
    const headers = decoded(2) as EthMessage & { kind: 'blockHeaders' }
    const header = headers.headers[0]
    expect(header && bytesToHex(keccak256(header.encoding))).toBe(hash)
    expect(header?.header).toMatchObject({ difficulty: 0x8aen, number: 0xd05n, gasLimit: 0x115cn, gasUsed: 0x15b3n })

    const transactionHashes = [
      '0x588df025c4c2d757d3e314bd3dfbfe352687324e6b8557ad1731585e96928aed',
      '0xf39c7dac06a9f3abf09faf5e30439a349d3717611b3ed337cd52b0d192bc72da',
    ]
    const bodies = decoded(4) as EthMessage & { kind: 'blockBodies' }
    const body = decodeBody(bodies.bodies[0] as Uint8Array)
    expect(body.transactions.map((one) => bytesToHex(transactionHash(one)))).toEqual(transactionHashes)
    expect(body.ommers.map((one) => bytesToHex(hashHeader(one)))).toEqual([hash])

    const pooled = decoded(10) as EthMessage & { kind: 'pooledTransactions' }
    expect(pooled.transactions.map(({ encoding }) => bytesToHex(keccak256(encoding)))).toEqual(transactionHashes)

    const receipts = decoded(8) as EthMessage & { kind: 'receipts' }
    const [receipt] = decodeReceiptList(ETH66, receipts.blocks[0] as Uint8Array)
    expect(receipt).toMatchObject({ type: 0, status: false, cumulativeGasUsed: 1n })
    expect(receipt?.logs[0]).toMatchObject({ data: hexToBytes('0100ff') })
  })
})
