import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../../../src/base/ports/keySigner.ts'
import { bytesToHexUnprefixed, concatBytes, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { decompressedKey, sharedPoint } from '../../../../../src/base/primitives/secp256k1.ts'
import { decodeRecord, nodeHash } from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import {
  ephemeralPublicKey,
  initiatorKeys,
  isIdentityProven,
  proveIdentity,
  recipientKeys,
} from '../../../../../src/net/p2p/discovery/v5/handshake.ts'
import { decodeMessageV5, encodeMessageV5 } from '../../../../../src/net/p2p/discovery/v5/messages.ts'
import { maskHeader, openMessage, readPacketV5, sealMessage } from '../../../../../src/net/p2p/discovery/v5/packet.ts'

/** devp2p, discv5-wire-test-vectors.md */
const NODE_A = new KeySigner(hexToBytes('eef77acb6c6a6eebc5b363a475ac583ec7eccdb42b6481424c60f59aa326547f'))
const NODE_B = new KeySigner(hexToBytes('66fb62bfbd66b9177a138c1e5cddbe4f7c30c343e94e68df8769459cb1cde628'))
const ID_A = hexToBytes('aaaa8419e9f49d0083561b48287df592939a8d19947d8c0ef88f2a4856a69fbb')
const ID_B = hexToBytes('bbbb9d047f0488c0b5a93c1c3f2d8bafc7c8ff337024a55434a0d0555de64db9')
const NONCE = new Uint8Array(12).fill(0xff)
const EPHEMERAL_KEY = hexToBytes('0288ef00023598499cb6c940146d050d2b1fb914198c327f76aad590bead68b6')
const challengeOf = (enrSeq: number): Uint8Array =>
  hexToBytes(
    `000000000000000000000000000000006469736376350001010102030405060708090a0b0c00180102030405060708090a0b0c0d0e0f10000000000000000${enrSeq}`,
  )

const PACKETS = {
  ping: `
00000000000000000000000000000000088b3d4342774649325f313964a39e55
ea96c005ad52be8c7560413a7008f16c9e6d2f43bbea8814a546b7409ce783d3
4c4f53245d08dab84102ed931f66d1492acb308fa1c6715b9d139b81acbdcc`,
  whoAreYou: `
00000000000000000000000000000000088b3d434277464933a1ccc59f5967ad
1d6035f15e528627dde75cd68292f9e6c27d6b66c8100a873fcbaed4e16b8d`,
  handshake: `
00000000000000000000000000000000088b3d4342774649305f313964a39e55
ea96c005ad521d8c7560413a7008f16c9e6d2f43bbea8814a546b7409ce783d3
4c4f53245d08da4bb252012b2cba3f4f374a90a75cff91f142fa9be3e0a5f3ef
268ccb9065aeecfd67a999e7fdc137e062b2ec4a0eb92947f0d9a74bfbf44dfb
a776b21301f8b65efd5796706adff216ab862a9186875f9494150c4ae06fa4d1
f0396c93f215fa4ef524f1eadf5f0f4126b79336671cbcf7a885b1f8bd2a5d83
9cf8`,
  handshakeWithRecord: `
00000000000000000000000000000000088b3d4342774649305f313964a39e55
ea96c005ad539c8c7560413a7008f16c9e6d2f43bbea8814a546b7409ce783d3
4c4f53245d08da4bb23698868350aaad22e3ab8dd034f548a1c43cd246be9856
2fafa0a1fa86d8e7a3b95ae78cc2b988ded6a5b59eb83ad58097252188b902b2
1481e30e5e285f19735796706adff216ab862a9186875f9494150c4ae06fa4d1
f0396c93f215fa4ef524e0ed04c3c21e39b1868e1ca8105e585ec17315e755e6
cfc4dd6cb7fd8e1a1f55e49b4b5eb024221482105346f3c82b15fdaae36a3bb1
2a494683b4a3c7f2ae41306252fed84785e2bbff3b022812d0882f06978df84a
80d443972213342d04b9048fc3b1d5fcb1df0f822152eced6da4d3f6df27e70e
4539717307a0208cd208d65093ccab5aa596a34d7511401987662d8cf62b1394
71`,
} as const

const packet = (name: keyof typeof PACKETS): Uint8Array => hexToBytes(PACKETS[name].replaceAll('\n', ''))
const hex = bytesToHexUnprefixed
const read = (name: keyof typeof PACKETS): NonNullable<ReturnType<typeof readPacketV5>> => {
  const result = readPacketV5(ID_B, packet(name))
  if (result === undefined) throw new Error('unreadable')
  return result
}

describe('the test vectors of discovery v5', () => {
  it('ids are the hashes of the keys', () => {
    expect([nodeHash(NODE_A.publicKey), nodeHash(NODE_B.publicKey)]).toEqual([ID_A, ID_B])
  })

  it('reads and writes the ping packet', () => {
    const { header, authenticated, message } = read('ping')
    expect(header).toEqual({ kind: 'message', nonce: NONCE, source: ID_A })
    const key = new Uint8Array(16)
    const plain = openMessage(key, NONCE, message, authenticated) as Uint8Array
    const ping = { type: 'ping', requestId: Uint8Array.of(0, 0, 0, 1), enrSeq: 2n } as const
    expect(decodeMessageV5(plain)).toEqual(ping)
    const unsealed = maskHeader(ID_B, new Uint8Array(16), header)
    const sealed = sealMessage(key, NONCE, encodeMessageV5(ping), unsealed.authenticated)
    expect(hex(concatBytes(unsealed.start, sealed))).toBe(hex(packet('ping')))
    expect(openMessage(new Uint8Array(16).fill(1), NONCE, message, authenticated)).toBeUndefined()
  })

  it('reads and writes the WHOAREYOU packet', () => {
    const { header, authenticated, message } = read('whoAreYou')
    const idNonce = hexToBytes('0102030405060708090a0b0c0d0e0f10')
    expect(header).toEqual({ kind: 'whoAreYou', nonce: hexToBytes('0102030405060708090a0b0c'), idNonce, enrSeq: 0n })
    expect(authenticated).toEqual(challengeOf(0))
    expect(message).toHaveLength(0)
    expect(hex(maskHeader(ID_B, new Uint8Array(16), header).start)).toBe(hex(packet('whoAreYou')))
  })

  it.each([
    ['handshake', 1, '4f9fac6de7567d1e3b1241dffe90f662'],
    ['handshakeWithRecord', 0, '53b1c075f41876423154e157470c2f48'],
  ] as const)('reads and writes the packet %s', (name, enrSeq, readKey) => {
    const { header, authenticated, message } = read(name)
    if (header.kind !== 'handshake') throw new Error(header.kind)
    const challenge = challengeOf(enrSeq)
    expect(hex(header.ephemeralKey)).toBe('039a003ba6517b473fa0cd74aefe99dadfdb34627f90fec6362df85803908f53a5')
    expect(header.ephemeralKey).toEqual(ephemeralPublicKey(EPHEMERAL_KEY))
    if (enrSeq === 0) expect(decodeRecord(header.record).publicKey).toEqual(NODE_A.publicKey)
    else expect(header.record).toHaveLength(0)
    expect(isIdentityProven(header.signature, NODE_A.publicKey, challenge, header.ephemeralKey, ID_B)).toBe(true)
    expect(header.signature).toEqual(proveIdentity(NODE_A, challenge, header.ephemeralKey, ID_B))
    const keys = recipientKeys(NODE_B, header.ephemeralKey, challenge, ID_A, ID_B)
    expect(keys.map(({ initiator }) => hex(initiator))).toContain(readKey)
    const plain = openMessage(hexToBytes(readKey), NONCE, message, authenticated) as Uint8Array
    expect(decodeMessageV5(plain)).toEqual({ type: 'ping', requestId: Uint8Array.of(0, 0, 0, 1), enrSeq: 1n })
    expect(hex(maskHeader(ID_B, new Uint8Array(16), header).start)).toBe(hex(packet(name).subarray(0, -message.length)))
  })

  it('agrees on a point', () => {
    const publicKey = hexToBytes('039961e4c2356d61bedb83052c115d311acb3a96f5777296dcf297351130266231')
    const secret = hexToBytes('fb757dc581730490a1d7a00deea65e9b1936924caaea8f44d476014856b68736')
    const point = sharedPoint(secret, decompressedKey(publicKey) as Uint8Array) as Uint8Array
    expect(hex(point)).toBe('033b11a2a1f214567e1537ce5e509ffd9b21373247f2a3ff6841f4976f53165e7e')
  })

  it('derives the keys', () => {
    const secret = hexToBytes('fb757dc581730490a1d7a00deea65e9b1936924caaea8f44d476014856b68736')
    const publicKey = decompressedKey(hexToBytes('0317931e6e0840220642f230037d285d122bc59063221ef3226b1f403ddc69ca91'))
    const keys = initiatorKeys(secret, publicKey as Uint8Array, challengeOf(0), ID_A, ID_B)
    expect(hex(keys?.initiator as Uint8Array)).toBe('dccc82d81bd610f4f76d3ebe97a40571')
    expect(hex(keys?.recipient as Uint8Array)).toBe('ac74bb8773749920b0d3a8881c173ec5')
  })

  it('signs the id nonce', () => {
    const signer = new KeySigner(hexToBytes('fb757dc581730490a1d7a00deea65e9b1936924caaea8f44d476014856b68736'))
    const ephemeralKey = hexToBytes('039961e4c2356d61bedb83052c115d311acb3a96f5777296dcf297351130266231')
    expect(hex(proveIdentity(signer, challengeOf(0), ephemeralKey, ID_B))).toBe(
      '94852a1e2318c4e5e9d422c98eaf19d1d90d876b29cd06ca7cb7546d0fff7b484fe86c09a064fe72bdbef73ba8e9c34df0cd2b53e9d65528c2c7f336d5dfc6e6',
    )
  })

  it('encrypts', () => {
    const sealed = sealMessage(
      hexToBytes('9f2d77db7004bf8a1a85107ac686990b'),
      hexToBytes('27b5af763c446acd2749fe8e'),
      hexToBytes('01c20101'),
      hexToBytes('93a7400fa0d6a694ebc24d5cf570f65d04215b6ac00757875e3f3a5f42107903'),
    )
    expect(hex(sealed)).toBe('a5d12a2d94b8ccb3ba55558229867dc13bfa3648')
  })
})
