import type { NodeOptions } from '../config/options.ts'
import { checkAvailability, checkDevChain } from './devRules.ts'

export { isIdle, runsDevChain } from './devRules.ts'

/** The rules between the options that a page can set. */
export function checkRules(options: NodeOptions, given: ReadonlySet<string>, isDev: boolean): void {
  if (!isDev) checkAvailability(given)
  checkDevChain(options, given)
}
