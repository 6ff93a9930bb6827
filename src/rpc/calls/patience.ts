import type { ExecutionParts } from '../../chain/transition/executionInput.ts'
import type { Patience } from '../../evm/driver.ts'
import type { CallLimits } from '../backend.ts'

/** What is left of the time of a request, for its next run. */
export function patienceOf({ patience }: ExecutionParts, { signal, timeoutMs, deadline }: CallLimits): Patience {
  const { scheduler, residency } = patience
  const left = deadline === undefined || scheduler === undefined ? timeoutMs : deadline - scheduler.clock.monotonic()
  return { scheduler, residency, signal, deadlineMs: Math.max(Math.ceil(left), 0) }
}
