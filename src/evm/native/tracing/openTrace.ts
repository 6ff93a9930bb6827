import type { ExecutionHooks } from '../../hooks.ts'
import { MessageTrace } from './messageTrace.ts'

/** A page loads the code of traces with the first message that has hooks (openTrace.page.ts). */
export function openTrace(hooks: ExecutionHooks): MessageTrace {
  return new MessageTrace(hooks)
}
