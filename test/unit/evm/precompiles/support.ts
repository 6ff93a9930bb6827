import { NobleBLS, NobleBN254, type PrecompileInput } from '@ethereumjs/evm'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { bigIntToBytesPadded, bytesToHexUnprefixed, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { ModuleNotLoaded } from '../../../../src/base/primitives/lazyModule.ts'
import { type ForkName, forkRules } from '../../../../src/config/forks.ts'
import { activePrecompiles, type PrecompileName, precompileAt } from '../../../../src/evm/precompiles/index.ts'
import { prepareCommon } from '../../../../src/evm/reference/preparedCommon.ts'
import type { PreparedCommon } from '../../../../src/evm/reference/preparedTypes.ts'

/** The result of a call: gas and output; undefined when it failed and consumed all gas. */
export type Answer = { readonly gas: bigint; readonly output: string } | undefined

export const ALL_FORKS: readonly ForkName[] = [
  'frontier',
  'byzantium',
  'istanbul',
  'berlin',
  'cancun',
  'prague',
  'osaka',
  'atlantis',
  'phoenix',
  'spiral',
]

const GAS_LIMIT = 2n ** 63n
const curves = { _bls: new NobleBLS(), _bn254: new NobleBN254() }
const commons = new Map<ForkName, PreparedCommon>()

function commonOf(fork: ForkName): PreparedCommon {
  let common = commons.get(fork)
  if (common === undefined) {
    common = prepareCommon(forkRules(fork), 1n, undefined)
    commons.set(fork, common)
  }
  return common
}

export function addressOf(name: PrecompileName): Uint8Array {
  const found = activePrecompiles(forkRules('osaka')).find((precompile) => precompile.name === name)
  if (found === undefined) throw new Error(name)
  return found.address
}

/** The result of our implementation. */
export function answer(name: PrecompileName, input: Uint8Array, fork: ForkName = 'osaka'): Answer {
  const precompile = precompileAt(addressOf(name), forkRules(fork))
  if (precompile === undefined) throw new Error(`no ${name} in ${fork}`)
  const before = input.slice()
  const gas = precompile.gasCost(input)
  const output = precompile.run(input)
  if (bytesToHexUnprefixed(before) !== bytesToHexUnprefixed(input)) throw new Error('the input was changed')
  return output === undefined ? undefined : { gas, output: bytesToHexUnprefixed(output) }
}

/** Loads an implementation that another test of the same process may have left to its first call. */
export async function loaded(name: PrecompileName, input: Uint8Array): Promise<void> {
  try {
    answer(name, input)
  } catch (error) {
    if (!(error instanceof ModuleNotLoaded)) throw error
    await error.load()
  }
}

/** The result of the reference EVM. */
export async function expected(name: PrecompileName, input: Uint8Array, fork: ForkName = 'osaka'): Promise<Answer> {
  const { common, precompiles } = commonOf(fork)
  const run = precompiles.get(bytesToHexUnprefixed(addressOf(name)))
  if (run === undefined) throw new Error(`no ${name} in ${fork}`)
  const opts = { data: input, gasLimit: GAS_LIMIT, common, _EVM: curves } as unknown as PrecompileInput
  const result = await run(opts)
  if (result.exceptionError !== undefined) return undefined
  return { gas: result.executionGasUsed, output: bytesToHexUnprefixed(result.returnValue) }
}

export const word = (value: bigint | number, length = 32): Uint8Array => bigIntToBytesPadded(BigInt(value), length)

type Pairing = typeof bn254 | typeof bls12_381
type G1Point = InstanceType<Pairing['G1']['Point']>
type G2Point = InstanceType<Pairing['G2']['Point']>

export function bnG1(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(word(x), word(y))
}

export function bnG2(point: G2Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
}

export function blsG1(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(word(x, 64), word(y, 64))
}

export function blsG2(point: G2Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(word(x.c0, 64), word(x.c1, 64), word(y.c0, 64), word(y.c1, 64))
}

/** Points of the curves that are not in the groups of prime order. */
export const outsiders = {
  blsG1: (): Uint8Array => blsG1(outsider(bls12_381.G1.Point, 4n)),
  blsG2: (): Uint8Array => blsG2(outsider(bls12_381.G2.Point, 3n)),
  bnG2: (): Uint8Array => bnG2(outsider(bn254.G2.Point, 3n)),
}

interface Constructor<T, P> {
  readonly Fp: {
    readonly ONE: T
    add(a: T, b: T): T
    mul(a: T, b: T): T
    sqr(a: T): T
    sqrt(a: T): T
  }
  readonly CURVE: () => { b: T }
  fromAffine(point: { x: T; y: T }): P & { isTorsionFree(): boolean }
}

function outsider<T, P>(Point: unknown, skip: bigint): P {
  const { Fp, CURVE, fromAffine } = Point as Constructor<T, P>
  let x = Fp.ONE
  for (let tried = 0n; ; tried++) {
    x = Fp.add(x, Fp.ONE)
    try {
      const y = Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), CURVE().b))
      const point = fromAffine.call(Point, { x, y })
      if (tried >= skip && !point.isTorsionFree()) return point
    } catch {}
  }
}
