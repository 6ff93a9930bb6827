/**
 * Which precompiled contracts a fork has, and where.
 * @see EIP-7910 for the names
 * @module
 */
import type { ForkRules } from '../config/forks.ts'

interface Precompile {
  readonly name: string
  /** Its address as a number. */
  readonly address: number
  /** The EIP that brought it; undefined: Frontier. */
  readonly eip?: number
}

const PRECOMPILES: readonly Precompile[] = [
  { name: 'ECREC', address: 0x01 },
  { name: 'SHA256', address: 0x02 },
  { name: 'RIPEMD160', address: 0x03 },
  { name: 'ID', address: 0x04 },
  { name: 'MODEXP', address: 0x05, eip: 198 },
  { name: 'BN254_ADD', address: 0x06, eip: 196 },
  { name: 'BN254_MUL', address: 0x07, eip: 196 },
  { name: 'BN254_PAIRING', address: 0x08, eip: 197 },
  { name: 'BLAKE2F', address: 0x09, eip: 152 },
  { name: 'KZG_POINT_EVALUATION', address: 0x0a, eip: 4844 },
  { name: 'BLS12_G1ADD', address: 0x0b, eip: 2537 },
  { name: 'BLS12_G1MSM', address: 0x0c, eip: 2537 },
  { name: 'BLS12_G2ADD', address: 0x0d, eip: 2537 },
  { name: 'BLS12_G2MSM', address: 0x0e, eip: 2537 },
  { name: 'BLS12_PAIRING_CHECK', address: 0x0f, eip: 2537 },
  { name: 'BLS12_MAP_FP_TO_G1', address: 0x10, eip: 2537 },
  { name: 'BLS12_MAP_FP2_TO_G2', address: 0x11, eip: 2537 },
  { name: 'P256VERIFY', address: 0x100, eip: 7951 },
]

export interface NamedPrecompile {
  readonly name: string
  /** 20 bytes */
  readonly address: Uint8Array
}

function addressOf(number: number): Uint8Array {
  const address = new Uint8Array(20)
  address[18] = number >> 8
  address[19] = number & 0xff
  return address
}

export function activePrecompiles({ eips }: Pick<ForkRules, 'eips'>): NamedPrecompile[] {
  return PRECOMPILES.filter(({ eip }) => eip === undefined || eips.has(eip)).map(({ name, address }) => ({
    name,
    address: addressOf(address),
  }))
}
