import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isBun } from './runtime.ts'

/** The function of the runtime that collects garbage, so that the heap can be measured. */
export function garbageCollector(): () => void {
  if (isBun) return () => (globalThis as unknown as { Bun: { gc(isSynchronous: boolean): void } }).Bun.gc(true)
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
