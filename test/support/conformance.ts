import { existsSync } from 'node:fs'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '../..')
const recorded = path.resolve(repository, process.env['ISONODE_CONFORMANCE'] ?? '../shared/conformance')

/** The recorded data are there: without them, suites fall back to the part in `test/vectors` or skip. */
export const hasRecordedData: boolean = existsSync(recorded)

const root = hasRecordedData ? recorded : path.join(repository, 'test/vectors')

/** Path of a file or folder of the recorded data; undefined when it is absent. */
export function conformancePath(...parts: string[]): string | undefined {
  const found = path.join(root, ...parts)
  return existsSync(found) ? found : undefined
}
