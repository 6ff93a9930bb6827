import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_RLPX_MESSAGE_BYTES } from '../../../../../src/base/limits/limits.ts'
import { bytesToHexUnprefixed, concatBytes, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../../src/base/primitives/errors.ts'
import { type RlpItem, rlpEncode } from '../../../../../src/base/primitives/rlp.ts'
import { agreeCapabilities, capabilityOfCode } from '../../../../../src/net/p2p/rlpx/capabilities.ts'
import { DISCONNECT_CODES, decodeDisconnect, encodeDisconnect } from '../../../../../src/net/p2p/rlpx/disconnect.ts'
import { decodeHello, encodeHello, type Hello, wrongIdentity } from '../../../../../src/net/p2p/rlpx/hello.ts'
import { MessageCodec } from '../../../../../src/net/p2p/rlpx/messageCodec.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import vectors from './vectors/eip8.json' with { type: 'json' }

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (isNodeError(error, 'INVALID_P2P_MESSAGE') || isNodeError(error, 'INVALID_SNAPPY')) return error.message
    throw error
  }
  return 'accepted'
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const ID = new Uint8Array(64).fill(7)
const HELLO: Hello = {
  version: 5,
  clientId: 'isonode/v0.1.0',
  capabilities: [
    { name: 'eth', version: 68 },
    { name: 'snap', version: 1 },
  ],
  port: 30303,
  nodeId: ID,
}

describe('Hello', () => {
  it('is read from the vector of EIP-8, whose version and items are unknown', () => {
    // The text of EIP-8 names version 22, which is that of the second capability; the packet has 0x37.
    expect(decodeHello(hexToBytes(vectors.packets.hello))).toEqual({
      version: 55,
      clientId: 'kneth/v0.91/plan9',
      capabilities: [
        { name: 'eth', version: 61 },
        { name: 'mork', version: 22 },
      ],
      port: 9999,
      nodeId: hexToBytes(
        'fda1cff674c90c9a197539fe3dfb53086ace64f83ed7c6eabec741f7f381cc803e52ab2cd55d5569bce4347107a310dfd5f88a010cd2ffd1005ca406f1842877',
      ),
    })
  })

  it('is restored from its encoding', () => {
    expect(decodeHello(encodeHello(HELLO))).toEqual(HELLO)
  })

  it('never passes control characters on', () => {
    expect(decodeHello(encodeHello({ ...HELLO, clientId: 'a\u001b[31m\n' })).clientId).toBe('a\\u001b[31m\\n')
  })

  it('is refused when an item is missing or of the wrong kind', () => {
    const items: RlpItem[] = [Uint8Array.of(5), text('x'), [[text('eth'), Uint8Array.of(68)]], Uint8Array.of(1), ID]
    const changed = (index: number, item: RlpItem): Uint8Array => rlpEncode(items.with(index, item))
    expect(refusal(() => decodeHello(rlpEncode(items)))).toBe('accepted')
    for (let count = 0; count < items.length; count++) {
      expect(
        refusal(() => decodeHello(rlpEncode(items.slice(0, count)))),
        `${count} items`,
      ).not.toBe('accepted')
    }
    const wrong: [number, RlpItem, string][] = [
      [0, [], 'version is a list'],
      [0, new Uint8Array(7).fill(1), 'version of 7 bytes'],
      [1, [], 'client id is a list'],
      [2, text('eth'), 'capabilities are not a list'],
      [2, [text('eth')], 'capability is not a list'],
      [2, [[text('eth')]], 'version of a capability is missing'],
      [3, Uint8Array.of(1, 0, 0), 'port 65536'],
      [4, ID.subarray(1), 'node id of 63 bytes'],
    ]
    for (const [index, item, reason] of wrong) expect(refusal(() => decodeHello(changed(index, item)))).toMatch(reason)
    expect(refusal(() => decodeHello(Uint8Array.of(0x80)))).toMatch('not an RLP list')
  })

  it('must carry the identity of the handshake', () => {
    const own = new Uint8Array(64).fill(1)
    expect(wrongIdentity(HELLO, own, ID)).toBeUndefined()
    expect(wrongIdentity(HELLO, own, own)).toBe('localIdentity')
    expect(wrongIdentity(HELLO, ID, new Uint8Array(64))).toBe('localIdentity')
    expect(wrongIdentity(HELLO, own, new Uint8Array(64))).toBe('unexpectedIdentity')
  })

  it('is decoded or refused for any bytes', () => {
    const random = new SeededRandom(1)
    const valid = encodeHello(HELLO)
    const check = (bytes: Uint8Array): void => void refusal(() => decodeHello(bytes))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 120 }), check), { seed: 1, numRuns: 3000 })
    for (let run = 0; run < 3000; run++) {
      const bytes = valid.slice(0, run % 3 === 0 ? random.below(valid.length) : valid.length)
      for (let i = 0; i < 1 + (run % 4) && bytes.length > 0; i++) bytes[random.below(bytes.length)] = random.below(256)
      check(bytes)
    }
  })
})

