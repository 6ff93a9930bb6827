// slow: messages of every length
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { INITIAL_NATIVE_KECCAK_BYTES, MAX_NATIVE_KECCAK_BYTES } from '../../../../src/base/limits/limits.ts'
import type { Keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { compileNativeModule } from '../../../../src/evm/native/compileModule.ts'
import { createNativeKeccak } from '../../../../src/evm/native/keccak.ts'

const create = async (): Promise<Keccak256> => createNativeKeccak(await compileNativeModule())
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
    expect((await create())(data)).toEqual(keccak_256(data))
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
