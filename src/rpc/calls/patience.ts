import type { ExecutionParts } from '../../chain/transition/executionInput.ts'
import type { Patience } from '../../evm/driver.ts'
import type { CallLimits } from '../backend.ts'

/** What is left of the time of a request, for its next run. */
export function patienceOf({ patience }: ExecutionParts, { signal, timeoutMs, deadline }: CallLimits): Patience {
  const { scheduler } = patience
  const left = deadline === undefined || scheduler === undefined ? timeoutMs : deadline - scheduler.clock.monotonic()
  return { ...patience, signal, deadlineMs: Math.max(Math.ceil(left), 0) }
}
