/**
 * Contract addresses, and addresses with checksums.
 * @see Yellow Paper 7; EIP-55; EIP-1014
 * @module
 */
import { bigIntToBytes, bytesToHexUnprefixed, concatBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { rlpEncode } from '../base/primitives/rlp.ts'

const CREATE2_PREFIX = Uint8Array.of(0xff)

/**
 * Address of a contract created by a transaction or by CREATE.
 * @param sender 20 bytes
 * @param nonce the sender's nonce before the creation
 */
export function createAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(rlpEncode([sender, bigIntToBytes(nonce)])).slice(12)
}

/**
 * Address of a contract created by CREATE2.
 * @param sender 20 bytes
 * @param salt 32 bytes
 * @param initCodeHash 32 bytes
 */
export function create2Address(sender: Uint8Array, salt: Uint8Array, initCodeHash: Uint8Array): Uint8Array {
  return keccak256(concatBytes(CREATE2_PREFIX, sender, salt, initCodeHash)).slice(12)
}

const ascii = new TextEncoder()

/** Mixed-case hex whose letter case is a checksum (EIP-55). */
export function checksumAddress(address: Uint8Array): string {
  const digits = bytesToHexUnprefixed(address)
  const hash = keccak256(ascii.encode(digits))
  let text = '0x'
  for (let i = 0; i < digits.length; i++) {
    const nibble = ((hash[i >> 1] as number) >> (i & 1 ? 0 : 4)) & 15
    text += nibble >= 8 ? digits.charAt(i).toUpperCase() : digits.charAt(i)
  }
  return text
}
