import { expect, it } from 'vitest'
import { uintBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { KeyHashes } from '../../../src/state/keyHashes.ts'

it('hashes slots and addresses, while the cache grows and after it is full', () => {
  const hashes = new KeyHashes()
  for (let i = 0; i < 20_000; i++) {
    hashes.ofSlot(uintBytes(i, 32))
    hashes.ofAddress(uintBytes(i, 20))
    const known = uintBytes(Math.floor(i / 2), 32)
    if (i % 50 === 0) expect(hashes.ofSlot(known)).toEqual(keccak256(known))
  }
  for (let i = 0; i < 20_000; i += 97) {
    expect(hashes.ofSlot(uintBytes(i, 32))).toEqual(keccak256(uintBytes(i, 32)))
    expect(hashes.ofAddress(uintBytes(i, 20))).toEqual(keccak256(uintBytes(i, 20)))
  }
})
