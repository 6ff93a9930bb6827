import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { type RlpItem, rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { NodeCache } from '../../../src/trie/nodeCache.ts'
import { prove } from '../../../src/trie/proof.ts'
import { Trie } from '../../../src/trie/trie.ts'
import { verifyProof, verifyProofs } from '../../../src/trie/verifyProof.ts'
import { Random } from '../../support/host/random.ts'
import { thrown } from '../../support/host/thrown.ts'

const NONE = new Uint8Array(0)
const KEY = new Uint8Array(32).fill(0x11)
const VALUE = new Uint8Array(40).fill(7)

function trieOf(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Trie {
  const trie = new Trie({ cache: new NodeCache(100_000), reader: new MemoryStore() })
  for (const [key, value] of entries) trie.put(key, value)
  return trie
}

/** 32 bytes that begin with zeros and end with the two given ones. */
const closeKey = (high: number, low: number): Uint8Array => concatBytes(new Uint8Array(30), Uint8Array.of(high, low))

/** A leaf with the nibbles of {@link KEY} from an even depth on. */
const leafAt = (depth: number, value: Uint8Array = VALUE): RlpItem[] => [
  concatBytes(Uint8Array.of(0x20), KEY.subarray(depth / 2)),
  value,
]

const branch = (children: Readonly<Record<number, RlpItem>>, value: Uint8Array = NONE): RlpItem[] => [
  ...Array.from({ length: 16 }, (_, i) => children[i] ?? NONE),
  value,
]

/** A proof of {@link KEY} that consists of one node. */
const refusalOf = (...nodes: readonly Uint8Array[]): string =>
  thrown(() => verifyProof(keccak256(nodes[0] ?? NONE), KEY, nodes, 'the key')).message

describe('verifyProof', () => {
  it('shows what a trie has and what it lacks, and nothing else', () => {
    const random = new Random(5)
    const entries = Array.from(
      { length: 300 },
      (_, i) => [keccak256(Uint8Array.of(i, i >> 8)), random.bytes(40)] as const,
    )
    const trie = trieOf(entries)
    const root = trie.rootHash()
    const values = new Map(entries.map(([key, value]) => [bytesToHex(key), value]))
    for (let i = 0; i < 400; i++) {
      const key = keccak256(Uint8Array.of(i, i >> 8))
      const proof = prove(trie, key)
      expect(verifyProof(root, key, proof)).toEqual(values.get(bytesToHex(key)))
      const cut = random.below(proof.length)
      const damaged = proof.map((node) => node.slice())
      const node = random.pick(damaged)
      const at = random.below(node.length)
      node[at] = (node[at] as number) ^ (1 << random.below(8))
      const wrong: readonly Uint8Array[][] = [
        proof.filter((_, k) => k !== cut),
        [...proof, random.pick(proof)],
        [...proof].reverse(),
        damaged,
        prove(trie, keccak256(Uint8Array.of(1, 2, 3, i))).slice(0, proof.length - 1),
      ]
      for (const nodes of wrong) {
        if (nodes.length === proof.length && nodes.every((one, k) => one === proof[k])) continue
        expect(() => verifyProof(root, key, nodes)).toThrow(/the proof of key 0x\w+ is invalid/)
      }
    }
  })

  it('follows nodes that are part of their parent', () => {
    const entries = [closeKey(0, 1), closeKey(0, 2), closeKey(0, 0x11), closeKey(3, 0), closeKey(3, 1)].map(
      (key, i) => [key, Uint8Array.of(i + 1)] as const,
    )
    const trie = trieOf(entries)
    const root = trie.rootHash()
    for (const [key, value] of entries) {
      expect(prove(trie, key).length).toBeLessThan(4)
      expect(verifyProof(root, key, prove(trie, key))).toEqual(value)
    }
    for (const key of [closeKey(0, 3), closeKey(0, 0x12), closeKey(4, 0), KEY]) {
      expect(verifyProof(root, key, prove(trie, key))).toBeUndefined()
    }
  })

  it('accepts a root that is shorter than 32 bytes', () => {
    const trie = trieOf([
      [closeKey(0, 1), Uint8Array.of(1)],
      [closeKey(0, 2), Uint8Array.of(2)],
    ])
    const key = closeKey(0, 2)
    expect(verifyProof(trie.rootHash(), key, prove(trie, key))).toEqual(Uint8Array.of(2))
  })

  it('takes no node, or the RLP of nothing, for the empty trie', () => {
    expect(verifyProof(EMPTY_TRIE_ROOT, KEY, [])).toBeUndefined()
    expect(verifyProof(EMPTY_TRIE_ROOT, KEY, [Uint8Array.of(0x80)])).toBeUndefined()
    expect(thrown(() => verifyProof(EMPTY_TRIE_ROOT, KEY, [Uint8Array.of(0xc0)]))).toMatchObject({
      code: 'PROOF_INVALID',
      details: { datum: `key ${bytesToHex(KEY)}` },
    })
    expect(thrown(() => verifyProof(keccak256(KEY), KEY, []))).toMatchObject({ code: 'PROOF_INVALID' })
  })

  it('verifies several keys of one trie, in their order', () => {
    const entries = Array.from({ length: 50 }, (_, i) => [keccak256(Uint8Array.of(i)), Uint8Array.of(i + 1)] as const)
    const trie = trieOf(entries)
    const root = trie.rootHash()
    const proofs = [4, 77, 3, 4].map((i) => {
      const key = keccak256(Uint8Array.of(i))
      return { key, nodes: prove(trie, key), datum: `slot ${i}` }
    })
    expect(verifyProofs(root, proofs)).toEqual([Uint8Array.of(5), undefined, Uint8Array.of(4), Uint8Array.of(5)])
    const [first] = proofs
    const rootNode = first?.nodes[0]?.slice() as Uint8Array
    rootNode[20] = (rootNode[20] as number) ^ 1
    const changed = proofs.map((proof, i) =>
      i === 2 ? { ...proof, nodes: [rootNode, ...proof.nodes.slice(1)] } : proof,
    )
    expect(thrown(() => verifyProofs(root, changed)).message).toBe(
      'the proof of slot 3 is invalid: node 0 does not have the expected hash',
    )
  })

  const hash = keccak256(KEY)
  const long = concatBytes(Uint8Array.of(0x00), new Uint8Array(33))
  const leafRlp = rlpEncode(leafAt(0))
  for (const [name, node, reason] of [
    ['three items', [KEY, KEY, KEY], 'has 3 items'],
    ['a byte string', KEY, 'has invalid RLP: expected a list, got a byte string'],
    ['a value in a branch', branch({ 1: hash, 2: hash }, VALUE), 'is a branch with a value'],
    ['one child', branch({ 1: hash }), 'is a branch with 1 children'],
    ['a child of another length', branch({ 1: hash, 2: hash.subarray(1) }), 'refers to a hash of 31 bytes'],
    ['a child that is too long to be embedded', branch({ 1: leafAt(2), 2: hash }), 'contains a node of 76 bytes'],
    ['an unknown flag', [Uint8Array.of(0x40), VALUE], 'has no path'],
    ['an empty path', [NONE, VALUE], 'has no path'],
    ['a padded path', [concatBytes(Uint8Array.of(0x21), KEY), VALUE], 'has a padded path'],
    ['a path that is a list', [[KEY], VALUE], 'has no path'],
    ['a path that is too long', [long, hash], 'has a path of 66 nibbles'],
    ['an extension without a path', [Uint8Array.of(0x00), hash], 'is an extension without a path'],
    ['an extension to nothing', [Uint8Array.of(0x11), NONE], 'is an extension without a branch'],
    [
      'an extension to a leaf',
      [Uint8Array.of(0x11), [Uint8Array.of(0x20), KEY.subarray(8)]],
      'is an extension without a branch',
    ],
    ['an extension to the end of the key', [concatBytes(Uint8Array.of(0), KEY), hash], 'has a path of a wrong length'],
    ['a leaf without a value', leafAt(0, NONE), 'is a leaf without a value'],
    ['a leaf with a list', [concatBytes(Uint8Array.of(0x20), KEY), [KEY]], 'has a list as its value'],
    ['a leaf before the end of the key', leafAt(2), 'has a path of a wrong length'],
    ['too many bytes', leafAt(0, new Uint8Array(600)), 'has 640 bytes'],
  ] as const) {
    it(`refuses a node with ${name}, although its hash is right`, () => {
      expect(refusalOf(rlpEncode(node))).toBe(`the proof of the key is invalid: node 0 ${reason}`)
    })
  }

  it('refuses RLP that is not canonical, and nodes below their place', () => {
    const trailing = concatBytes(leafRlp, Uint8Array.of(0))
    expect(refusalOf(trailing)).toContain('node 0 has invalid RLP: 1 trailing bytes')
    const longPrefix = concatBytes(Uint8Array.of(0xf9, 0, leafRlp.length - 2), leafRlp.subarray(2))
    expect(refusalOf(longPrefix)).toContain('node 0 has invalid RLP: length with leading zeros')
    const small = rlpEncode([concatBytes(Uint8Array.of(0x31), KEY.subarray(20)), Uint8Array.of(1)])
    const parent = rlpEncode(branch({ 1: keccak256(small), 2: hash }))
    expect(refusalOf(parent, small)).toContain('node 1 should be part of its parent')
    const lower = rlpEncode(leafAt(2))
    const extension = rlpEncode([concatBytes(Uint8Array.of(0x00), KEY.subarray(0, 1)), keccak256(lower)])
    expect(refusalOf(extension, lower)).toContain('node 1 is not the branch of an extension')
  })
})
