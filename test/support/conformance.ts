import { existsSync } from 'node:fs'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '../..')
const root = path.resolve(repository, process.env['ISONODE_CONFORMANCE'] ?? '../shared/conformance')

/** Path of a file or folder of the recorded data; undefined when that is not there. */
export function conformancePath(...parts: string[]): string | undefined {
  const found = path.join(root, ...parts)
  return existsSync(found) ? found : undefined
}
