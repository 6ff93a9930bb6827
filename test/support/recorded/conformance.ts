import { existsSync } from 'node:fs'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '../../..')
const recorded = path.resolve(repository, process.env['ISONODE_CONFORMANCE'] ?? '../shared/conformance')

/** Whether the recorded data exist: without them, suites use the part in `test/vectors` or are skipped. */
export const hasRecordedData: boolean = existsSync(recorded)

const root = hasRecordedData ? recorded : path.join(repository, 'test/vectors')

/** Path of a file or folder of the recorded data; undefined when it is absent. */
export function conformancePath(...parts: string[]): string | undefined {
  const found = path.join(root, ...parts)
  return existsSync(found) ? found : undefined
}
