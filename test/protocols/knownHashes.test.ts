import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../src/primitives/keccak.ts'
import { KnownHashes } from '../../src/protocols/knownHashes.ts'

const hashes = Array.from({ length: 1000 }, (_, i) => keccak256(Uint8Array.of(i & 255, i >> 8)))

describe('KnownHashes', () => {
  it('knows what was added, and reports what is new', () => {
    const known = new KnownHashes(2000)
    for (const hash of hashes) expect(known.add(hash)).toBe(true)
    for (const hash of hashes) {
      expect(known.has(hash)).toBe(true)
      expect(known.add(hash)).toBe(false)
    }
    expect(known.size).toBe(1000)
    expect(known.has(keccak256(Uint8Array.of(1, 2, 3)))).toBe(false)
  })

  it('forgets the oldest, and is never larger than its capacity', () => {
    const known = new KnownHashes(300)
    for (const [i, hash] of hashes.entries()) {
      known.add(hash)
      expect(known.size).toBeLessThanOrEqual(300)
      for (let back = Math.max(0, i - 149); back <= i; back++) expect(known.has(hashes[back] as Uint8Array)).toBe(true)
    }
    expect(known.has(hashes[0] as Uint8Array)).toBe(false)
  })

  it('keeps what is added again', () => {
    const known = new KnownHashes(4)
    const [a, ...others] = hashes as [Uint8Array, ...Uint8Array[]]
    known.add(a)
    for (const hash of others.slice(0, 50)) {
      known.add(hash)
      expect(known.add(a)).toBe(false)
    }
  })

  it('accepts hashes of zeros', () => {
    const known = new KnownHashes(10)
    const zero = new Uint8Array(32)
    expect(known.has(zero)).toBe(false)
    expect(known.add(zero)).toBe(true)
    expect(known.has(zero)).toBe(true)
  })
})
