/**
 * The precompile RIPEMD-160.
 * @module
 */
import { ripemd160 as hash } from '@noble/hashes/legacy.js'
import { padLeft } from '../../base/primitives/bytes.ts'

export function ripemd160(input: Uint8Array): Uint8Array {
  return padLeft(hash(input), 32)
}
