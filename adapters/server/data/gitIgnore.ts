/**
 * Keeps the default folder of the data, which has keys, out of the version control of the project around it.
 * @module
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'

/** Makes git ignore a folder and everything in it. A present `.gitignore` stays as it is. */
export function ignoreInGit(folder: string): void {
  try {
    writeFileSync(path.join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // It exists, or the folder belongs to somebody else: the node runs without it.
  }
}
