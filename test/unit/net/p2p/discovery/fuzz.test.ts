// slow: thousands of packets
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../../../src/base/ports/keySigner.ts'
import { concatBytes, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../../src/base/primitives/errors.ts'
import { ipText, parseIp } from '../../../../../src/base/primitives/ipAddress.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { type RlpItem, rlpEncode } from '../../../../../src/base/primitives/rlp.ts'
import { parseListEntry, parseListRoot, parseListUrl } from '../../../../../src/net/p2p/discovery/dns/entries.ts'
import { createRecord, parseRecord, tryDecodeRecord } from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries, recordAddress, recordForkId } from '../../../../../src/net/p2p/discovery/recordEntries.ts'
import { decodeMessage, encodeMessage, type Message } from '../../../../../src/net/p2p/discovery/v4/messages.ts'
import { readPacket } from '../../../../../src/net/p2p/discovery/v4/packet.ts'
import { decodeMessageV5, encodeMessageV5 } from '../../../../../src/net/p2p/discovery/v5/messages.ts'
import { maskHeader, readPacketV5 } from '../../../../../src/net/p2p/discovery/v5/packet.ts'
import { generatedCases } from '../../../../support/host/generatedCases.ts'
import { EIP8_PACKETS } from './eip8Packets.ts'
import { Machine, Peer } from './machine.ts'

const RUNS = generatedCases(1_000)
const options = { seed: 15, numRuns: RUNS }
const signer = new KeySigner(new Uint8Array(32).fill(7))

const bytes = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength })
const items = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ maxDepth: 3 }, bytes(70), fc.array(tie('item'), { maxLength: 6 })),
})).item

/** Valid input with some bytes changed, removed or added. */
function mutated(valid: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const edits = fc.array(fc.tuple(fc.nat(1300), fc.nat(255), fc.constantFrom('set', 'cut', 'add')), { maxLength: 4 })
  return fc.tuple(fc.constantFrom(...valid), edits).map(([start, changes]) => {
    let result = Uint8Array.from(start)
    for (const [at, value, kind] of changes) {
      const index = at % (result.length + 1)
      if (kind === 'set') result[index] = value
      if (kind === 'cut') result = result.slice(0, index)
      if (kind === 'add') result = Uint8Array.from([...result.subarray(0, index), value, ...result.subarray(index)])
    }
    return result
  })
}

/** Runs a parser; only domain errors are allowed. */
function parses<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (isNodeError(error)) return undefined
    throw error
  }
}

describe('parsers of discovery on arbitrary input', () => {
  const record = createRecord(signer, 1n, contactEntries({ host: '10.0.0.1', udpPort: 1, tcpPort: 2 }))

  it('node records', () => {
    const encoded = items.map((item) => rlpEncode(item))
    fc.assert(
      fc.property(fc.oneof(bytes(320), encoded, mutated([record.bytes])), (input) => {
        const read = tryDecodeRecord(input)
        if (read !== undefined) expect(read.bytes).toEqual(input)
      }),
      options,
    )
  })

  it('signed records with arbitrary entries', () => {
    const entries = fc.dictionary(fc.constantFrom('eth', 'ip', 'ip6', 'tcp', 'udp', 'udp6', 'zz'), items)
    fc.assert(
      fc.property(entries, (pairs) => {
        const made = parses(() => createRecord(signer, 1n, new Map(Object.entries(pairs))))
        const read = made && tryDecodeRecord(made.bytes)
        expect(read?.bytes).toEqual(made?.bytes)
        if (read === undefined) return
        const port = recordAddress(read)?.udpPort ?? 1
        expect(port > 0 && port < 65_536).toBe(true)
        expect(recordForkId(read)?.hash.length ?? 4).toBe(4)
      }),
      { ...options, numRuns: generatedCases(100) },
    )
  })

  it('packets of version 4', () => {
    const valid = Object.values(EIP8_PACKETS).map((hex) => hexToBytes(hex))
    fc.assert(
      fc.property(mutated(valid), (input) => {
        const packet = input.length > 98 ? readPacket(input) : undefined
        if (packet?.message.type === 'neighbors') {
          for (const { host, id } of packet.message.nodes)
            expect([parseIp(host) !== undefined, id.length]).toEqual([true, 64])
        }
      }),
      options,
    )
  })

  it('messages of version 4 from arbitrary lists', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), items, (type, item) => {
        const message: Message | undefined = decodeMessage(type, rlpEncode(item))
        if (message === undefined) return
        const { type: again, data } = encodeMessage(message)
        expect(again).toBe(type)
        expect(decodeMessage(again, data)).toEqual(message)
      }),
      options,
    )
  })

  it('packets of version 5', () => {
    const self = keccak256(signer.publicKey)
    const nonce = new Uint8Array(12)
    const headers = [
      { kind: 'message', nonce, source: self },
      { kind: 'whoAreYou', nonce, idNonce: new Uint8Array(16), enrSeq: 1n },
      {
        kind: 'handshake',
        nonce,
        source: self,
        signature: new Uint8Array(64),
        ephemeralKey: new Uint8Array(33),
        record: record.bytes,
      },
    ] as const
    const valid = headers.map((header) =>
      concatBytes(maskHeader(self, new Uint8Array(16), header).start, new Uint8Array(20)),
    )
    fc.assert(
      fc.property(fc.oneof(bytes(1300), mutated(valid)), (input) => {
        const packet = readPacketV5(self, input)
        if (packet !== undefined) expect(packet.authenticated.length + packet.message.length).toBe(input.length)
      }),
      options,
    )
  })

  it('messages of version 5', () => {
    const encoded = fc.tuple(fc.nat(8), items).map(([type, item]) => concatBytes(Uint8Array.of(type), rlpEncode(item)))
    fc.assert(
      fc.property(fc.oneof(bytes(100), encoded), (input) => {
        const message = decodeMessageV5(input)
        if (message !== undefined) expect(decodeMessageV5(encodeMessageV5(message))).toEqual(message)
      }),
      options,
    )
  })

  it('texts of node lists and records', () => {
    const link = { domain: 'a.org', publicKey: new Uint8Array(33).fill(2) }
    const prefix = fc.constantFrom(
      '',
      'enr:',
      'enrtree://',
      'enrtree-branch:',
      'enrtree-root:v1 e=',
      'enrtree://AM5F@a',
    )
    fc.assert(
      fc.property(
        prefix,
        fc.string({ unit: fc.oneof(fc.constantFrom(...'AB27,=@ -_'), fc.string({ unit: 'binary' })) }),
        (start, rest) => {
          const text = start + rest
          parses(() => parseRecord(text))
          parses(() => parseListUrl(text))
          parses(() => parseListEntry(text))
          expect(parses(() => parseListRoot(text, link))).toBeUndefined()
        },
      ),
      options,
    )
  })

  it('addresses', () => {
    const ip = fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
    fc.assert(
      fc.property(ip, (address) => {
        const text = ipText(address) as string
        expect(parseIp(text)?.length === 4 ? address.slice(-4) : address).toEqual(parseIp(text))
        expect(ipText(parseIp(text) as Uint8Array)).toBe(text)
      }),
      options,
    )
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcf:.%[]') }), (text) => {
        const parsed = parseIp(text)
        if (parsed !== undefined) expect(parseIp(ipText(parsed) as string)).toEqual(parsed)
      }),
      options,
    )
    expect(parseIp('::ffff:10.0.0.1')).toEqual(Uint8Array.of(10, 0, 0, 1))
    expect(['', '1.2.3', '1.2.3.256', '01.2.3.4', ':', ':::', 'g::1', '1:2:3', 'localhost'].map(parseIp)).toEqual(
      Array.from({ length: 9 }, () => undefined),
    )
  })
})

