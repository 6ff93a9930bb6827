// slow: messages of every length
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { INITIAL_NATIVE_KECCAK_BYTES, MAX_NATIVE_KECCAK_BYTES } from '../../../../src/base/limits/limits.ts'
import type { Keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { compileNativeModule } from '../../../../src/evm/native/compileModule.ts'
import { createNativeKeccak } from '../../../../src/evm/native/keccak.ts'

const create = async (): Promise<Keccak256> => createNativeKeccak(await compileNativeModule()).hash
/** 40 bytes with the digest from the fourth on. */
const written = async (data: Uint8Array): Promise<Uint8Array> => {
  const { hashInto } = createNativeKeccak(await compileNativeModule())
  const out = new Uint8Array(40).fill(7)
  hashInto(data, out, 3)
  return out
}
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 255)

describe("the native engine's Keccak-256", () => {
  it('agrees with the portable implementation at every length up to three blocks', async () => {
    const hash = await create()
    for (let length = 0; length <= 3 * 136 + 1; length++) expect(hash(bytes(length))).toEqual(keccak_256(bytes(length)))
  })

  it('grows for a long input and hashes short ones afterwards', async () => {
    const hash = await create()
    for (const length of [INITIAL_NATIVE_KECCAK_BYTES, INITIAL_NATIVE_KECCAK_BYTES + 1, 1_000_001, 5, 400_000]) {
      expect(hash(bytes(length))).toEqual(keccak_256(bytes(length)))
    }
  })

  it('accepts an input that exceeds its memory', async () => {
    const data = new Uint8Array(MAX_NATIVE_KECCAK_BYTES + 1)
    const digest = keccak_256(data)
    expect((await create())(data)).toEqual(digest)
    expect(await written(data)).toEqual(Uint8Array.of(7, 7, 7, ...digest, 7, 7, 7, 7, 7))
  })

  it('writes a digest into a part of an array', async () => {
    for (const data of [bytes(0), bytes(300)])
      expect(await written(data)).toEqual(Uint8Array.of(7, 7, 7, ...keccak_256(data), 7, 7, 7, 7, 7))
  })

  it('accepts a view of a larger buffer, and returns a separate digest', async () => {
    const hash = await create()
    const whole = bytes(100)
    const digest = hash(whole.subarray(10, 50))
    expect(digest).toEqual(keccak_256(whole.slice(10, 50)))
    const copy = digest.slice()
    hash(whole)
    expect(digest).toEqual(copy)
    expect(digest.buffer.byteLength).toBe(32)
  })
})
