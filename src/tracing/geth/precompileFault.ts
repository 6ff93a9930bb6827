import type { PrecompileName } from '../../evm/precompiles/index.ts'

interface Fault {
  /** Whether an input of this length can be valid. */
  readonly fits: (length: number) => boolean
  readonly badLength: string
  /** Error text for an input of valid length with invalid content. */
  readonly badInput: string
}

const BAD_LENGTH = 'invalid input length'
const BAD_POINT = 'invalid point: not on curve'

const multiple = (unit: number) => (length: number) => length > 0 && length % unit === 0
const exactly = (size: number) => (length: number) => length === size
const any = (): boolean => true

const FAULTS: Partial<Record<PrecompileName, Fault>> = {
  MODEXP: {
    fits: any,
    badLength: '',
    badInput: 'one or more of base/exponent/modulus length exceeded 1024 bytes',
  },
  BN254_ADD: { fits: any, badLength: '', badInput: 'bn256: malformed point' },
  BN254_MUL: { fits: any, badLength: '', badInput: 'bn256: malformed point' },
  BN254_PAIRING: {
    fits: (length) => length % 192 === 0,
    badLength: 'bad elliptic curve pairing size',
    badInput: 'bn256: malformed point',
  },
  BLAKE2F: { fits: exactly(213), badLength: BAD_LENGTH, badInput: 'invalid final flag' },
  KZG_POINT_EVALUATION: { fits: exactly(192), badLength: BAD_LENGTH, badInput: 'error verifying kzg proof' },
  BLS12_G1ADD: { fits: exactly(256), badLength: BAD_LENGTH, badInput: BAD_POINT },
  BLS12_G1MSM: { fits: multiple(160), badLength: BAD_LENGTH, badInput: BAD_POINT },
  BLS12_G2ADD: { fits: exactly(512), badLength: BAD_LENGTH, badInput: BAD_POINT },
  BLS12_G2MSM: { fits: multiple(288), badLength: BAD_LENGTH, badInput: BAD_POINT },
  BLS12_PAIRING_CHECK: { fits: multiple(384), badLength: BAD_LENGTH, badInput: BAD_POINT },
  BLS12_MAP_FP_TO_G1: { fits: exactly(64), badLength: BAD_LENGTH, badInput: 'invalid fp.Element encoding' },
  BLS12_MAP_FP2_TO_G2: { fits: exactly(128), badLength: BAD_LENGTH, badInput: 'invalid fp.Element encoding' },
}

/**
 * Why a precompile rejected its input, in go-ethereum's wording. The precompiles report only that they failed. Invalid
 * lengths are therefore detected here; each precompile has one text for all other errors.
 */
export function precompileFault(name: PrecompileName | undefined, input: Uint8Array): string {
  const fault = name === undefined ? undefined : FAULTS[name]
  if (fault === undefined) return 'precompiled failed'
  return fault.fits(input.length) ? fault.badInput : fault.badLength
}
