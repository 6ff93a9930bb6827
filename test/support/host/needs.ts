/**
 * Options of `describe` and `it` for tests that cannot run everywhere. They are skipped with a reason, which the end of the
 * run lists (see `skipReport.ts`).
 */
import type { TestOptions } from 'vitest'
import { isBun, isDeno, isNode } from './runtime.ts'

/** Resources whose absence skips a test. */
export interface SkipReason {
  readonly absent: 'data' | 'tool' | 'host'
  readonly text: string
}

declare module 'vitest' {
  interface TaskMeta {
    skipReason?: SkipReason
  }
}

export const skippedIf = (isAbsent: boolean, reason: SkipReason): TestOptions =>
  isAbsent ? { skip: true, meta: { skipReason: reason } } : {}

/** @param found where the program is, or whether it is installed */
export function needsTool(name: string, found: string | boolean | undefined): TestOptions {
  return skippedIf(found === undefined || found === false, { absent: 'tool', text: `${name} is not installed` })
}

/** @param isPossible whether this machine and runtime can do it; @param text why it cannot */
export function needsHost(isPossible: boolean, text: string): TestOptions {
  return skippedIf(!isPossible, { absent: 'host', text })
}

export const onlyOnNode: TestOptions = needsHost(isNode, 'only on Node')
export const notOnBun: TestOptions = needsHost(!isBun, 'not on Bun')
export const notOnDeno: TestOptions = needsHost(!isDeno, 'not on Deno')
