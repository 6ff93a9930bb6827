import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Syncs the content of a file. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Syncs a directory, so that the rename survives a power failure. Best effort: the content is on disk either way. */
export function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Not every file system supports this.
  }
}
