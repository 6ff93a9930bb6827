/** Options of tests that need the recorded data. They are apart from the others, because CI repeats what imports them. */
import type { TestOptions } from 'vitest'
import { conformancePath, setsFolder } from '../recorded/conformance.ts'
import { skippedIf } from './needs.ts'

/** Needs these files or folders of the recorded data. */
export function needsData(...files: readonly string[]): TestOptions {
  const absent = files.filter((file) => conformancePath(file) === undefined)
  return skippedIf(absent.length > 0, { absent: 'data', text: `no recorded ${absent.join(', ')}` })
}

/** Needs the public benchmark sets. */
export const needsSets: TestOptions = skippedIf(setsFolder() === undefined, {
  absent: 'data',
  text: 'no public benchmark sets, which ISONODE_SETS names',
})
