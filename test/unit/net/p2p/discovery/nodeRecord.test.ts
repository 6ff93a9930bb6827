import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../../../src/base/ports/keySigner.ts'
import { bytesToHexUnprefixed, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { type RlpItem, rlpEncode } from '../../../../../src/base/primitives/rlp.ts'
import { compressedKey } from '../../../../../src/base/primitives/secp256k1.ts'
import {
  createRecord,
  decodeRecord,
  MAX_RECORD_BYTES,
  nodeHash,
  parseRecord,
  recordText,
  renewRecord,
} from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries, recordAddress, recordForkId } from '../../../../../src/net/p2p/discovery/recordEntries.ts'

/** EIP-778, "Test Vectors". */
const EXAMPLE =
  'enr:-IS4QHCYrYZbAKWCBRlAy5zzaDZXJBGkcnh4MHcBFZntXNFrdvJjX04jRzjzCBOonrkTfj499SZuOh8R33Ls8RRcy5wBgmlkgnY0gmlwhH8AAAGJc2VjcDI1NmsxoQPKY0yuDUmstAHYpMa2_oxVtw0RW_QAdpzBQA8yWM0xOIN1ZHCCdl8'
const signer = new KeySigner(hexToBytes('b71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291'))

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A record with any content, correctly signed. */
function signed(content: readonly RlpItem[]): Uint8Array {
  const { signature } = signer.sign(keccak256(rlpEncode(content)))
  return rlpEncode([signature, ...content])
}

const identity: RlpItem[] = [utf8('id'), utf8('v4'), utf8('secp256k1'), compressedKey(signer.publicKey)]

describe('node records', () => {
  it('reads the example of EIP-778', () => {
    const record = parseRecord(EXAMPLE)
    expect(record.seq).toBe(1n)
    expect(bytesToHexUnprefixed(nodeHash(record.publicKey))).toBe(
      'a448f24c6d18e575453db13171562b71999873db5b286df957af199ec94617f7',
    )
    expect(recordAddress(record)).toEqual({ host: '127.0.0.1', udpPort: 30303, tcpPort: undefined })
    expect(recordText(record)).toBe(EXAMPLE)
  })

  it('creates the example of EIP-778', () => {
    expect(recordText(createRecord(signer, 1n, contactEntries({ host: '127.0.0.1', udpPort: 30303 })))).toBe(EXAMPLE)
  })

  it('keeps addresses, ports and the fork id', () => {
    const forkId = { hash: hexToBytes('fc64ec04'), next: 1_150_000n }
    const v4 = { host: '10.1.2.3', udpPort: 30303, tcpPort: 30304 }
    const record = decodeRecord(createRecord(signer, 7n, contactEntries(v4, forkId)).bytes)
    expect(recordAddress(record)).toEqual(v4)
    expect(recordForkId(record)).toEqual(forkId)
    const v6 = { host: '2001:db8::1', udpPort: 30303, tcpPort: 30305 }
    expect(recordAddress(createRecord(signer, 7n, contactEntries(v6)))).toEqual(v6)
    const both = createRecord(signer, 7n, contactEntries(v4, forkId, v6))
    expect([...both.entries.keys()]).toEqual(['eth', 'id', 'ip', 'ip6', 'secp256k1', 'tcp', 'tcp6', 'udp'])
  })

  it('raises the sequence number only when the content changes', () => {
    const first = renewRecord(signer, undefined, contactEntries({ host: '10.0.0.1', udpPort: 1 }))
    expect(renewRecord(signer, first, contactEntries({ host: '10.0.0.1', udpPort: 1 }))).toBe(first)
    const next = renewRecord(signer, first, contactEntries({ host: '10.0.0.1', udpPort: 2 }))
    expect([first.seq, next.seq]).toEqual([1n, 2n])
    expect(decodeRecord(next.bytes).seq).toBe(2n)
  })

  it.each<[string, () => Uint8Array, string]>([
    [
      'a changed byte',
      () => Uint8Array.from(signed([Uint8Array.of(1), ...identity]), (b, i) => (i === 20 ? b ^ 1 : b)),
      'signature',
    ],
    ['no list', () => Uint8Array.of(0x81, 0x80), 'expected a list'],
    ['unsorted keys', () => signed([Uint8Array.of(1), utf8('udp'), Uint8Array.of(1), ...identity]), 'not sorted'],
    ['a key twice', () => signed([Uint8Array.of(1), utf8('id'), utf8('v4'), ...identity]), 'not unique'],
    ['a key without a value', () => signed([Uint8Array.of(1), ...identity, utf8('x')]), 'without a value'],
    ['another scheme', () => signed([Uint8Array.of(1), utf8('id'), utf8('v5'), ...identity.slice(2)]), 'not v4'],
    ['no public key', () => signed([Uint8Array.of(1), ...identity.slice(0, 2)]), 'no public key'],
    ['a sequence number with a zero in front', () => signed([Uint8Array.of(0, 1), ...identity]), 'sequence number'],
    ['a sequence number of 9 bytes', () => signed([new Uint8Array(9).fill(1), ...identity]), 'sequence number'],
    ['301 bytes', () => signed([Uint8Array.of(1), ...identity, utf8('x'), new Uint8Array(178)]), '301 bytes'],
  ])('refuses %s', (_, make, reason) => {
    expect(() => decodeRecord(make())).toThrow(reason)
    expect(() => decodeRecord(make())).toThrow(/^invalid node record: /)
  })

  it('accepts 300 bytes and creates no larger record', () => {
    const bytes = signed([Uint8Array.of(1), ...identity, utf8('x'), new Uint8Array(177)])
    expect(bytes.length).toBe(MAX_RECORD_BYTES)
    expect(decodeRecord(bytes).seq).toBe(1n)
    expect(() => createRecord(signer, 1n, new Map([['x', new Uint8Array(178)]]))).toThrow('at most 300')
  })

  it.each([
    ['enr', 'start with'],
    ['enr:***', 'base64url'],
    [`enr:${'A'.repeat(700)}`, 'too long'],
  ])('refuses the text %s', (text, reason) => {
    expect(() => parseRecord(text)).toThrow(reason)
  })

  it('ignores values of known keys that have another form', () => {
    const odd = [utf8('eth'), utf8('x'), ...identity.slice(0, 2), utf8('ip'), new Uint8Array(5), ...identity.slice(2)]
    const record = decodeRecord(signed([Uint8Array.of(1), ...odd]))
    expect([recordAddress(record), recordForkId(record)]).toEqual([undefined, undefined])
  })
})
