/** Finds the recorded data and the specification: beside the clone, or else their part in `test/vectors`. */
import { existsSync } from 'node:fs'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '../../..')
const vectors = path.join(repository, 'test/vectors')
const recorded = path.resolve(repository, process.env['ISONODE_CONFORMANCE'] ?? '../shared/conformance')

/** Whether all recorded data are here, and not only the part in `test/vectors`. */
export const hasRecordedData: boolean = existsSync(recorded)

/**
 * Path of a file or folder of the recorded data.
 * @returns undefined when it is absent
 * @throws {RangeError} for a path that leaves the recorded data
 */
export function conformancePath(...parts: string[]): string | undefined {
  return firstPath([recorded, vectors], parts)
}

/**
 * Path of a file or folder of the recorded data that is also in `test/vectors`.
 * @throws {Error} when it is absent
 */
export function recordedPath(...parts: string[]): string {
  return required(conformancePath(...parts), parts)
}

/**
 * Path of a file of the specification of the methods.
 * @throws {Error} when it is absent
 */
export function specificationPath(...parts: string[]): string {
  return required(firstPath([path.join(recorded, '../spec'), path.join(vectors, 'spec')], parts), parts)
}

/** @returns the folder of the public benchmark sets, which `ISONODE_SETS` names; undefined when it is absent */
export function setsFolder(): string | undefined {
  const folder = path.resolve(repository, process.env['ISONODE_SETS'] ?? '../shared/bench/sets')
  return existsSync(folder) ? folder : undefined
}

function firstPath(roots: readonly string[], parts: readonly string[]): string | undefined {
  if (parts.some((part) => path.isAbsolute(part) || part.split(/[\\/]/).includes('..')))
    throw new RangeError(`expected a path inside the recorded data, got ${path.join(...parts)}`)
  return roots.map((root) => path.join(root, ...parts)).find(existsSync)
}

function required(found: string | undefined, parts: readonly string[]): string {
  if (found === undefined) throw new Error(`${path.join(...parts)}: neither recorded nor in test/vectors`)
  return found
}