describe('the state machine of version 4 on signed packets with arbitrary contents', () => {
  it('keeps its bounds', () => {
    const host = fc.constantFrom('10.0.0.2', '10.0.0.3', '127.0.0.1', '8.8.8.8', '2001:db8::1')
    const port = fc.constantFrom(0, 1, 30303, 65_535)
    const endpoint = fc.record({ host, udpPort: port, tcpPort: port })
    const id = fc.uint8Array({ minLength: 64, maxLength: 64 })
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const seq = fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { nil: undefined })
    const expiration = fc.constantFrom(0, 2 ** 31, 2 ** 40)
    const neighbor = fc.tuple(endpoint, id).map(([address, key]) => ({ ...address, id: key }))
    const message: fc.Arbitrary<Message> = fc.oneof(
      fc.record({ type: fc.constant('ping' as const), from: endpoint, to: endpoint, expiration, enrSeq: seq }),
      fc.record({ type: fc.constant('pong' as const), to: endpoint, pingHash: hash, expiration, enrSeq: seq }),
      fc.record({ type: fc.constant('findNode' as const), target: id, expiration }),
      fc.record({ type: fc.constant('neighbors' as const), nodes: fc.array(neighbor, { maxLength: 12 }), expiration }),
      fc.record({ type: fc.constant('enrRequest' as const), expiration }),
      fc.record({
        type: fc.constant('enrResponse' as const),
        requestHash: hash,
        record: fc.constant(Uint8Array.of(0xc0)),
      }),
    )
    const step = fc.record({
      message,
      peer: fc.nat(3),
      isHonest: fc.boolean(),
      waitMs: fc.constantFrom(0, 100, 2_000, 60_000),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const machine = new Machine()
        const peers = Array.from({ length: 4 }, (_, i) => new Peer(machine, `10.0.0.${i + 2}`))
        for (const { message: content, peer, isHonest, waitMs } of steps) {
          const sent = isHonest ? peers[peer]?.bond(1n) : peers[peer]?.send(content)
          // Each request of a lookup may follow: three at a time.
          expect(sent?.length).toBeLessThanOrEqual(6)
          for (const { size } of sent ?? []) expect(size).toBeLessThanOrEqual(1280)
          machine.pass(waitMs)
          expect(machine.machine.pending).toBeLessThanOrEqual(256)
          expect(machine.machine.table.size).toBeLessThanOrEqual(4)
        }
      }),
      { ...options, numRuns: generatedCases(50) },
    )
  }, 120_000)
})
