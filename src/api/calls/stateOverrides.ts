/**
 * Applies state overrides to a temporary state.
 * @see execution-apis, eth_simulateV1
 * @module
 */

import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { AbortState } from '../../evm/driver.ts'
import { executionAborted } from '../../evm/errors.ts'
import { activePrecompiles } from '../../evm/precompiles/addresses.ts'
import type { MutableState } from '../../state/contract.ts'
import type { AccountOverride } from './overrides.ts'

/** Current locations of precompiles: address in hex → original address in hex. */
export class PrecompileMoves {
  readonly #originals: Map<string, string>
  readonly #native: ReadonlySet<string>

  constructor(rules: ForkRules) {
    this.#native = new Set(activePrecompiles(rules).map(({ address }) => bytesToHex(address)))
    this.#originals = new Map([...this.#native].map((address) => [address, address]))
  }

  /** The precompile at an address; undefined when there is none. */
  at(address: string): string | undefined {
    return this.#originals.get(address)
  }

  remove(address: string): void {
    this.#originals.delete(address)
  }

  put(address: string, original: string): void {
    this.#originals.set(address, original)
  }

  /** Moves for the EVM; undefined when every precompile is at its original address. */
  get moved(): ReadonlyMap<string, string> | undefined {
    const moved = new Map([...this.#originals].filter(([address, original]) => address !== original))
    for (const address of this.#native) {
      // The empty key equals no address: the precompile is unreachable.
      if (this.#originals.get(address) !== address && ![...moved.values()].includes(address)) {
        moved.set(`none:${address}`, address)
      }
    }
    return moved.size === 0 ? undefined : moved
  }
}

/** Number of accounts and slots that are written without a yield. */
const MAX_EAGER_WRITES = 512
/** Number of writes between two checks of the clock. */
const STEPS_PER_CHECK = 64

/** When to yield, and when to abort. */
export interface OverridePacing {
  readonly slicer: TimeSlicer | undefined
  readonly signal: AbortState | undefined
}

/**
 * Synchronous for up to 512 accounts and slots; more are written in time slices.
 * @param precompiles moved and removed according to the overrides
 * @throws {NodeError} INVALID_OVERRIDE, INVALID_PARAMS; EXECUTION_ABORTED
 */
export function applyStateOverrides(
  state: MutableState,
  overrides: readonly AccountOverride[],
  precompiles: PrecompileMoves,
  pacing: () => OverridePacing,
): MaybePromise<void> {
  const steps = overrideSteps(state, overrides, precompiles)
  if (!areMany(overrides)) {
    while (steps.next().done !== true);
    return
  }
  return runInSlices(steps, pacing())
}

function areMany(overrides: readonly AccountOverride[]): boolean {
  const slots = overrides.reduce(
    (sum, { state, stateDiff }) => sum + (state?.length ?? 0) + (stateDiff?.length ?? 0),
    0,
  )
  return overrides.length + slots > MAX_EAGER_WRITES
}

async function runInSlices(steps: Iterator<void, void>, { slicer, signal }: OverridePacing): Promise<void> {
  for (let writes = 1; steps.next().done !== true; writes++) {
    if (writes % STEPS_PER_CHECK !== 0 || slicer?.isDue !== true) continue
    await slicer.yield()
    if (signal?.aborted === true) throw executionAborted(signal.reason)
  }
}

/** Yields after each account and each slot. */
function* overrideSteps(
  state: MutableState,
  overrides: readonly AccountOverride[],
  precompiles: PrecompileMoves,
): Generator<void, void, undefined> {
  const overridden = new Set(overrides.map((override) => bytesToHex(override.address)))
  const destinations = new Set<string>()
  state.beginTransaction()
  for (const override of overrides) {
    movePrecompile(override, precompiles, overridden, destinations)
    yield* overrideAccount(state, override)
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
  // An overridden precompile becomes an ordinary account.
  if (original !== undefined) precompiles.remove(address)
}

function* overrideAccount(state: MutableState, override: AccountOverride): Generator<void, void, undefined> {
  const { address } = override
  if (override.nonce !== undefined) state.setNonce(address, override.nonce)
  if (override.code !== undefined) state.setCode(address, override.code)
  if (override.balance !== undefined) state.setBalance(address, override.balance)
  if (override.state !== undefined) {
    state.clearStorage(address)
  }
  for (const [slot, value] of override.state ?? override.stateDiff ?? []) {
    state.setStorage(address, slot, value)
    yield
  }
  yield
}

function invalid(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_OVERRIDE' }, reason)
}
