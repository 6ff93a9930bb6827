/**
 * Replacement of precompiles by those of the host.
 * @module
 */
import { implementationOf, portable, setPrecompile } from './implementations.ts'
import { type InstallablePrecompile, isCorrect } from './knownValues.ts'
import { lookedUp, type RunPrecompile } from './runPrecompile.ts'

/**
 * Replaces an implementation for the whole process; without a candidate, restores the portable one. The candidate must
 * accept any input. It charges no gas, which is the caller's task.
 * @throws {Error} when it does not reproduce the known values
 */
export function installPrecompile(name: InstallablePrecompile, candidate: RunPrecompile = portable[name]): void {
  if (candidate !== portable[name] && !isCorrect(name, candidate)) {
    throw new Error(`the installed precompile ${name} gives a wrong result`)
  }
  setPrecompile(name, candidate)
}

/**
 * Replaces an implementation on the first call. The portable one stays when the candidate cannot be created or gives a
 * wrong result.
 */
export function deferPrecompile(name: InstallablePrecompile, create: () => RunPrecompile): void {
  const install = lookedUp(() => {
    setPrecompile(name, portable[name])
    try {
      installPrecompile(name, create())
    } catch {}
    return implementationOf(name)
  })
  setPrecompile(name, install)
}
