import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'

/**
 * Writes a file that only its owner can read. It appears under its name once it is complete, so that a crash leaves no
 * partial file.
 */
export function writePrivateFile(location: string, text: string): void {
  const partial = `${location}.partial`
  rmSync(partial, { force: true })
  const descriptor = openSync(partial, 'wx', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(partial, location)
}
