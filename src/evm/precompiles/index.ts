/**
 * Precompiled contracts: addresses, gas costs and implementations.
 *
 * `run` is synchronous. The curves and KZG are large, and most chains never need them, so they are not loaded at
 * start-up. Instead, the first call of such a precompile throws `ModuleNotLoaded`; the EVM awaits the error's
 * `load()` and repeats the call. An EVM that cannot pause there awaits `loadPrecompiles(rules)` once beforehand.
 *
 * A call may take seconds. `inSteps` divides it, so that other work can run between two steps.
 * @module
 */
import type { ForkRules } from '../../config/forks.ts'
import { activePrecompiles, LAST_PRECOMPILE_NUMBER, type PrecompileName, precompileNumber } from './addresses.ts'
import { gasCostOf } from './gas.ts'
import { implementationOf, loadPrecompile } from './implementations.ts'
import { isWithinModexpBounds, modexpLengths } from './modexpGas.ts'
import { type PrecompileSteps, type RunPrecompile, stepsOf } from './runPrecompile.ts'

export { activePrecompiles, type PrecompileName } from './addresses.ts'
export { awaitPrecompile } from './implementations.ts'
export { installPrecompile } from './install.ts'

export interface Precompile {
  readonly name: PrecompileName
  /** Must be charged before the precompile runs, even for malformed input. */
  gasCost(input: Uint8Array): bigint
  /**
   * The caller owns the output; the input is neither retained nor changed.
   * @returns undefined when the call fails, which consumes all its gas
   * @throws {ModuleNotLoaded} without side effects: await its `load()` and call again
   */
  run(input: Uint8Array): Uint8Array | undefined
  /** Like `run`, in steps of a few milliseconds, for input that must not change until the end. */
  inSteps(input: Uint8Array): PrecompileSteps
}

interface Active {
  readonly addresses: readonly Uint8Array[]
  /** indexed by address as a number */
  readonly byNumber: readonly (Precompile | undefined)[]
}

const resolved = new WeakMap<ForkRules, Active>()

/**
 * The precompile at an address.
 * @param address 20 bytes
 */
export function precompileAt(address: Uint8Array, rules: ForkRules): Precompile | undefined {
  const number = precompileNumber(address)
  return number === undefined ? undefined : activeOf(rules).byNumber[number]
}

/** Addresses of a fork's precompiles, 20 bytes each, ascending. */
export function precompileAddresses(rules: ForkRules): readonly Uint8Array[] {
  return activeOf(rules).addresses
}

/** Loads everything that a fork's precompiles need, so that none of them throws `ModuleNotLoaded`. */
export async function loadPrecompiles(rules: ForkRules): Promise<void> {
  await Promise.all(activePrecompiles(rules).map(({ name }) => loadPrecompile(name)))
}

function activeOf(rules: ForkRules): Active {
  let active = resolved.get(rules)
  if (active === undefined) {
    const activeNames = activePrecompiles(rules)
    const byNumber = new Array<Precompile | undefined>(LAST_PRECOMPILE_NUMBER + 1).fill(undefined)
    for (const { name, number } of activeNames) byNumber[number] = precompileOf(name, rules)
    active = { addresses: activeNames.map(({ address }) => address), byNumber }
    resolved.set(rules, active)
  }
  return active
}

function precompileOf(name: PrecompileName, { eips }: ForkRules): Precompile {
  const isBounded = name === 'MODEXP' && eips.has(7823)
  const implementationFor = (input: Uint8Array): RunPrecompile =>
    isBounded && !isWithinModexpBounds(modexpLengths(input)) ? refuse : implementationOf(name)
  return {
    name,
    gasCost: gasCostOf(name, eips),
    run: (input) => implementationFor(input)(input),
    inSteps: (input) => stepsOf(implementationFor(input), input),
  }
}

const refuse: RunPrecompile = () => undefined
