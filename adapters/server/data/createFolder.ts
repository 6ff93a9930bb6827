import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Creates a folder and those above it, if they are absent. Node's recursive option never ends in a folder that cannot have
 * new ones, such as `/proc`.
 * @param mode of the new folders
 * @throws {Error} of the file system
 */
export function createFolder(folder: string, mode = 0o777): void {
  const missing: string[] = []
  for (let next = path.resolve(folder); !isFolder(next) && next !== path.dirname(next); next = path.dirname(next)) {
    missing.push(next)
  }
  for (const each of missing.reverse()) create(each, mode)
}

function create(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
}