describe('Disconnect', () => {
  it('has the codes of devp2p', () => {
    for (const [name, code] of Object.entries(DISCONNECT_CODES)) {
      const reason = name as keyof typeof DISCONNECT_CODES
      expect(bytesToHexUnprefixed(encodeDisconnect(reason))).toBe(`c1${code.toString(16).padStart(2, '0')}`)
      expect(decodeDisconnect(encodeDisconnect(reason))).toBe(reason)
    }
    expect(bytesToHexUnprefixed(encodeDisconnect('unknown'))).toBe('c180')
  })

  it.each([
    ['c100', 'requested'],
    ['c104', 'tooManyPeers'],
    ['04', 'tooManyPeers'],
    ['00', 'requested'],
    ['c10b', 'timeout'],
    ['', 'unknown'],
    ['80', 'unknown'],
    ['c0', 'unknown'],
    ['c180', 'unknown'],
    ['c10e', 'unknown'],
    ['c1c0', 'unknown'],
    ['c3820101', 'unknown'],
    ['ff', 'unknown'],
  ])('reads %s as %s', (payload, reason) => {
    expect(decodeDisconnect(hexToBytes(payload))).toBe(reason)
  })

  it('gives a reason for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9 }), (bytes) => void decodeDisconnect(bytes)),
      { seed: 1, numRuns: 2000 },
    )
  })
})

describe('capabilities', () => {
  const offered = [
    { name: 'snap', version: 1, length: 8 },
    { name: 'eth', version: 67, length: 17 },
    { name: 'istanbul', version: 100, length: 22 },
    { name: 'eth', version: 68, length: 17 },
    { name: 'IBF', version: 1, length: 4 },
    { name: 'eth', version: 66, length: 17 },
  ]
  const capability = (name: string, version: number) => ({ name, version })

  it('are agreed in the highest common version, with ranges in the order of the names', () => {
    const remote = [
      capability('istanbul', 100),
      capability('eth', 66),
      capability('snap', 1),
      capability('eth', 67),
      capability('eth', 69),
      capability('IBF', 1),
      capability('les', 4),
    ]
    expect(agreeCapabilities(offered, remote)).toEqual([
      { name: 'IBF', version: 1, length: 4, offset: 16 },
      { name: 'eth', version: 67, length: 17, offset: 20 },
      { name: 'istanbul', version: 100, length: 22, offset: 37 },
      { name: 'snap', version: 1, length: 8, offset: 59 },
    ])
    expect(agreeCapabilities(offered, [capability('eth', 63), capability('ETH', 68)])).toEqual([])
  })

  it('own the codes of their ranges', () => {
    const agreed = agreeCapabilities(offered, [capability('eth', 68), capability('snap', 1)])
    const names = [15, 16, 32, 33, 40, 41].map((code) => capabilityOfCode(agreed, code)?.name)
    expect(names).toEqual([undefined, 'eth', 'eth', 'snap', 'snap', undefined])
  })
})

describe('messages', () => {
  const compressing = (): MessageCodec => {
    const codec = new MessageCodec()
    codec.startCompression()
    return codec
  }
  const bodyOf = (codec: MessageCodec, code: number, payload: Uint8Array): Uint8Array =>
    concatBytes(...codec.encode({ code, payload }))

  it('carry their code and payload, with and without compression', () => {
    for (const codec of [new MessageCodec(), compressing()]) {
      for (const code of [0, 1, 0x7f, 0x80, 0x1234]) {
        const payload = new Uint8Array(code < 0x10 ? 2000 : 3000).fill(code)
        expect(codec.decode(bodyOf(codec, code, payload))).toEqual({ code, payload })
      }
    }
    expect(bytesToHexUnprefixed(bodyOf(new MessageCodec(), 0, Uint8Array.of(0xc0)))).toBe('80c0')
    expect(new MessageCodec().decode(hexToBytes('00c0'))).toEqual({ code: 0, payload: Uint8Array.of(0xc0) })
  })

  it('of the base protocol are short', () => {
    for (const codec of [new MessageCodec(), compressing()]) {
      const body = bodyOf(codec, 2, new Uint8Array(3000))
      if (codec.decode(bodyOf(codec, 0x10, new Uint8Array(3000))).code !== 0x10) throw new Error('another code')
      expect(refusal(() => codec.decode(body))).toMatch('3000 bytes')
    }
  })

  it('are refused when the code is not an integer or the payload not compressed', () => {
    for (const body of ['c0', 'c101', 'b8', '83010203', '8301', '820f']) {
      expect(
        refusal(() => new MessageCodec().decode(hexToBytes(body))),
        body,
      ).toMatch('the code')
    }
    const codec = compressing()
    codec.decode(hexToBytes('020100c0'))
    expect(refusal(() => codec.decode(hexToBytes('02c0')))).toMatch('snappy')
  })

  it('are not compressed when the first one of the peer is not', () => {
    const codec = compressing()
    expect(codec.decode(hexToBytes('02c0'))).toEqual({ code: 2, payload: Uint8Array.of(0xc0) })
    expect(codec.decode(hexToBytes('02c3010203')).payload).toEqual(hexToBytes('c3010203'))
    expect(bytesToHexUnprefixed(bodyOf(codec, 3, Uint8Array.of(0xc0)))).toBe('03c0')
  })

  it('have a bound', () => {
    const codec = compressing()
    const longest = new Uint8Array(MAX_RLPX_MESSAGE_BYTES)
    expect(codec.decode(bodyOf(codec, 16, longest)).payload.length).toBe(longest.length)
    expect(() => codec.encode({ code: 16, payload: new Uint8Array(longest.length + 1) })).toThrow(RangeError)
  })
})
