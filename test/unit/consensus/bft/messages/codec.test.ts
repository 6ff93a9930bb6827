import { RLP } from '@ethereumjs/rlp'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../../../src/base/ports/keySigner.ts'
import { bytesToHex, bytesToHexUnprefixed, concatBytes } from '../../../../../src/base/primitives/bytes.ts'
import type { BlockDecoder, MessageCodec } from '../../../../../src/consensus/bft/messages/codec.ts'
import { IBFT2_CODEC } from '../../../../../src/consensus/bft/messages/ibft2Codec.ts'
import type {
  BftBlock,
  Message,
  Payload,
  PreparePayload,
  RoundChangePayload,
  Signed,
} from '../../../../../src/consensus/bft/messages/payloads.ts'
import { QBFT_CODEC } from '../../../../../src/consensus/bft/messages/qbftCodec.ts'
import { signPayload } from '../../../../../src/consensus/bft/messages/signing.ts'

const KEY = new Uint8Array(32)
KEY[31] = 1
const OTHER_KEY = new Uint8Array(32).fill(7)
const signer = new KeySigner(KEY)
const other = new KeySigner(OTHER_KEY)
const DIGEST = new Uint8Array(32).fill(0x11)
const SEAL = new Uint8Array(65).fill(1)
const MAX_AUTHORS = 3
/** Stands for a block: any list. */
const BLOCK_ITEM = [[Uint8Array.of(1, 2, 3), new Uint8Array(300).fill(9)], [], []]
const blocks: BlockDecoder = { decode: blockOf }

function blockOf(encoded: Uint8Array): BftBlock {
  const digest = keccak_256(encoded)
  return { height: 5, round: 2, digest, hash: digest, beneficiary: new Uint8Array(20), encoded }
}

const BLOCK = blockOf(RLP.encode(BLOCK_ITEM))

/** The independent recomputation: plain lists and noble. */
interface Reference {
  readonly codec: MessageCodec
  height(value: number): Uint8Array
  round(value: number): Uint8Array
  sign(code: number, payload: Nested, key: Uint8Array): Nested
  readonly proposal: (payload: readonly Uint8Array[]) => Nested
}
type Nested = Uint8Array | readonly Nested[]

function fixed(value: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes[length - 1] = value
  return bytes
}
const minimal = (value: number): Uint8Array => (value === 0 ? new Uint8Array() : Uint8Array.of(value))
const encode = (item: Nested): Uint8Array => RLP.encode(item as Uint8Array)

function signHash(hash: Uint8Array, key: Uint8Array): Uint8Array {
  const recovered = secp256k1.sign(hash, key, { prehash: false, format: 'recovered' })
  return concatBytes(recovered.subarray(1), recovered.subarray(0, 1))
}

const IBFT: Reference = {
  codec: IBFT2_CODEC,
  height: (value) => fixed(value, 8),
  round: (value) => fixed(value, 4),
  sign: (code, payload, key) => [payload, signHash(keccak_256(concatBytes(Uint8Array.of(code), encode(payload))), key)],
  proposal: ([height, round]) => [height as Uint8Array, round as Uint8Array, BLOCK.digest],
}
const QBFT: Reference = {
  codec: QBFT_CODEC,
  height: minimal,
  round: minimal,
  sign: (code, payload, key) => [payload, signHash(keccak_256(encode([Uint8Array.of(0x12 + code), payload])), key)],
  proposal: ([height, round]) => [height as Uint8Array, round as Uint8Array, BLOCK_ITEM],
}

function signed<P extends Payload>(codec: MessageCodec, payload: P, by = signer): Signed<P> {
  return signPayload(codec, by, payload, payload.kind === 'proposal' ? BLOCK : undefined)
}

/** Checks the bytes of a message against others, and that reading them yields the message and its author. */
function check({ codec }: Reference, message: Message, expected: Nested): void {
  const bytes = codec.encode(message)
  expect(bytesToHex(bytes)).toBe(bytesToHex(encode(expected)))
  const envelope = codec.open(message.kind, bytes)
  const { kind, height, round } = message.signed.payload
  expect([envelope.kind, envelope.height, envelope.round]).toEqual([kind, height, round])
  expect(envelope.author).toEqual(signer.address)
  const decoded = codec.decode(envelope, blocks, MAX_AUTHORS)
  expect(bytesToHex(codec.encode(decoded))).toBe(bytesToHex(bytes))
  expect(decoded.signed.payload).toMatchObject({ kind, height, round })
  expect(decoded.signed.author).toEqual(signer.address)
}

