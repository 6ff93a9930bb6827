// slow: generated tries
import { describe, expect, it } from 'vitest'
import { bytesToHex, compareBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Ref } from '../../../src/trie/node.ts'
import { NodeCache } from '../../../src/trie/nodeCache.ts'
import { prove } from '../../../src/trie/proof.ts'
import { Trie } from '../../../src/trie/trie.ts'
import { verifyProof } from '../../../src/trie/verifyProof.ts'
import { LossyReader, retryMisses } from '../../support/chains/lossyReader.ts'
import { provenAt } from '../../support/chains/merkleProof.ts'
import { generatedCases } from '../../support/host/generatedCases.ts'
import { Random } from '../../support/host/random.ts'
import { naiveRoot } from './naiveTrie.ts'

class Model {
  readonly entries = new Map<string, Uint8Array>()

  set(key: Uint8Array, value: Uint8Array): void {
    if (value.length === 0) this.entries.delete(bytesToHex(key))
    else this.entries.set(bytesToHex(key), value)
  }

  pairs(): [Uint8Array, Uint8Array][] {
    return [...this.entries].map(([key, value]) => [hexToBytes(key), value])
  }

  root(): Uint8Array {
    return naiveRoot(this.pairs())
  }
}

/** Keys that share long prefixes, some of which are prefixes of others. */
function crowdedKey(random: Random): Uint8Array {
  return Uint8Array.from({ length: 1 + random.below(5) }, () => random.pick([0, 1, 16, 17, 255]))
}

const wideKey = (random: Random) => keccak256(Uint8Array.of(random.below(200)))
const anyValue = (random: Random) => random.bytes(random.pick([0, 1, 2, 8, 31, 32, 33, 60, 300]))

const commitInto = (store: MemoryStore, trie: Trie, version: number) =>
  trie.commit(version, (key, value) => store.commit([{ key, value }]))

