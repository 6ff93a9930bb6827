/**
 * The precompiled contracts of each fork and their addresses.
 * @see EIP-7910 for the names
 * @module
 */
import type { ForkRules } from '../../config/forks.ts'

export type PrecompileName =
  | 'ECREC'
  | 'SHA256'
  | 'RIPEMD160'
  | 'ID'
  | 'MODEXP'
  | 'BN254_ADD'
  | 'BN254_MUL'
  | 'BN254_PAIRING'
  | 'BLAKE2F'
  | 'KZG_POINT_EVALUATION'
  | 'BLS12_G1ADD'
  | 'BLS12_G1MSM'
  | 'BLS12_G2ADD'
  | 'BLS12_G2MSM'
  | 'BLS12_PAIRING_CHECK'
  | 'BLS12_MAP_FP_TO_G1'
  | 'BLS12_MAP_FP2_TO_G2'
  | 'P256VERIFY'

interface Row {
  readonly name: PrecompileName
  /** Its address as a number. */
  readonly address: number
  /** The EIP that introduced it; undefined for Frontier. */
  readonly eip?: number
}

const ROWS: readonly Row[] = [
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

/** Highest precompile address as a number. */
export const LAST_PRECOMPILE_NUMBER = 0x100

export interface NamedPrecompile {
  readonly name: PrecompileName
  /** Its address as a number. */
  readonly number: number
  /** 20 bytes */
  readonly address: Uint8Array
}

const PRECOMPILES: readonly (NamedPrecompile & { readonly eip: number | undefined })[] = ROWS.map((row) => ({
  name: row.name,
  number: row.address,
  address: addressOf(row.address),
  eip: row.eip,
}))

function addressOf(number: number): Uint8Array {
  const address = new Uint8Array(20)
  address[18] = number >> 8
  address[19] = number & 0xff
  return address
}

/** The precompiles of a fork, ascending by address. */
export function activePrecompiles({ eips }: Pick<ForkRules, 'eips'>): NamedPrecompile[] {
  return PRECOMPILES.filter(({ eip }) => eip === undefined || eips.has(eip))
}

/** The address as a number; undefined when it exceeds the precompile addresses of all forks. */
export function precompileNumber(address: Uint8Array): number | undefined {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return undefined
  const number = ((address[18] as number) << 8) | (address[19] as number)
  return number <= LAST_PRECOMPILE_NUMBER ? number : undefined
}
