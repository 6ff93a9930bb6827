/**
 * Copies the database of a data directory into a new file without free pages: LMDB never makes its file smaller.
 * @module
 */
import { renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { type BackupRun, copyDatabase } from './backup.ts'
import {
  COMPACTION_FOLDER,
  createAndLock,
  DATABASE_FILE,
  DATABASE_LOCK_FILE,
  removeCompaction,
  requireDatabase,
} from './dataDirectory.ts'
import { LmdbSnapshot, type PageUsage } from './lmdbSnapshot.ts'
import { syncFolder } from './sync.ts'

/** Left free beside the copy. */
const SPARE_BYTES = 16 * 1024 * 1024

export interface Compaction {
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/**
 * The copy replaces the database by one rename, so a process that is killed leaves the old file or the new one.
 * @throws {NodeError} DIRECTORY_LOCKED, DISK_FULL, INVALID_OPTION, STORE_DAMAGED, STORE_FAILED; STOPPED after the signal
 */
export async function compactDatabase(directory: string, run: BackupRun): Promise<Compaction> {
  requireDatabase(directory)
  const lock = createAndLock(directory)
  const file = path.join(directory, DATABASE_FILE)
  try {
    removeCompaction(directory)
    const before = await pagesIn(directory)
    checkSpace(directory, before)
    const copy = path.join(directory, COMPACTION_FOLDER)
    await copyDatabase(directory, copy, run)
    requireDatabase(copy)
    const { entries } = await pagesIn(copy)
    if (entries !== before.entries) {
      const message = `the database ${file} is damaged: its copy has ${entries} of ${before.entries} keys`
      throw new NodeError({ code: 'STORE_DAMAGED', directory }, message)
    }
    const bytesBefore = statSync(file).size
    renameSync(path.join(copy, DATABASE_FILE), file)
    // The file of LMDB's locks belongs to the replaced database.
    rmSync(path.join(directory, DATABASE_LOCK_FILE), { force: true })
    syncFolder(path.dirname(file))
    return { bytesBefore, bytesAfter: statSync(file).size }
  } finally {
    removeCompaction(directory)
    lock.release()
  }
}

async function pagesIn(directory: string): Promise<PageUsage> {
  const snapshot = new LmdbSnapshot(path.dirname(path.join(directory, DATABASE_FILE)))
  try {
    return snapshot.pages
  } finally {
    await snapshot.close()
  }
}

/** @throws {NodeError} DISK_FULL */
function checkSpace(directory: string, { pageBytes, usedPages }: PageUsage): void {
  const { bavail, bsize } = statfsSync(directory)
  const needed = usedPages * pageBytes + SPARE_BYTES
  const free = bavail * bsize
  if (free >= needed) return
  const message = `the compaction needs ${megabytes(needed)} beside the database, ${directory} has ${megabytes(free)} free`
  throw new NodeError({ code: 'DISK_FULL', directory }, message)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
