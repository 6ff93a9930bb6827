import process from 'node:process'

/**
 * The processor time of this process in milliseconds. Limits of work are measured with it, because other programs on
 * the machine do not affect it.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
