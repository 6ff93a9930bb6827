import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../../../src/base/ports/keySigner.ts'
import { bytesToHexUnprefixed, concatBytes, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../../src/base/primitives/errors.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../../../src/base/primitives/rlp.ts'
import { publicKeyOf, recoverPublicKey, sharedSecret } from '../../../../../src/base/primitives/secp256k1.ts'
import { ByteQueue } from '../../../../../src/net/p2p/rlpx/byteQueue.ts'
import { eciesEncrypt } from '../../../../../src/net/p2p/rlpx/ecies.ts'
import { awaitHandshake, initiateHandshake } from '../../../../../src/net/p2p/rlpx/handshake.ts'
import { ackReader, authReader, encodeAuth } from '../../../../../src/net/p2p/rlpx/handshakePackets.ts'
import { deriveSecrets, xorBytes } from '../../../../../src/net/p2p/rlpx/secrets.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { CIPHERS, hostOf, queueOf, shakeHands } from './handshakes.ts'
import vectors from './vectors/eip8.json' with { type: 'json' }

const key = (name: keyof typeof vectors.keys): Uint8Array => hexToBytes(vectors.keys[name])
const packet = (name: keyof typeof vectors.packets): Uint8Array => hexToBytes(vectors.packets[name])

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (isNodeError(error, 'INVALID_HANDSHAKE')) return error.message
    throw error
  }
  return 'accepted'
}

describe.each(CIPHERS)('the vectors of EIP-8 with ciphers %s', (_, ciphers) => {
  const a = { ...hostOf(1, ciphers), signer: new KeySigner(key('staticA')) }
  const b = { ...hostOf(2, ciphers), signer: new KeySigner(key('staticB')) }

  it.each([
    ['auth1', 'plain'],
    ['auth2', 'eip8'],
    ['auth3', 'eip8'],
  ] as const)('reads %s', (name, form) => {
    const read = authReader(b).read(queueOf(packet(name)))
    expect(read?.form).toBe(form)
    expect(read?.bytes).toEqual(packet(name))
    expect(read?.message.publicKey).toEqual(publicKeyOf(key('staticA')))
    expect(read?.message.nonce).toEqual(key('nonceA'))
    const signature = read?.message.signature as Uint8Array
    const signed = xorBytes(sharedSecret(key('staticB'), publicKeyOf(key('staticA'))), key('nonceA'))
    const ephemeralKey = recoverPublicKey(signed, signature.subarray(0, 64), signature[64] as 0 | 1)
    expect(ephemeralKey).toEqual(publicKeyOf(key('ephemeralA')))
    expect(awaitHandshake(b).read(queueOf(packet(name)))?.remoteId).toEqual(a.signer.publicKey)
  })

  it.each([
    ['ack1', 'plain'],
    ['ack2', 'eip8'],
    ['ack3', 'eip8'],
  ] as const)('reads %s', (name, form) => {
    const read = ackReader(a).read(queueOf(packet(name)))
    expect(read?.form).toBe(form)
    expect(read?.message).toEqual({ ephemeralKey: publicKeyOf(key('ephemeralB')), nonce: key('nonceB') })
  })

  it('derives the secrets', () => {
    const secrets = deriveSecrets(ciphers, 'responder', {
      ephemeralSecret: sharedSecret(key('ephemeralB'), publicKeyOf(key('ephemeralA'))),
      initiatorNonce: key('nonceA'),
      responderNonce: key('nonceB'),
      auth: packet('auth2'),
      ack: packet('ack2'),
    })
    expect(bytesToHexUnprefixed(secrets.aes)).toBe(vectors.secrets.aes)
    expect(bytesToHexUnprefixed(secrets.mac)).toBe(vectors.secrets.mac)
    secrets.ingress.update(new TextEncoder().encode('foo'))
    expect(bytesToHexUnprefixed(secrets.ingress.digest())).toBe(vectors.secrets.ingressFoo)
  })
})

