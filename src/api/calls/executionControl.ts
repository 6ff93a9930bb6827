import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { ExecutionControl } from '../../evm/driver.ts'
import type { CallLimits } from './contract.ts'

/** Control of the next execution of a request, with the remaining time. */
export function controlOf(
  { control: { scheduler, residency } }: ExecutionDeps,
  { signal, deadline, loads }: CallLimits,
): ExecutionControl {
  const remainingMs = deadline + (loads?.waitedMs ?? 0) - (scheduler?.clock.monotonic() ?? 0)
  return { scheduler, residency: loads ?? residency, signal, deadlineMs: Math.max(Math.ceil(remainingMs), 0) }
}
