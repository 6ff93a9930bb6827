import process from 'node:process'

/**
 * The processor time of this process in milliseconds. Limits of work are measured with it, because other programs on
 * the machine do not affect it.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Long enough for the system to let other programs run in between. */
const CROWDING_MS = 50

/** @returns how much longer than alone a computation takes now, at least 1, because other programs use the processors */
export function crowding(): number {
  const [began, beganCpuMs] = [performance.now(), cpuTimeMs()]
  while (cpuTimeMs() - beganCpuMs < CROWDING_MS);
  return Math.max(1, (performance.now() - began) / (cpuTimeMs() - beganCpuMs))
}

const MEASUREMENTS = 3

/** The least processor time of several runs: a collection of garbage, or the compiler, may disturb some of them. */
export function leastCpuMs(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < MEASUREMENTS; i++) {
    const beganMs = cpuTimeMs()
    run()
    least = Math.min(least, cpuTimeMs() - beganMs)
  }
  return least
}
