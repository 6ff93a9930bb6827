/**
 * Whether a build is up to date, for the tests: a build takes longer than most of them.
 * @module
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const FILES = ['mod.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json']
const FOLDERS = ['src', 'adapters']

/** In the folder of the build: the hash of the files that it was made from. */
const INPUTS = 'inputs.txt'

/** @returns a hash of the names and contents of all files that a build may read, except those of packages */
export function hashOfInputs(root) {
  const hash = createHash('sha256')
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
  )
  for (const file of [...FILES, ...inFolders].sort()) {
    hash.update(`\0${file}\0`).update(
      createHash('sha256')
        .update(readFileSync(path.join(root, file)))
        .digest(),
    )
  }
  return hash.digest('hex')
}

export const inputsFile = (dist) => path.join(dist, INPUTS)

/** Whether the program in `dist` was built from the present files. */
export function isBuilt(root, dist) {
  const file = inputsFile(dist)
  return existsSync(file) && readFileSync(file, 'utf8') === hashOfInputs(root)
}