describe.each([
  ['IBFT 2.0', IBFT],
  ['QBFT', QBFT],
] as const)('messages of %s', (name, reference) => {
  const { codec, height, round, sign } = reference
  const isQbft = name === 'QBFT'
  const view = { height: 5, round: 2 }
  const vote: Nested = [height(5), round(2), DIGEST]

  it('prepares and commits', () => {
    check(
      reference,
      { kind: 'prepare', signed: signed(codec, { kind: 'prepare', ...view, digest: DIGEST }) },
      sign(1, vote, KEY),
    )
    check(
      reference,
      { kind: 'commit', signed: signed(codec, { kind: 'commit', ...view, digest: DIGEST, seal: SEAL }) },
      sign(2, [...(vote as Nested[]), SEAL], KEY),
    )
  })

  it('proposals of round 0', () => {
    const proposal = sign(0, reference.proposal([height(5), round(0)]), KEY)
    const message: Message = {
      kind: 'proposal',
      signed: signed(codec, { kind: 'proposal', height: 5, round: 0, digest: BLOCK.digest }),
      block: BLOCK,
      roundChanges: [],
      prepares: [],
    }
    check(reference, message, isQbft ? [proposal, [[], []]] : [proposal, BLOCK_ITEM, new Uint8Array()])
  })

  it('round changes without and with a prepared block, and the proposal that follows', () => {
    const payload = { kind: 'prepare', ...view, digest: BLOCK.digest } as const
    const prepares: Signed<PreparePayload>[] = [signed(codec, payload), signed(codec, payload, other)]
    const votes = [KEY, OTHER_KEY].map((key) => sign(1, [height(5), round(2), BLOCK.digest], key))
    const proposal = signed(codec, { kind: 'proposal', ...view, digest: BLOCK.digest } as const)
    const proposed = sign(0, reference.proposal([height(5), round(2)]), KEY)

    const plain: RoundChangePayload = { kind: 'roundChange', height: 5, round: 3, prepared: undefined }
    const nothing = isQbft ? [] : new Uint8Array()
    const plainItem = sign(3, [height(5), round(3), nothing], KEY)
    const first: Message = { kind: 'roundChange', signed: signed(codec, plain), block: undefined, prepares: [] }
    check(reference, first, isQbft ? [plainItem, [], []] : [plainItem, new Uint8Array()])

    const certificate = isQbft ? undefined : { proposal, prepares }
    const claim: RoundChangePayload = { ...plain, prepared: { round: 2, digest: BLOCK.digest, certificate } }
    const claimItem = sign(3, [height(5), round(3), isQbft ? [round(2), BLOCK.digest] : [proposed, votes]], KEY)
    const outside = isQbft ? prepares : []
    const second: Message = { kind: 'roundChange', signed: signed(codec, claim), block: BLOCK, prepares: outside }
    check(reference, second, isQbft ? [claimItem, BLOCK_ITEM, votes] : [claimItem, BLOCK_ITEM])

    const roundChanges = [signed(codec, plain), signed(codec, claim)]
    const next = signed(codec, { kind: 'proposal', height: 5, round: 3, digest: BLOCK.digest } as const)
    const third: Message = { kind: 'proposal', signed: next, block: BLOCK, roundChanges, prepares: outside }
    const nextItem = sign(0, reference.proposal([height(5), round(3)]), KEY)
    const items = [plainItem, claimItem]
    check(reference, third, isQbft ? [nextItem, [items, votes]] : [nextItem, BLOCK_ITEM, [items]])
  })

  it('refuses wrong lengths and forms', () => {
    const signature = new Uint8Array(65)
    const badParity = new Uint8Array(65).fill(2)
    const refused = (kind: Message['kind'], item: Nested): string => {
      try {
        codec.decode(codec.open(kind, encode(item)), blocks, MAX_AUTHORS)
      } catch (error) {
        return (error as Error).message
      }
      return 'accepted'
    }
    expect(refused('prepare', [vote, signature])).toBe('accepted')
    expect(refused('prepare', [vote, signature.subarray(1)])).toMatch(/signature has 64 bytes/)
    expect(refused('prepare', [vote, badParity])).toMatch(/parity/)
    expect(refused('prepare', [vote, signature, signature])).toMatch(/too many fields/)
    expect(refused('prepare', [[height(5), round(2), DIGEST.subarray(1)], signature])).toMatch(/digest has 31 bytes/)
    expect(refused('prepare', [[height(5), fixed(2, 5), DIGEST], signature])).toMatch(/round/)
    expect(refused('prepare', [[new Uint8Array(8).fill(255), round(2), DIGEST], signature])).toMatch(/too large/)
    expect(refused('commit', [vote, signature])).toMatch(/seal is missing/)
    expect(refused('commit', [[...(vote as Nested[]), SEAL.subarray(2)], signature])).toMatch(/seal has 63 bytes/)
    expect(refused('proposal', [vote, signature])).not.toBe('accepted')
    expect(refused('roundChange', vote)).not.toBe('accepted')
    expect(refused('prepare', DIGEST)).toMatch(/expected a list/)
    expect(() => codec.open('prepare', Uint8Array.of(0xc5, 1))).toThrow(/invalid consensus message/)
  })

  it('has no more payloads in a list than there may be authors', () => {
    const votes = (count: number): Nested => Array.from({ length: count }, () => sign(1, vote, KEY))
    const proposed = sign(0, reference.proposal([height(5), round(2)]), KEY)
    const claim = (count: number): Nested =>
      isQbft
        ? [sign(3, [height(5), round(3), [round(2), DIGEST]], KEY), BLOCK_ITEM, votes(count)]
        : [sign(3, [height(5), round(3), [proposed, votes(count)]], KEY), BLOCK_ITEM]
    const decode = (count: number) => codec.decode(codec.open('roundChange', encode(claim(count))), blocks, MAX_AUTHORS)
    expect(decode(3).kind).toBe('roundChange')
    expect(() => decode(4)).toThrow('prepares has more than 3 items')
    expect(codec.open('roundChange', encode(claim(4))).author).toEqual(signer.address)
  })

  it('recovers no author from an invalid signature', () => {
    const bytes = encode([vote, new Uint8Array(65)])
    expect(codec.decode(codec.open('prepare', bytes), blocks, MAX_AUTHORS).signed.author).toBeUndefined()
  })
})

