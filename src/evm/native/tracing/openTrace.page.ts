import { LazyModule } from '../../../base/primitives/lazyModule.ts'
import type { ExecutionHooks } from '../../hooks.ts'
import type { MessageTrace } from './messageTrace.ts'

const traces = new LazyModule(() => import('./messageTrace.ts'))

/** @throws {ModuleNotLoaded} */
export function openTrace(hooks: ExecutionHooks): MessageTrace {
  const { MessageTrace } = traces.get()
  return new MessageTrace(hooks)
}
