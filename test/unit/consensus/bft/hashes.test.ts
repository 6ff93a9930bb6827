import { describe, expect, it } from 'vitest'
import { MAX_BFT_EXTRA_DATA_BYTES } from '../../../../src/base/limits/limits.ts'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { publicKeyOf, publicKeyToAddress, signHash } from '../../../../src/base/primitives/secp256k1.ts'
import { encodeExtraData } from '../../../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../../../src/consensus/bft/flavour.ts'
import {
  bftBlockHash,
  commitSealHash,
  encodeSeal,
  recoverSigner,
  withRound,
  withSeals,
} from '../../../../src/consensus/bft/hashes.ts'
import { checkCommitSeals } from '../../../../src/consensus/bft/rules.ts'
import type { Header } from '../../../../src/types/block.ts'
import { encodeHeader, hashHeader } from '../../../../src/types/headerCodec.ts'

const last = (byte: number): Uint8Array => new Uint8Array(20).with(19, byte)
const EXTRA = {
  vanity: Uint8Array.from({ length: 32 }, (_, i) => i),
  validators: [last(1), last(2)],
  vote: { recipient: last(3), isAdd: true },
  round: 0x00fedcba,
  seals: [],
}
const HEADER: Header = {
  parentHash: hexToBytes('a7762d3307dbf2ae6a1ae1b09cf61c7603722b2379731b6b90409cdb8c8288a0'),
  ommersHash: EMPTY_LIST_HASH,
  beneficiary: new Uint8Array(20),
  stateRoot: hexToBytes('ca07595b82f908822971b7e848398e3395e59ee52565c7ef3603df1a1fa7bc80'),
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 1n,
  number: 1n,
  gasLimit: 4704588n,
  gasUsed: 0n,
  timestamp: 1530674616n,
  extraData: new Uint8Array(),
  mixHash: hexToBytes('63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365'),
  nonce: new Uint8Array(8),
}

const KNOWN = [
  {
    flavour: IBFT2,
    commit: '0xb1d26d018658f2556a2c3f0080596055cb0d05bcab91397f8ae8f01ea831559c',
    hash: '0x8d8736980278155e486cf0543c0a53cd3a3c961c3b976c6a4ac7dc5310dad88d',
  },
  {
    flavour: QBFT,
    commit: '0x81db92ea38284f1c7cf1595a1e4f74caede5d961a418bf0f7ce0ab05d680ab9f',
    hash: '0x6c9fa1845957da70ab04f12c452e0d2b76065a50105e8f59098c8be808b91f6f',
  },
]

describe.each(KNOWN)('$flavour.name', ({ flavour, commit, hash }) => {
  const header = { ...HEADER, extraData: encodeExtraData(EXTRA, flavour) }
  const keys = [1, 2, 3].map((n) => new Uint8Array(32).with(31, n))

  it('computes the known hashes', () => {
    expect(bytesToHex(commitSealHash(header, flavour))).toBe(commit)
    expect(bytesToHex(bftBlockHash(header, flavour))).toBe(hash)
    expect(bytesToHex(bftBlockHash(header, flavour, encodeHeader(header)))).toBe(hash)
  })

  it('excludes seals from both hashes, and the round from the block hash only', () => {
    const sealed = withSeals(header, EXTRA.round, [new Uint8Array(65)], flavour)
    expect(bytesToHex(commitSealHash(sealed, flavour))).toBe(commit)
    expect(bytesToHex(bftBlockHash(sealed, flavour))).toBe(hash)
    const later = withRound(sealed, 4, flavour)
    expect(bytesToHex(commitSealHash(later, flavour))).not.toBe(commit)
    expect(bytesToHex(bftBlockHash(later, flavour))).toBe(hash)
    expect(withRound(later, EXTRA.round, flavour)).toEqual(header)
  })

  it('counts commit seals before it recovers any, and stops at the first bad one', () => {
    const digest = commitSealHash(withRound(header, 2, flavour), flavour)
    const seals = keys.map((key) => encodeSeal(signHash(digest, key)))
    const validators = keys.map((key) => publicKeyToAddress(publicKeyOf(key)))
    const check = (given: readonly Uint8Array[], quorum = 1): string | undefined =>
      checkCommitSeals(digest, given, validators, quorum)
    const [first] = seals as [Uint8Array]
    const bad = new Uint8Array(65)
    expect(check(seals, seals.length)).toBeUndefined()
    expect(check(seals, seals.length + 1)).toMatch(/^invalid seals: \d+ of them, at least/)
    expect(check([...seals, first])).toBe(`invalid seals: ${seals.length + 1} of ${validators.length} validators`)
    expect(check([bad, first])).toBe('invalid seal 0: no account can be recovered from it')
    expect(check([first, first])).toMatch(/has sealed twice$/)
    expect(check([first.with(64, 27)])).toBe('invalid seal 0: no account can be recovered from it')
    expect(recoverSigner(digest, first.subarray(1))).toBeUndefined()
    // 150,000 seals cost no recovery.
    expect(check(Array.from({ length: 150_000 }, () => bad))).toMatch(/^invalid seals: 150000 of/)
  })

  it('has a bound on extra data', () => {
    const long = { ...header, extraData: new Uint8Array(MAX_BFT_EXTRA_DATA_BYTES + 1) }
    expect(() => commitSealHash(long, flavour)).toThrow(`more than ${MAX_BFT_EXTRA_DATA_BYTES}`)
    expect(bftBlockHash(long, flavour)).toEqual(keccak256(encodeHeader(long)))
  })

  it('hashes the genesis and undecodable extra data unchanged', () => {
    const genesis = { ...header, number: 0n }
    expect(bftBlockHash(genesis, flavour)).toEqual(hashHeader(genesis))
    const bad = { ...header, extraData: new Uint8Array(32) }
    expect(bftBlockHash(bad, flavour)).toEqual(keccak256(encodeHeader(bad)))
    expect(() => commitSealHash(bad, flavour)).toThrow('invalid extra data')
  })
})