describe('known values', () => {
  const payload = { kind: 'prepare', height: 1, round: 0, digest: DIGEST } as const

  it('of an IBFT 2.0 prepare', () => {
    const vote = signed(IBFT2_CODEC, payload)
    expect(bytesToHex(IBFT2_CODEC.signingHash(payload))).toBe(
      '0xb22ea080595cb955032d0fe9da72f187bc379841787194d7e31e56df46b56213',
    )
    expect(bytesToHexUnprefixed(IBFT2_CODEC.encode({ kind: 'prepare', signed: vote }))).toContain(
      `ef8800000000000000018400000000a0${'11'.repeat(32)}`,
    )
    expect(bytesToHex(vote.signature)).toBe(
      '0x72f6f00c04eb3dbdc54222e04009bf57195319a5ba811f43e8824f12135382b038d4427cadfa4f963c2db68799834cd29c6c5704000d7c1cf8efbccb6e154fec00',
    )
  })

  it('of a QBFT prepare', () => {
    const vote = signed(QBFT_CODEC, payload)
    expect(bytesToHex(QBFT_CODEC.signingHash(payload))).toBe(
      '0x611bb7151a72a3d81074f3f6203e5743710670e22b389bb4e1939bb07aa83557',
    )
    expect(bytesToHexUnprefixed(QBFT_CODEC.encode({ kind: 'prepare', signed: vote }))).toContain(
      `e30180a0${'11'.repeat(32)}`,
    )
    expect(bytesToHex(vote.signature)).toBe(
      '0xa9931cd2102f4acea63fd1e13f6397438127dc90020ed74e72872a4c53441c946cc2d8ba11e82d5d46b6aa4c5ea71491f487dd8a0401e97339e3cfde0d12cdac01',
    )
  })
})