describe('a handshake', () => {
  const [a, b] = [hostOf(3), hostOf(4)]

  it.each(['eip8', 'plain'] as const)('gives both sides the same secrets (%s)', (form) => {
    const { initiator, responder } = shakeHands(a, b, form)
    expect(initiator.remoteId).toEqual(b.signer.publicKey)
    expect(responder.remoteId).toEqual(a.signer.publicKey)
    expect(initiator.secrets.aes).toEqual(responder.secrets.aes)
    expect(initiator.secrets.mac).toEqual(responder.secrets.mac)
    expect(initiator.secrets.egress.digest()).toEqual(responder.secrets.ingress.digest())
    expect(initiator.secrets.ingress.digest()).toEqual(responder.secrets.egress.digest())
  })

  it('answers in the form of the initiator, with packets of the published lengths', () => {
    const plain = initiateHandshake(a, b.signer.publicKey, 'plain')
    expect(plain.opening.length).toBe(307)
    expect(awaitHandshake(b).read(queueOf(plain.opening))?.reply?.length).toBe(210)
    const lengths = new Set<number>()
    for (let i = 0; i < 20; i++) lengths.add(initiateHandshake(a, b.signer.publicKey).opening.length)
    expect(lengths.size).toBeGreaterThan(10)
  })

  it('reads packets that arrive byte by byte, and leaves what follows', () => {
    for (const form of ['eip8', 'plain'] as const) {
      const initiator = initiateHandshake(a, b.signer.publicKey, form)
      const [responder, queue] = [awaitHandshake(b), new ByteQueue()]
      const bytes = concatBytes(initiator.opening, Uint8Array.of(1, 2, 3))
      for (let i = 0; i < initiator.opening.length - 1; i++) {
        queue.push(bytes.slice(i, i + 1))
        expect(responder.read(queue)).toBeUndefined()
      }
      queue.push(bytes.slice(initiator.opening.length - 1))
      expect(responder.read(queue)?.remoteId).toEqual(a.signer.publicKey)
      expect(queue.take(queue.length)).toEqual(Uint8Array.of(1, 2, 3))
    }
  })

  it('reads a size of EIP-8 that looks like a plain packet', () => {
    const nonce = new Uint8Array(32).fill(5)
    const body = concatBytes(rlpEncode([b.signer.publicKey, nonce, Uint8Array.of(4)]), new Uint8Array(900))
    const size = Uint8Array.of((body.length + 113) >>> 8, (body.length + 113) & 255)
    expect(size[0]).toBe(4)
    const ack = concatBytes(size, eciesEncrypt(b, a.signer.publicKey, body, size))
    expect(ackReader(a).read(queueOf(ack))).toMatchObject({ form: 'eip8', message: { nonce } })
  })

  it('tries the plain form of a packet once, however many pieces follow', () => {
    let agreements = 0
    const agree = (key: Uint8Array): Uint8Array => {
      agreements++
      return b.signer.agree(key)
    }
    const { publicKey, address } = b.signer
    const counting = { ...b, signer: { publicKey, address, agree, sign: (hash: Uint8Array) => b.signer.sign(hash) } }
    const [responder, queue] = [awaitHandshake(counting), new ByteQueue()]
    // A size of EIP-8 that begins like a plain packet, and a valid key.
    const bytes = concatBytes(Uint8Array.of(4, 0xff), a.signer.publicKey, new Uint8Array(1200))
    for (let i = 0; i < 1200; i++) {
      queue.push(bytes.slice(i, i + 1))
      expect(responder.read(queue)).toBeUndefined()
    }
    expect(agreements).toBeLessThanOrEqual(1)
  })

  it('refuses packets for another key, and each changed byte', () => {
    const { opening } = initiateHandshake(a, b.signer.publicKey)
    expect(refusal(() => awaitHandshake(a).read(queueOf(opening)))).toMatch('wrong tag')
    for (let i = 2; i < opening.length; i += 7) {
      const changed = opening.slice()
      changed[i] = (changed[i] as number) ^ 0x10
      expect(
        refusal(() => awaitHandshake(b).read(queueOf(changed))),
        `byte ${i}`,
      ).not.toBe('accepted')
    }
  })

  it('refuses sizes, bodies, keys and signatures that are invalid', () => {
    const encrypted = (body: Uint8Array): Uint8Array => {
      const size = Uint8Array.of((body.length + 113) >>> 8, (body.length + 113) & 255)
      return concatBytes(size, eciesEncrypt(a, b.signer.publicKey, body, size))
    }
    const read = (bytes: Uint8Array): string => refusal(() => awaitHandshake(b).read(queueOf(bytes)))
    const sizeOf = (size: number): Uint8Array => Uint8Array.of(size >>> 8, size & 255)
    for (const size of [0, 1, 112, 273, 4095, 65_535]) expect(read(sizeOf(size)), `${size}`).toMatch('packet of')
    const [signature, publicKey, nonce] = [new Uint8Array(65).fill(1), a.signer.publicKey, new Uint8Array(32)]
    const body = (...items: Uint8Array[]): Uint8Array => concatBytes(rlpEncode(items), new Uint8Array(100))
    expect(read(encrypted(new Uint8Array(300)))).toMatch('not an RLP list')
    expect(read(encrypted(new Uint8Array(300).fill(0xf9)))).toMatch('cut off')
    expect(read(encrypted(body(signature, publicKey)))).toMatch('item 2')
    expect(read(encrypted(body(signature.subarray(1), publicKey, nonce)))).toMatch('item 0')
    expect(read(encrypted(body(signature, publicKey.slice().fill(1), nonce)))).toMatch('not a point')
    signature[64] = 2
    expect(read(encrypted(body(signature, publicKey, nonce)))).toMatch('recovery id 2')
    expect(read(encrypted(body(new Uint8Array(65), publicKey, nonce)))).toMatch('invalid signature')
  })

  it('refuses a plain packet whose hash is not of the signing key', () => {
    const nonce = new Uint8Array(32).fill(7)
    const ephemeral = hostOf(9).signer
    const { signature, yParity } = ephemeral.sign(xorBytes(a.signer.agree(b.signer.publicKey), nonce))
    const message = { signature: concatBytes(signature, Uint8Array.of(yParity)), publicKey: a.signer.publicKey, nonce }
    const auth = (ephemeralKeyHash: Uint8Array): Uint8Array =>
      encodeAuth(a, b.signer.publicKey, 'plain', { ...message, ephemeralKeyHash })
    const right = auth(keccak256(ephemeral.publicKey))
    const wrong = auth(new Uint8Array(32))
    expect(awaitHandshake(b).read(queueOf(right))?.remoteId).toEqual(a.signer.publicKey)
    expect(refusal(() => awaitHandshake(b).read(queueOf(wrong)))).toMatch('ephemeral key')
  })

  it('refuses a peer whose id is no key', () => {
    expect(() => initiateHandshake(a, new Uint8Array(64))).toThrow('not a point')
  })

  it('waits for or refuses any bytes', () => {
    const random = new SeededRandom(1)
    const valid = initiateHandshake(a, b.signer.publicKey).opening
    const check = (bytes: Uint8Array): void => {
      refusal(() => awaitHandshake(b).read(queueOf(bytes)))
      refusal(() => initiateHandshake(a, b.signer.publicKey).read(queueOf(bytes)))
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 700 }), check), { seed: 1, numRuns: 30 })
    for (let run = 0; run < 40; run++) {
      const bytes = valid.slice(0, run % 4 === 0 ? random.below(valid.length) : valid.length)
      for (let i = 0; i < run % 3; i++) bytes[random.below(bytes.length)] = random.below(256)
      check(bytes)
    }
  })
})
