import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../../../src/base/ports/keySigner.ts'
import { concatBytes, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { fittingNeighbors } from '../../../../../src/net/p2p/discovery/v4/compose.ts'
import type { Message } from '../../../../../src/net/p2p/discovery/v4/messages.ts'
import { createPacket, isPacket, readPacket, senderOf } from '../../../../../src/net/p2p/discovery/v4/packet.ts'
import { EIP8_NODE_KEY, EIP8_PACKETS } from './eip8Packets.ts'

const signer = new KeySigner(hexToBytes(EIP8_NODE_KEY))
const endpoint = { host: '10.0.0.1', udpPort: 30303, tcpPort: 30304 }
const hash = new Uint8Array(32).fill(7)
const id = new Uint8Array(64).fill(9)

function readAll(bytes: Uint8Array): { readonly message: Message; readonly sender: Uint8Array | undefined } {
  expect(isPacket(bytes)).toBe(true)
  const packet = readPacket(bytes)
  if (packet === undefined) throw new Error('unreadable')
  return { message: packet.message, sender: senderOf(packet) }
}

describe('packets of discovery v4', () => {
  it.each(Object.entries(EIP8_PACKETS))('reads the packet %s of EIP-8', (name, hex) => {
    const { message, sender } = readAll(hexToBytes(hex))
    expect(sender).toEqual(signer.publicKey)
    expect(message.type).toBe(name.startsWith('ping') ? 'ping' : name)
    expect('expiration' in message && message.expiration).toBe(1136239445)
  })

  it('reads the fields of the packets of EIP-8', () => {
    const ping = readAll(hexToBytes(EIP8_PACKETS.ping4)).message
    expect(ping).toMatchObject({
      from: { host: '127.0.0.1', udpPort: 3322, tcpPort: 5544 },
      to: { host: '::1', udpPort: 2222, tcpPort: 3333 },
      enrSeq: 1n,
    })
    const neighbors = readAll(hexToBytes(EIP8_PACKETS.neighbors)).message
    expect(
      neighbors.type === 'neighbors' && neighbors.nodes.map(({ host, udpPort, tcpPort }) => [host, udpPort, tcpPort]),
    ).toEqual([
      ['99.33.22.55', 4444, 4445],
      ['1.2.3.4', 1, 1],
      ['2001:db8:3c4d:15::abcd:ef12', 3333, 3333],
      ['2001:db8:85a3:8d3:1319:8a2e:370:7348', 999, 1000],
    ])
  })

  it.each<Message>([
    { type: 'ping', from: endpoint, to: endpoint, expiration: 5, enrSeq: 3n },
    { type: 'ping', from: { ...endpoint, host: undefined }, to: endpoint, expiration: 5, enrSeq: undefined },
    { type: 'pong', to: endpoint, pingHash: hash, expiration: 5, enrSeq: 0n },
    { type: 'findNode', target: id, expiration: 5 },
    {
      type: 'neighbors',
      nodes: [
        { id, ...endpoint },
        { id, ...endpoint, host: '2001:db8::1' },
      ],
      expiration: 2 ** 33,
    },
    { type: 'neighbors', nodes: [], expiration: 5 },
    { type: 'enrRequest', expiration: 5 },
    { type: 'enrResponse', requestHash: hash, record: Uint8Array.of(0xc2, 1, 2) },
  ])('reads its own $type', (message) => {
    const { message: read, sender } = readAll(createPacket(signer, message).bytes)
    expect(read).toEqual(message)
    expect(sender).toEqual(signer.publicKey)
  })

  it('ignores bytes after the list', () => {
    const { bytes } = createPacket(signer, { type: 'enrRequest', expiration: 5 })
    expect(isPacket(concatBytes(bytes, Uint8Array.of(1)))).toBe(false)
    expect(readPacket(concatBytes(bytes, Uint8Array.of(1)))?.message).toEqual({ type: 'enrRequest', expiration: 5 })
  })

  it('refuses other sizes, a wrong hash, an unknown type and an invalid signature', () => {
    const { bytes } = createPacket(signer, { type: 'enrRequest', expiration: 5 })
    expect(isPacket(bytes.subarray(0, 98))).toBe(false)
    expect(isPacket(new Uint8Array(1601))).toBe(false)
    expect(isPacket(bytes.map((byte, i) => (i === 99 ? byte ^ 1 : byte)))).toBe(false)
    expect(readPacket(bytes.map((byte, i) => (i === 97 ? 9 : byte)))).toBeUndefined()
    expect(
      senderOf({ hash, bytes: bytes.fill(0xff, 32, 96), message: { type: 'enrRequest', expiration: 5 } }),
    ).toBeUndefined()
  })

  it('keeps the nodes of an answer below 1280 bytes', () => {
    for (const host of ['10.0.0.1', '2001:db8:85a3:8d3:1319:8a2e:370:7348']) {
      const nodes = fittingNeighbors(Array.from({ length: 30 }, () => ({ id, host, udpPort: 30303, tcpPort: 30303 })))
      expect(nodes.length).toBe(host.includes(':') ? 12 : 13)
      const { bytes } = createPacket(signer, { type: 'neighbors', nodes, expiration: 2 ** 32 })
      expect(bytes.length).toBeLessThanOrEqual(1280)
    }
  })
})
