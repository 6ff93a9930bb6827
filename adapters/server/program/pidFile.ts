/**
 * The file of `--pid-path`, by which scripts find the process.
 * @module
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { createFolder } from '../data/createFolder.ts'

/**
 * Writes the process id and a line end, atomically: a reader sees the whole file or the one before.
 * @returns a function that removes the file unless another process has replaced it; also runs on exit
 * @throws {NodeError} PID_FILE_UNWRITABLE
 */
export function writePidFile(file: string): () => void {
  const target = path.resolve(file)
  const text = `${process.pid}\n`
  const temporaryFile = `${target}.${process.pid}`
  try {
    createFolder(path.dirname(target))
    writeFileSync(temporaryFile, text)
    renameSync(temporaryFile, target)
  } catch (cause) {
    removeOwn(temporaryFile, text)
    const reason = (cause as Error).message
    throw new NodeError({ code: 'PID_FILE_UNWRITABLE' }, `cannot write the file of --pid-path: ${reason}`, { cause })
  }
  const remove = (): void => {
    process.removeListener('exit', remove)
    removeOwn(target, text)
  }
  process.once('exit', remove)
  return remove
}

function removeOwn(file: string, text: string): void {
  try {
    if (readFileSync(file, 'utf8') === text) rmSync(file)
  } catch {
    // The file or its directory has already been removed.
  }
}
