/**
 * Precompiled contracts: where they are, what they cost, what they do.
 *
 * `run` is synchronous. The curves and KZG are large and most chains never need them, so that start-up does not pay for
 * them: the first call of such a precompile throws `PrecompileNotLoaded`, and the engine awaits the error's `load()` and
 * calls again. An engine that would rather not pause awaits `loadPrecompiles(rules)` once beforehand.
 * @module
 */
import type { ForkRules } from '../../config/forks.ts'
import { activePrecompiles, LAST_PRECOMPILE_NUMBER, type PrecompileName, precompileNumber } from './addresses.ts'
import { type GasCost, gasCostOf } from './gas.ts'
import { loadPrecompile, runPrecompile } from './implementations.ts'
import { isWithinModexpBounds, modexpLengths } from './modexpGas.ts'

export { activePrecompiles, type NamedPrecompile, type PrecompileName } from './addresses.ts'
export { type InstallablePrecompile, installPrecompile, type RunPrecompile } from './implementations.ts'
export { PrecompileNotLoaded } from './lazy.ts'

export interface Precompile {
  readonly name: PrecompileName
  /** To be charged before it runs, also when the input is malformed. */
  gasCost(input: Uint8Array): bigint
  /**
   * The output belongs to the caller; the input is neither kept nor changed.
   * @returns undefined when the call fails, which uses up all its gas
   * @throws {PrecompileNotLoaded} nothing has happened: await its `load()` and call again
   */
  run(input: Uint8Array): Uint8Array | undefined
}

interface Active {
  readonly addresses: readonly Uint8Array[]
  /** by the address as a number */
  readonly byNumber: readonly (Precompile | undefined)[]
}

const resolved = new WeakMap<ForkRules, Active>()

/**
 * What runs at an address.
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

/** Loads whatever the precompiles of a fork need, so that none of them throws `PrecompileNotLoaded`. */
export async function loadPrecompiles(rules: ForkRules): Promise<void> {
  await Promise.all(activePrecompiles(rules).map(({ name }) => loadPrecompile(name)))
}

function activeOf(rules: ForkRules): Active {
  let active = resolved.get(rules)
  if (active === undefined) {
    const named = activePrecompiles(rules)
    const byNumber = new Array<Precompile | undefined>(LAST_PRECOMPILE_NUMBER + 1).fill(undefined)
    for (const { name, number } of named) byNumber[number] = precompileOf(name, rules)
    active = { addresses: named.map(({ address }) => address), byNumber }
    resolved.set(rules, active)
  }
  return active
}

function precompileOf(name: PrecompileName, { eips }: ForkRules): Precompile {
  const gasCost: GasCost = gasCostOf(name, eips)
  if (name === 'MODEXP' && eips.has(7823)) return { name, gasCost, run: runBoundedModexp }
  return { name, gasCost, run: (input) => runPrecompile(name, input) }
}

function runBoundedModexp(input: Uint8Array): Uint8Array | undefined {
  return isWithinModexpBounds(modexpLengths(input)) ? runPrecompile('MODEXP', input) : undefined
}
