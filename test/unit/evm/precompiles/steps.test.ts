import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWasmBlake2f } from '../../../../adapters/shared/wasmBlake2f.ts'
import { bytesToHexUnprefixed, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { forkRules } from '../../../../src/config/forks.ts'
import {
  installPrecompile,
  loadPrecompiles,
  type PrecompileName,
  precompileAt,
} from '../../../../src/evm/precompiles/index.ts'
import { addressOf, blsG1, blsG2, bnG1, bnG2, expected, word } from './support.ts'

beforeAll(() => loadPrecompiles(forkRules('osaka')))

const bnPair = concatBytes(bnG1(bn254.G1.Point.BASE.multiply(6n)), bnG2(bn254.G2.Point.BASE.multiply(35n)))
const bnInverse = concatBytes(bnG1(bn254.G1.Point.BASE.multiply(210n).negate()), bnG2(bn254.G2.Point.BASE))
const g1 = blsG1(bls12_381.G1.Point.BASE.multiply(6n))
const g2 = blsG2(bls12_381.G2.Point.BASE.multiply(35n))
const blsInverse = concatBytes(blsG1(bls12_381.G1.Point.BASE.multiply(210n).negate()), blsG2(bls12_381.G2.Point.BASE))

const repeat = (count: number, bytes: Uint8Array): Uint8Array =>
  concatBytes(...new Array<Uint8Array>(count).fill(bytes))
const scalarAt = (i: number): bigint => 2n ** 255n - BigInt(i)
const products = (count: number, point: Uint8Array): Uint8Array =>
  concatBytes(...Array.from({ length: count }, (_, i) => concatBytes(point, word(scalarAt(i)))))
const oneProduct = (count: number, point: Uint8Array): Uint8Array => {
  const sum = Array.from({ length: count }, (_, i) => scalarAt(i)).reduce((a, b) => a + b)
  return concatBytes(point, word(sum % bls12_381.fields.Fr.ORDER))
}

function blake2fInput(rounds: number): Uint8Array {
  const input = new Uint8Array(213).map((_, i) => (7 * i) & 255)
  input.set(word(rounds, 4))
  input[212] = 1
  return input
}

function modexpInput(length: number, exponentLength: number): Uint8Array {
  const operand = new Uint8Array(length).fill(0xb7)
  const lengths = [word(length), word(exponentLength), word(length)]
  return concatBytes(
    ...lengths,
    operand.map((byte, i) => byte ^ i),
    new Uint8Array(exponentLength).fill(0x9d),
    operand,
  )
}

interface LongCall {
  readonly name: PrecompileName
  readonly label: string
  readonly input: Uint8Array
  /** A shorter call with the same output, for the other implementation. */
  readonly shorter?: Uint8Array
  readonly leastSteps: number
}

const bothBn = concatBytes(bnPair, bnInverse)
const bothBls = concatBytes(g1, g2, blsInverse)

const LONG: readonly LongCall[] = [
  { name: 'BN254_PAIRING', label: '34 pairs', input: repeat(17, bothBn), shorter: bothBn, leastSteps: 5 },
  { name: 'BN254_PAIRING', label: '17 pairs', input: repeat(17, bnPair), shorter: bnPair, leastSteps: 3 },
  { name: 'BLS12_PAIRING_CHECK', label: '18 pairs', input: repeat(9, bothBls), shorter: bothBls, leastSteps: 3 },
  {
    name: 'BLS12_PAIRING_CHECK',
    label: '9 pairs',
    input: repeat(9, concatBytes(g1, g2)),
    shorter: concatBytes(g1, g2),
    leastSteps: 2,
  },
  { name: 'BLS12_G1MSM', label: '65 points', input: products(65, g1), shorter: oneProduct(65, g1), leastSteps: 3 },
  { name: 'BLS12_G1MSM', label: '64 points', input: products(64, g1), shorter: oneProduct(64, g1), leastSteps: 2 },
  { name: 'BLS12_G2MSM', label: '33 points', input: products(33, g2), shorter: oneProduct(33, g2), leastSteps: 3 },
  { name: 'BLAKE2F', label: '20,003 rounds', input: blake2fInput(20_003), leastSteps: 5 },
  { name: 'BLAKE2F', label: '12 rounds', input: blake2fInput(12), leastSteps: 1 },
  { name: 'MODEXP', label: '1024 bytes', input: modexpInput(1024, 20), leastSteps: 10 },
  { name: 'MODEXP', label: '1024 bytes, short exponent', input: modexpInput(1024, 4), leastSteps: 4 },
  { name: 'MODEXP', label: '32 bytes, long exponent', input: modexpInput(32, 1000), leastSteps: 3 },
]

function callOf(name: PrecompileName, input: Uint8Array) {
  const precompile = precompileAt(addressOf(name), forkRules('osaka'))
  if (precompile === undefined) throw new Error(name)
  return { run: () => hexOf(precompile.run(input)), inSteps: () => precompile.inSteps(input) }
}

const hexOf = (output: Uint8Array | undefined): string | undefined => output && bytesToHexUnprefixed(output)

describe('a long call in steps', () => {
  it.each(LONG)('$name of $label', async ({ name, input, shorter = input, leastSteps }) => {
    const { run, inSteps } = callOf(name, input)
    const steps = inSteps()
    let count = 1
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count++
    expect(hexOf(step.value)).toBe((await expected(name, shorter))?.output)
    expect(run()).toBe(hexOf(step.value))
    expect(count).toBeGreaterThanOrEqual(leastSteps)
  })
})

describe.each([
  ['JavaScript', () => installPrecompile('BLAKE2F')],
  ['WebAssembly', () => installPrecompile('BLAKE2F', createWasmBlake2f())],
])('with BLAKE2F in %s, a paused call', (_, install) => {
  beforeAll(install)
  afterAll(() => installPrecompile('BLAKE2F'))

  it('does not disturb others', () => {
    const calls = LONG.map(({ name, input }) => callOf(name, input))
    const whole = calls.map(({ run }) => run())
    const steps = calls.map(({ inSteps }) => inSteps())
    const outputs = new Map<number, string | undefined>()
    for (let round = 0; outputs.size < calls.length; round++) {
      for (const [i, one] of steps.entries()) {
        if (outputs.has(i)) continue
        const { done, value } = one.next()
        if (done === true) outputs.set(i, hexOf(value))
        // A whole call of the same precompile begins and ends meanwhile.
        else if (round === 0) expect(calls[i]?.run()).toBe(whole[i])
      }
    }
    expect(calls.map((_call, i) => outputs.get(i))).toEqual(whole)
  })
})

it.each([
  ['BN254_PAIRING', repeat(8, bnPair), bnPair.map((byte, i) => (i === 3 ? byte ^ 1 : byte))],
  ['BLS12_PAIRING_CHECK', repeat(8, concatBytes(g1, g2)), repeat(3, g1)],
  ['BLS12_G1MSM', products(32, g1), concatBytes(word(1, 128), word(1))],
  ['BLS12_G2MSM', products(16, g2), concatBytes(word(1, 256), word(1))],
] as const)('%s fails in its second step', (name, valid, invalid) => {
  const { run, inSteps } = callOf(name, concatBytes(valid, invalid))
  const steps = inSteps()
  expect(steps.next().done).toBe(false)
  expect(steps.next()).toEqual({ done: true, value: undefined })
  expect(run()).toBeUndefined()
})
