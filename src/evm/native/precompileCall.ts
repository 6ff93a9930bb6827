import type { Precompile } from '../precompiles/index.ts'
import type { PrecompileSteps } from '../precompiles/runPrecompile.ts'
import type { SliceBudget } from './sliceBudget.ts'

export type PrecompileOutcome =
  | { readonly output: Uint8Array; readonly gasLeft: bigint }
  | { readonly halt: 'INSUFFICIENT_GAS' | 'PRECOMPILE_ERROR' }

/** Calls that cost less end within a few milliseconds. */
const LONG_CALL_GAS = 100_000n

/** Time for which a step is worth starting. */
const STEP_MS = 2

/** The slice is over before the call of a precompile has ended. Nothing has changed: repeat the call in the next slice. */
export class PrecompilePaused extends Error {
  override readonly name = 'PrecompilePaused'

  constructor() {
    super('the call of a precompile is paused')
  }
}

/** The calls of precompiles by one message. A paused one is repeated before the message does anything else. */
export class PrecompileCalls {
  readonly #budget: SliceBudget
  #paused: PrecompileSteps | undefined

  constructor(budget: SliceBudget) {
    this.#budget = budget
  }

  /**
   * Runs a precompile; a failure consumes all gas.
   * @throws {ModuleNotLoaded, PrecompilePaused} without side effects
   */
  run(precompile: Precompile, input: Uint8Array, gas: bigint): PrecompileOutcome {
    const cost = precompile.gasCost(input)
    if (cost > gas) return { halt: 'INSUFFICIENT_GAS' }
    const output = cost < LONG_CALL_GAS ? precompile.run(input) : this.#runInSteps(precompile, input)
    return output === undefined ? { halt: 'PRECOMPILE_ERROR' } : { output, gasLeft: gas - cost }
  }

  #runInSteps(precompile: Precompile, input: Uint8Array): Uint8Array | undefined {
    const isNew = this.#paused === undefined
    const steps = this.#paused ?? precompile.inSteps(input)
    // Many messages may start at once, each with a short slice.
    if (isNew && this.#budget.isOver(STEP_MS)) this.#pause(steps)
    this.#paused = undefined
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value
      if (this.#budget.isOver()) this.#pause(steps)
    }
  }

  #pause(steps: PrecompileSteps): never {
    this.#paused = steps
    throw new PrecompilePaused()
  }
}
