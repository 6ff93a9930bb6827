/**
 * Applies state overrides to a state that is thrown away afterwards.
 * @see execution-apis, eth_simulateV1
 * @module
 */
import type { ForkRules } from '../../config/forks.ts'
import { activePrecompiles } from '../../evm/precompiles/addresses.ts'
import { bytesToHex } from '../../primitives/bytes.ts'
import { NodeError } from '../../primitives/errors.ts'
import type { MutableState } from '../../state/contract.ts'
import type { AccountOverride } from './overrides.ts'

/** Where precompiles are: address in hex → address of the original in hex. */
export class PrecompileMoves {
  readonly #originals: Map<string, string>
  readonly #native: ReadonlySet<string>

  constructor(rules: ForkRules) {
    this.#native = new Set(activePrecompiles(rules).map(({ address }) => bytesToHex(address)))
    this.#originals = new Map([...this.#native].map((address) => [address, address]))
  }

  /** What runs at an address; undefined when no precompile does. */
  at(address: string): string | undefined {
    return this.#originals.get(address)
  }

  remove(address: string): void {
    this.#originals.delete(address)
  }

  put(address: string, original: string): void {
    this.#originals.set(address, original)
  }

  /** For the engine; undefined when every precompile is where it belongs. */
  get moved(): ReadonlyMap<string, string> | undefined {
    const moved = new Map([...this.#originals].filter(([address, original]) => address !== original))
    for (const address of this.#native) {
      // A key that no address equals: the precompile is nowhere.
      if (this.#originals.get(address) !== address && ![...moved.values()].includes(address)) {
        moved.set(`none:${address}`, address)
      }
    }
    return moved.size === 0 ? undefined : moved
  }
}

/**
 * @param precompiles moved and removed as the overrides say
 * @throws {NodeError} INVALID_OVERRIDE
 */
export function applyStateOverrides(
  state: MutableState,
  overrides: readonly AccountOverride[],
  precompiles: PrecompileMoves,
): void {
  const overridden = new Set(overrides.map((override) => bytesToHex(override.address)))
  const destinations = new Set<string>()
  state.beginTransaction()
  for (const override of overrides) {
    movePrecompile(override, precompiles, overridden, destinations)
    overrideAccount(state, override)
  }
  state.endTransaction({ selfDestructs: [], clearEmpty: false })
}

function movePrecompile(
  override: AccountOverride,
  precompiles: PrecompileMoves,
  overridden: ReadonlySet<string>,
  destinations: Set<string>,
): void {
  const address = bytesToHex(override.address)
  if (destinations.has(address)) throw invalid(`account ${address} has already been overridden by a precompile`)
  const original = precompiles.at(address)
  if (override.movePrecompileTo !== undefined) {
    const destination = bytesToHex(override.movePrecompileTo)
    if (original === undefined) throw invalid(`account ${address} is not a precompile`)
    if (overridden.has(destination)) throw invalid(`account ${destination} is already overridden`)
    precompiles.put(destination, original)
    destinations.add(destination)
  }
  // An overridden precompile is an account like any other.
  if (original !== undefined) precompiles.remove(address)
}

function overrideAccount(state: MutableState, override: AccountOverride): void {
  const { address } = override
  if (override.nonce !== undefined) state.setNonce(address, override.nonce)
  if (override.code !== undefined) state.setCode(address, override.code)
  if (override.balance !== undefined) state.setBalance(address, override.balance)
  if (override.state !== undefined) {
    state.clearStorage(address)
    for (const [slot, value] of override.state) state.setStorage(address, slot, value)
  }
  for (const [slot, value] of override.stateDiff ?? []) state.setStorage(address, slot, value)
}

function invalid(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_OVERRIDE' }, reason)
}
