import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { ExecutionControl } from '../../evm/driver.ts'
import type { CallLimits } from './contract.ts'

/** Control of the next execution of a request, with the remaining time. */
export function controlOf({ control }: ExecutionDeps, { signal, timeoutMs, deadline }: CallLimits): ExecutionControl {
  const { scheduler, residency } = control
  const remainingMs =
    deadline === undefined || scheduler === undefined ? timeoutMs : deadline - scheduler.clock.monotonic()
  return { scheduler, residency, signal, deadlineMs: Math.max(Math.ceil(remainingMs), 0) }
}
