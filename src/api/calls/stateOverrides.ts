/**
 * Applies state overrides to a state that is thrown away afterwards.
 * @see execution-apis, eth_simulateV1
 * @module
 */
import type { ForkRules } from '../../config/forks.ts'
import type { AbortState } from '../../evm/driver.ts'
import { executionAborted } from '../../evm/errors.ts'
import { activePrecompiles } from '../../evm/precompiles/addresses.ts'
import type { TimeSlicer } from '../../ports/yieldToHost.ts'
import { bytesToHex } from '../../primitives/bytes.ts'
import { NodeError } from '../../primitives/errors.ts'
import type { MaybePromise } from '../../primitives/maybePromise.ts'
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

/** Accounts and slots that are written in one go. */
const WRITES_AT_ONCE = 512
/** Writes between two looks at the clock. */
const STEPS_PER_CHECK = 64

/** How long work gives way to other work, and when it ends. */
export interface OverridePacing {
  readonly slicer: TimeSlicer | undefined
  readonly signal: AbortState | undefined
}

/**
 * Synchronous for up to 512 accounts and slots; more are written in time slices.
 * @param precompiles moved and removed as the overrides say
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
  return overrides.length + slots > WRITES_AT_ONCE
}

async function runInSlices(steps: Iterator<void, void>, { slicer, signal }: OverridePacing): Promise<void> {
  for (let writes = 1; steps.next().done !== true; writes++) {
    if (writes % STEPS_PER_CHECK !== 0 || slicer?.isDue !== true) continue
    await slicer.yield()
    if (signal?.aborted === true) throw executionAborted(signal.reason)
  }
}

/** Pauses after each account and each slot. */
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
  // An overridden precompile is an account like any other.
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