describe('Trie', () => {
  for (const [name, keyOf] of [
    ['crowded keys', crowdedKey],
    ['hashed keys', wideKey],
  ] as const) {
    it(`agrees with a map through changes, commits and reloads: ${name}`, () => {
      for (let seed = 1; seed <= generatedCases(8); seed++) {
        const random = new Random(seed)
        const store = new MemoryStore()
        const model = new Model()
        let cache = new NodeCache(random.pick([0, 2000, 1_000_000]))
        let trie = new Trie({ cache, reader: store })
        for (let round = 1; round <= 12; round++) {
          for (let i = random.below(30); i >= 0; i--) {
            const [key, value] = [keyOf(random), anyValue(random)]
            if (random.chance(10)) trie.rootHash()
            model.set(key, value)
            trie.put(key, value)
          }
          expect(trie.rootHash()).toEqual(model.root())
          if (random.chance(70)) {
            const root = commitInto(store, trie, round * 300)
            if (random.chance(50)) cache = new NodeCache(random.pick([0, 2000, 1_000_000]))
            if (random.chance(50))
              trie = new Trie({ cache, reader: store, root: root && new Ref(root.hash(), 0, root.version) })
            expect(trie.rootHash()).toEqual(model.root())
          }
          for (const [key, value] of model.pairs()) expect(trie.get(key)).toEqual(value)
          expect(trie.get(Uint8Array.of(9, 9))).toBeUndefined()
        }
      }
    })

    it(`proves presence and absence: ${name}`, () => {
      const random = new Random(5)
      const store = new MemoryStore()
      const model = new Model()
      const trie = new Trie({ cache: new NodeCache(10_000), reader: store })
      for (let i = 0; i < 100; i++) {
        const [key, value] = [keyOf(random), anyValue(random)]
        model.set(key, value)
        trie.put(key, value)
        if (i === 50) commitInto(store, trie, 1)
      }
      const root = trie.rootHash()
      for (let i = 0; i < 300; i++) {
        const key = keyOf(random)
        const proof = prove(trie, key)
        const value = model.entries.get(bytesToHex(key))
        const path = bytesToHex(key).slice(2)
        expect(provenAt(bytesToHex(root), path, proof.map(bytesToHex))).toBe(value && bytesToHex(value))
        if (key.length === 32) expect(verifyProof(root, key, proof)).toEqual(value)
      }
    })

    it(`walks in key order from any key: ${name}`, () => {
      const random = new Random(11)
      const store = new MemoryStore()
      const model = new Model()
      const trie = new Trie({ cache: new NodeCache(1000), reader: store })
      for (let i = 0; i < 150; i++) {
        const key = keyOf(random)
        model.set(key, key)
        trie.put(key, key)
        if (i === 100) commitInto(store, trie, 1)
      }
      const sorted = model
        .pairs()
        .map(([key]) => key)
        .sort(compareBytes)
      expect([...trie.leaves()].map((leaf) => leaf.key)).toEqual(sorted)
      for (let i = 0; i < 200; i++) {
        const from = random.chance(50) ? keyOf(random) : random.bytes(1 + random.below(6))
        expect([...trie.leaves(from)].map((leaf) => leaf.key)).toEqual(sorted.filter((k) => compareBytes(k, from) >= 0))
      }
    })

    it(`releases replaced nodes, which older roots read again: ${name}`, () => {
      const random = new Random(17)
      const store = new MemoryStore()
      const cache = new NodeCache(100_000_000)
      const trie = new Trie({ cache, reader: store })
      const key = keyOf(random)
      for (let i = 0; i < 40; i++) trie.put(keyOf(random), Uint8Array.of(1))
      const roots: { readonly root: Ref; readonly value: Uint8Array }[] = []
      const sizes: number[] = []
      for (let version = 1; version <= 1000; version++) {
        const value = Uint8Array.of(1 + (version >> 8), version & 255)
        trie.put(key, value)
        roots.push({ root: commitInto(store, trie, version) as Ref, value })
        sizes.push(cache.bytes)
      }
      expect(sizes.at(-1)).toBeLessThan(1.2 * (sizes[499] as number))
      for (const { root, value } of roots) {
        expect(new Trie({ cache, reader: store, root }).get(key)).toEqual(value)
        expect(new Trie({ cache: new NodeCache(0), reader: store, root }).get(key)).toEqual(value)
      }
    })

    it(`a miss leaves the trie unchanged, and a retry completes: ${name}`, () => {
      for (let seed = 1; seed <= 6; seed++) {
        const random = new Random(seed)
        const store = new MemoryStore()
        const model = new Model()
        const first = new Trie({ cache: new NodeCache(1_000_000), reader: store })
        const change = (trie: Trie) => {
          const [key, value] = [keyOf(random), anyValue(random)]
          model.set(key, value)
          retryMisses(() => trie.put(key, value))
        }
        for (let i = 0; i < 100; i++) change(first)
        const root = commitInto(store, first, 1)
        const lossy = new LossyReader(store)
        const trie = new Trie({
          cache: new NodeCache(random.pick([0, 1_000_000])),
          reader: lossy,
          root: root && new Ref(root.hash(), 0, 1),
        })
        for (let i = 0; i < 50; i++) change(trie)
        expect(trie.rootHash()).toEqual(model.root())
        expect(lossy.misses).toBeGreaterThan(0)
      }
    })
  }

  it('is empty again when all keys are deleted', () => {
    const trie = new Trie({ cache: new NodeCache(0), reader: new MemoryStore() })
    expect(trie.rootHash()).toEqual(EMPTY_TRIE_ROOT)
    expect(prove(trie, Uint8Array.of(1))).toEqual([])
    expect(verifyProof(EMPTY_TRIE_ROOT, Uint8Array.of(1), [])).toBeUndefined()
    trie.put(Uint8Array.of(1), Uint8Array.of(1))
    trie.put(Uint8Array.of(1, 2), Uint8Array.of(1))
    trie.delete(Uint8Array.of(1))
    trie.delete(Uint8Array.of(1, 2))
    expect(trie.rootHash()).toEqual(EMPTY_TRIE_ROOT)
    expect(trie.commit(1, () => expect.unreachable())).toBeUndefined()
  })

  it('forks are independent of each other', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed)
      const store = new MemoryStore()
      const tries = [{ trie: new Trie({ cache: new NodeCache(1_000_000), reader: store }), model: new Model() }]
      for (let step = 0; step < 150; step++) {
        const { trie, model } = random.pick(tries)
        const [key, value] = [wideKey(random), anyValue(random)]
        trie.put(key, value)
        model.set(key, value)
        if (random.chance(5)) trie.rootHash()
        if (random.chance(5)) commitInto(store, trie, step + 1)
        if (random.chance(5)) {
          const copy = { trie: trie.fork(), model: new Model() }
          for (const [k, v] of model.pairs()) copy.model.set(k, v)
          tries.push(copy)
        }
      }
      for (const { trie, model } of tries) expect(trie.rootHash()).toEqual(model.root())
    }
  })

  it('writes only changed nodes', () => {
    const store = new MemoryStore()
    const trie = new Trie({ cache: new NodeCache(1_000_000), reader: store })
    for (let i = 0; i < 1000; i++) trie.put(keccak256(Uint8Array.of(i >> 8, i & 255)), Uint8Array.of(1, 2, 3))
    commitInto(store, trie, 1)
    trie.put(keccak256(Uint8Array.of(0, 1)), Uint8Array.of(1, 2, 3))
    expect(trie.isDirty).toBe(false)
    trie.put(keccak256(Uint8Array.of(0, 1)), Uint8Array.of(1, 2, 4))
    let written = 0
    trie.commit(2, () => written++)
    expect(written).toBeLessThan(6)
  })

  it('names a whole level of missing nodes at once', () => {
    const store = new MemoryStore()
    const first = new Trie({ cache: new NodeCache(1_000_000), reader: store })
    const keys = Array.from({ length: 500 }, (_, i) => keccak256(Uint8Array.of(i >> 8, i & 255)))
    for (const key of keys) first.put(key, key)
    const root = commitInto(store, first, 1)
    const lossy = new LossyReader(store)
    const trie = new Trie({ cache: new NodeCache(1_000_000), reader: lossy, root: root && new Ref(root.hash(), 0, 1) })
    retryMisses(() => trie.update(keys.map((key) => [key, Uint8Array.of(1)])))
    expect(trie.rootHash()).toEqual(naiveRoot(keys.map((key) => [key, Uint8Array.of(1)])))
    expect(lossy.misses).toBeLessThan(20)
  })

  it('keeps the cache within its bound', () => {
    const store = new MemoryStore()
    const cache = new NodeCache(50_000)
    const trie = new Trie({ cache, reader: store })
    const keys = Array.from({ length: 2000 }, (_, i) => keccak256(Uint8Array.of(i >> 8, i & 255)))
    for (const key of keys) trie.put(key, key)
    commitInto(store, trie, 1)
    for (const key of keys) {
      expect(trie.get(key)).toEqual(key)
      expect(cache.bytes).toBeLessThanOrEqual(50_000)
    }
    expect(cache.bytes).toBeGreaterThan(30_000)
  })

  it('reports a node that the store lacks', () => {
    const trie = new Trie({
      cache: new NodeCache(0),
      reader: new MemoryStore(),
      root: new Ref(new Uint8Array(32), 0, 7),
    })
    expect(() => trie.get(new Uint8Array(32))).toThrow(expect.objectContaining({ code: 'MISSING_TRIE_NODE' }))
  })
})
