/**
 * The implementation of each precompile, which a host may replace.
 * @module
 */

import { LazyModule } from '../../base/primitives/lazyModule.ts'
import type { PrecompileName } from './addresses.ts'
import { ecrecover, identity, sha256 } from './basic.ts'
import type { InstallablePrecompile } from './knownValues.ts'
import { lookedUp, type RunPrecompile } from './runPrecompile.ts'
import { SELDOM, SELDOM_LIBRARIES } from './seldom.ts'

const bn254 = new LazyModule(async () => {
  const [{ BN254_P, createBn254 }, fields] = await Promise.all([
    import('./bn254.ts'),
    import('../../base/primitives/curves/fastFields.ts'),
  ])
  return createBn254(await fields.fastFields(BN254_P))
})
const bls12381Groups = new LazyModule(async () => {
  const [{ Bls12381Groups, P }, fields] = await Promise.all([
    import('./bls12381Groups.ts'),
    import('../../base/primitives/curves/fastFields.ts'),
  ])
  return new Bls12381Groups(await fields.fastFields(P))
})
const bls12381 = new LazyModule(async () => {
  const [{ createBls12381 }] = await Promise.all([import('./bls12381.ts'), bls12381Groups.load()])
  return createBls12381(bls12381Groups.get())
})
const kzg = new LazyModule(async () => {
  const [{ createKzg }] = await Promise.all([import('./kzg.ts'), bls12381Groups.load()])
  return createKzg(bls12381Groups.get())
})
const p256 = new LazyModule(async () => {
  const [{ createP256, P256_P }, fields] = await Promise.all([
    import('./p256.ts'),
    import('../../base/primitives/curves/fastFields.ts'),
  ])
  return createP256(await fields.fastFields(P256_P))
})

type Library = Pick<LazyModule<unknown>, 'load'>

const libraries: Readonly<Partial<Record<PrecompileName, Library>>> = {
  ...SELDOM_LIBRARIES,
  BN254_ADD: bn254,
  BN254_MUL: bn254,
  BN254_PAIRING: bn254,
  KZG_POINT_EVALUATION: kzg,
  BLS12_G1ADD: bls12381,
  BLS12_G1MSM: bls12381,
  BLS12_G2ADD: bls12381,
  BLS12_G2MSM: bls12381,
  BLS12_PAIRING_CHECK: bls12381,
  BLS12_MAP_FP_TO_G1: bls12381,
  BLS12_MAP_FP2_TO_G2: bls12381,
  P256VERIFY: p256,
}

/** Those that work everywhere. */
export const portable: Readonly<Record<PrecompileName, RunPrecompile>> = {
  ...SELDOM,
  ECREC: ecrecover,
  SHA256: sha256,
  ID: identity,
  BN254_ADD: (input) => bn254.get().BN254_ADD(input),
  BN254_MUL: (input) => bn254.get().BN254_MUL(input),
  BN254_PAIRING: lookedUp(() => bn254.get().BN254_PAIRING),
  KZG_POINT_EVALUATION: (input) => kzg.get()(input),
  BLS12_G1ADD: (input) => bls12381.get().BLS12_G1ADD(input),
  BLS12_G1MSM: lookedUp(() => bls12381.get().BLS12_G1MSM),
  BLS12_G2ADD: (input) => bls12381.get().BLS12_G2ADD(input),
  BLS12_G2MSM: lookedUp(() => bls12381.get().BLS12_G2MSM),
  BLS12_PAIRING_CHECK: lookedUp(() => bls12381.get().BLS12_PAIRING_CHECK),
  BLS12_MAP_FP_TO_G1: (input) => bls12381.get().BLS12_MAP_FP_TO_G1(input),
  BLS12_MAP_FP2_TO_G2: (input) => bls12381.get().BLS12_MAP_FP2_TO_G2(input),
  P256VERIFY: (input) => p256.get()(input),
}

const implementations: Record<PrecompileName, RunPrecompile> = { ...portable }

/** Replacements whose code is not loaded. */
const waiting = new Map<PrecompileName, LazyModule<RunPrecompile>>()

/** The implementation in use. A call throws `ModuleNotLoaded` when its library must be loaded first. */
export function implementationOf(name: PrecompileName): RunPrecompile {
  return implementations[name]
}

/** Replaces an implementation, which must be correct. */
export function setPrecompile(name: InstallablePrecompile, run: RunPrecompile): void {
  waiting.delete(name)
  implementations[name] = run
}

/** Loads the library of the precompile, if it has one. */
export async function loadPrecompile(name: PrecompileName): Promise<void> {
  await waiting.get(name)?.load()
  if (implementations[name] === portable[name]) await libraries[name]?.load()
}

/**
 * Replaces an implementation whose code is loaded by the first call. The portable one stays when the candidate cannot be
 * created or gives a wrong result.
 */
export function awaitPrecompile(name: InstallablePrecompile, load: () => Promise<RunPrecompile>): void {
  const candidate = new LazyModule(async () => {
    const [create, { isCorrect }] = await Promise.all([load().catch(() => portable[name]), import('./knownValues.ts')])
    const run = isCorrect(name, create) ? create : portable[name]
    if (waiting.get(name) === candidate) setPrecompile(name, run)
    return run
  })
  waiting.set(name, candidate)
  implementations[name] = lookedUp(() => candidate.get())
}
