/**
 * Files of allowlists on disk.
 * @module
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { PermissionFiles } from '../../../src/base/ports/permissionFiles.ts'
import { syncFolder } from './sync.ts'

export const PERMISSIONS_FILE = 'permissions_config.toml'

/** @param directory absolute path of the folder with the default file */
export function permissionFiles(directory: string): PermissionFiles {
  return {
    resolve: (name) => (name === undefined ? path.join(directory, PERMISSIONS_FILE) : path.resolve(name)),
    read: (file) => {
      try {
        return readFileSync(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        throw new Error(`Configuration file does not exist: ${file}`, { cause: error })
      }
    },
    replace: replaceFile,
  }
}

/** Writes a new file next to the old one, which it then replaces. A symbolic link remains one. */
function replaceFile(file: string, text: string): void {
  const target = realpathSync(file)
  const draft = `${target}.new`
  const { mode } = statSync(target)
  try {
    const descriptor = openSync(draft, 'w', mode)
    try {
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(path.dirname(target))
}
