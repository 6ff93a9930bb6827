/**
 * Gas costs of precompiles, by fork.
 * @see Yellow Paper, appendix E; EIP-1108, EIP-2537, EIP-4844, EIP-7951
 * @module
 */

import type { PrecompileName } from './addresses.ts'
import { G1_DISCOUNTS, G2_DISCOUNTS } from './discounts.ts'
import { modexpGas } from './modexpGas.ts'

export type GasCost = (input: Uint8Array) => bigint

/** A changed price and the EIP that introduced it. */
interface Repricing {
  readonly eip: number
  readonly to: bigint
}

type Schedule = (eips: ReadonlySet<number>) => GasCost

/** A constant cost for every input, valid or not. */
function fixed(gas: bigint, repricing?: Repricing): Schedule {
  return (eips) => {
    const current = repricing !== undefined && eips.has(repricing.eip) ? repricing.to : gas
    return () => current
  }
}

/** A base cost plus a cost for each complete or partial chunk of the input. */
function perPart(base: number, perPart: number, partBytes: number): GasCost {
  return (input) => BigInt(base + perPart * Math.ceil(input.length / partBytes))
}

const perWord = (base: number, perWord: number): Schedule => {
  const cost = perPart(base, perWord, 32)
  return () => cost
}

/** Charges whole pairs only; input of any other length fails and consumes all gas. */
function perPair(base: number, perPair: number, pairBytes: number): GasCost {
  return (input) => BigInt(base + perPair * Math.floor(input.length / pairBytes))
}

/** EIP-2537: a discount in thousandths by number of pairs; the last entry applies to all larger numbers. */
function multiScalar(perPair: number, pairBytes: number, discounts: Uint16Array): Schedule {
  return () => (input) => {
    const pairs = Math.floor(input.length / pairBytes)
    if (pairs === 0) return 0n
    const discount = discounts[Math.min(pairs, discounts.length) - 1] as number
    return BigInt(Math.floor((pairs * perPair * discount) / 1000))
  }
}

/** EIP-152: one gas per round, given by the first four bytes. Input of any other length fails and consumes all gas. */
function rounds(input: Uint8Array): bigint {
  if (input.length !== 213) return 0n
  return BigInt(new DataView(input.buffer, input.byteOffset, 4).getUint32(0))
}

const SCHEDULES: Readonly<Record<PrecompileName, Schedule>> = {
  ECREC: fixed(3000n),
  SHA256: perWord(60, 12),
  RIPEMD160: perWord(600, 120),
  ID: perWord(15, 3),
  MODEXP: modexpGas,
  BN254_ADD: fixed(500n, { eip: 1108, to: 150n }),
  BN254_MUL: fixed(40_000n, { eip: 1108, to: 6000n }),
  BN254_PAIRING: (eips) => (eips.has(1108) ? perPair(45_000, 34_000, 192) : perPair(100_000, 80_000, 192)),
  BLAKE2F: () => rounds,
  KZG_POINT_EVALUATION: fixed(50_000n),
  BLS12_G1ADD: fixed(375n),
  BLS12_G1MSM: multiScalar(12_000, 160, G1_DISCOUNTS),
  BLS12_G2ADD: fixed(600n),
  BLS12_G2MSM: multiScalar(22_500, 288, G2_DISCOUNTS),
  BLS12_PAIRING_CHECK: () => perPair(37_700, 32_600, 384),
  BLS12_MAP_FP_TO_G1: fixed(5500n),
  BLS12_MAP_FP2_TO_G2: fixed(23_800n),
  P256VERIFY: fixed(6900n),
}

/** The price of a precompile under a fork's EIPs. */
export function gasCostOf(name: PrecompileName, eips: ReadonlySet<number>): GasCost {
  return SCHEDULES[name](eips)
}
