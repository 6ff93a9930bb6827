import { vi } from 'vitest'

/** A condition on a machine that runs other programs may take far longer than vitest's default of one second. */
const LIMIT_MS = 20_000

/** Repeats a check until it passes, and fails with its last error. */
export function eventually<T>(check: () => T | Promise<T>, intervalMs = 20): Promise<T> {
  return vi.waitFor(check, { timeout: LIMIT_MS, interval: intervalMs })
}
