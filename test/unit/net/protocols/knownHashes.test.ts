import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { KnownHashes, randomFactors } from '../../../../src/net/protocols/knownHashes.ts'
import { PeerKnowledge } from '../../../../src/net/protocols/peerKnowledge.ts'
import { Random } from '../../../support/host/random.ts'

const random = new Random(5)
const FACTORS = randomFactors(random)

const hashes = Array.from({ length: 1000 }, (_, i) => keccak256(Uint8Array.of(i & 255, i >> 8)))

describe('KnownHashes', () => {
  it('knows what was added, and reports what is new', () => {
    const known = new KnownHashes(2000, FACTORS)
    for (const hash of hashes) expect(known.add(hash)).toBe(true)
    for (const hash of hashes) {
      expect(known.has(hash)).toBe(true)
      expect(known.add(hash)).toBe(false)
    }
    expect(known.size).toBe(1000)
    expect(known.has(keccak256(Uint8Array.of(1, 2, 3)))).toBe(false)
  })

  it('forgets the oldest, and is never larger than its capacity', () => {
    const known = new KnownHashes(300, FACTORS)
    for (const [i, hash] of hashes.entries()) {
      known.add(hash)
      expect(known.size).toBeLessThanOrEqual(300)
      expect(hashes.slice(Math.max(0, i - 149), i + 1).every((recent) => known.has(recent))).toBe(true)
    }
    expect(known.has(hashes[0] as Uint8Array)).toBe(false)
  })

  it('keeps what is added again', () => {
    const known = new KnownHashes(4, FACTORS)
    const [a, ...others] = hashes as [Uint8Array, ...Uint8Array[]]
    known.add(a)
    for (const hash of others.slice(0, 50)) {
      known.add(hash)
      expect(known.add(a)).toBe(false)
    }
  })

  it('accepts hashes of zeros', () => {
    const known = new KnownHashes(10, FACTORS)
    const zero = new Uint8Array(32)
    expect(known.has(zero)).toBe(false)
    expect(known.add(zero)).toBe(true)
    expect(known.has(zero)).toBe(true)
  })

  it('stays fast when a peer announces hashes that differ in few places', () => {
    const { transactions } = new PeerKnowledge(random)
    const chosen = (i: number): Uint8Array => {
      const hash = new Uint8Array(32)
      new DataView(hash.buffer).setUint32(0, i << 16)
      new DataView(hash.buffer).setUint32(4, (i >>> 16) | 0x100)
      return hash
    }
    for (let i = 0; i < 150_000; i++) transactions.add(chosen(i))
    expect(transactions.size).toBeLessThanOrEqual(100_000)
    for (let i = 100_001; i < 150_000; i += 997) expect(transactions.has(chosen(i))).toBe(true)
  })
})
