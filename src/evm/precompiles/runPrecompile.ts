/** A call in steps of a few milliseconds. Other calls may run between two steps; the input must not change until the end. */
export type PrecompileSteps = Generator<undefined, Uint8Array | undefined, undefined>

export interface RunPrecompile {
  /** @returns undefined when the call fails; otherwise the output, owned by the caller */
  (input: Uint8Array): Uint8Array | undefined
  /** The same call in steps. Absent: no input takes long. */
  readonly inSteps?: ((input: Uint8Array) => PrecompileSteps) | undefined
}

/** An implementation that can be interrupted. */
export function interruptible(inSteps: (input: Uint8Array) => PrecompileSteps): RunPrecompile {
  return Object.assign((input: Uint8Array) => finish(inSteps(input)), { inSteps })
}

/** Runs all steps at once. */
export function finish<R>(steps: Generator<undefined, R, undefined>): R {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** An implementation that is looked up at each call. */
export function lookedUp(get: () => RunPrecompile): RunPrecompile {
  return Object.assign((input: Uint8Array) => get()(input), { inSteps: (input: Uint8Array) => stepsOf(get(), input) })
}

/** The steps of a call; a single one if the implementation has none. */
export function stepsOf(run: RunPrecompile, input: Uint8Array): PrecompileSteps {
  return run.inSteps?.(input) ?? inOneStep(run, input)
}

// biome-ignore lint/correctness/useYield: the call is short
function* inOneStep(run: RunPrecompile, input: Uint8Array): PrecompileSteps {
  return run(input)
}
