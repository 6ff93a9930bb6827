import type { LogTexts } from './logTexts.ts'

/** A page keeps no texts: it has one client. */
export function textsOf(): LogTexts | undefined {
  return undefined
}
