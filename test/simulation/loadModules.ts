const MAX_RUNS = 200

/**
 * Nodes load some modules when they first need them, in real time, for which virtual time does not wait: on a busy machine a
 * run may be over before. It is repeated until it succeeds.
 */
export async function loadModules(run: () => Promise<{ readonly problem: string | undefined }>): Promise<void> {
  for (let i = 0; i < MAX_RUNS; i++) if ((await run()).problem === undefined) return
  throw new Error('the modules of the simulated nodes were not loaded')
}
