import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hasHexPrefix, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { NodeCache } from '../../../src/trie/nodeCache.ts'
import { Trie } from '../../../src/trie/trie.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'

type Input = Record<string, string | null> | [string, string | null][]

const utf8 = new TextEncoder()
const bytesOf = (text: string) => (hasHexPrefix(text) ? hexToBytes(text) : utf8.encode(text))
const pairsOf = (input: Input) => (Array.isArray(input) ? input : Object.entries(input))

function rootOf(input: Input, isSecure: boolean, batchSize: number): string {
  const store = new MemoryStore()
  const cache = new NodeCache(batchSize === 1 ? 0 : 1_000_000)
  const trie = new Trie({ cache, reader: store })
  pairsOf(input).forEach(([key, value], i) => {
    const path = isSecure ? keccak256(bytesOf(key)) : bytesOf(key)
    if (value === null) trie.delete(path)
    else trie.put(path, bytesOf(value))
    if (i % batchSize === 0) trie.commit(i + 1, (k, v) => store.commit([{ key: k, value: v }]))
  })
  return bytesToHex(trie.rootHash())
}

const folder = recordedPath('ethereum-tests', 'TrieTests')

describe('ethereum/tests TrieTests', () => {
  const read = (name: string) =>
    JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')) as Record<string, { in: Input; root: string }>

  for (const name of [
    'trietest',
    'trieanyorder',
    'trietest_secureTrie',
    'trieanyorder_secureTrie',
    'hex_encoded_securetrie_test',
  ]) {
    it(name, () => {
      const isSecure = name.toLowerCase().includes('secure')
      for (const [title, test] of Object.entries(read(name))) {
        for (const batchSize of [1, 3, 1_000_000]) expect(rootOf(test.in, isSecure, batchSize), title).toBe(test.root)
      }
    })
  }

  it('trietestnextprev: neighbours in key order', () => {
    const { basic } = JSON.parse(readFileSync(`${folder}/trietestnextprev.json`, 'utf8')) as {
      basic: { in: string[]; tests: [string, string, string][] }
    }
    const trie = new Trie({ cache: new NodeCache(0), reader: new MemoryStore() })
    for (const key of basic.in) trie.put(utf8.encode(key), utf8.encode(key))
    const text = new TextDecoder()
    for (const [key, , next] of basic.tests) {
      const after = [...trie.leaves(utf8.encode(key))].map((leaf) => text.decode(leaf.key)).find((k) => k !== key)
      expect(after ?? '').toBe(next)
    }
  })
})
