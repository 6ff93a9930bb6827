/**
 * The file of `--fork-pack`.
 * @module
 */
import { constants } from 'node:fs'
import { access, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { FORK_PACK_WAIT_MS, MAX_FORK_PACK_BYTES } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { equalBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../src/base/primitives/errors.ts'
import { decodeForkPack, type ForkPack, invalidPack } from '../../../src/fork/forkPack.ts'
import { PackSource } from '../../../src/fork/packSource.ts'
import { systemClock } from '../../shared/systemPorts.ts'
import { createFolder } from './createFolder.ts'
import { type DirectoryLock, tryLockFile } from './directoryLock.ts'
import { syncFolder } from './sync.ts'

const LOCK_PAUSE_MS = 20

export interface ForkPackOptions {
  readonly file: string
  /** Only reads the file, which must exist. */
  readonly isOffline: boolean
  readonly logger: Logger
}

/** @throws {NodeError} FORK_PACK_INVALID, FORK_PACK_UNWRITABLE */
export async function openForkPack({ file, isOffline, logger }: ForkPackOptions): Promise<PackSource> {
  const location = path.resolve(file)
  const bytes = await readPack(location)
  if (bytes === undefined && isOffline)
    throw invalidPack(`in ${file} does not exist, and --fork-offline asks nobody else`)
  const pack = bytes && decodePack(file, bytes)
  if (isOffline) return new PackSource({ pack, save: undefined, logger })
  await checkFolder(location)
  return new PackSource({ pack, logger, save: (source) => savePack(location, bytes, source) })
}

/** Another process may have written the file meanwhile; its entries are kept. */
async function savePack(file: string, before: Uint8Array | undefined, source: PackSource): Promise<void> {
  const lock = await lockPack(file)
  try {
    const present = await readPack(file)
    if (present !== undefined && !(before !== undefined && equalBytes(before, present))) {
      source.merge(decodePack(file, present))
    }
    const bytes = source.encode()
    if (bytes !== undefined) await replaceFile(file, bytes)
  } finally {
    lock?.release()
  }
}

/**
 * The processes of a test suite end together. A lock is held for some milliseconds; one that is held for longer does not cost
 * this run its entries.
 */
async function lockPack(file: string): Promise<DirectoryLock | undefined> {
  const endMs = systemClock.monotonic() + FORK_PACK_WAIT_MS
  try {
    for (;;) {
      const lock = tryLockFile(`${file}.lock`)
      if (lock !== undefined || systemClock.monotonic() > endMs) return lock
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS))
    }
  } catch (error) {
    throw unwritable(file, error)
  }
}

async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  const partial = `${file}.${process.pid}.partial`
  try {
    const handle = await open(partial, 'w')
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(partial, file)
    syncFolder(path.dirname(file))
  } catch (error) {
    await rm(partial, { force: true })
    throw unwritable(file, error)
  }
}

/** @returns undefined when there is none */
async function readPack(file: string): Promise<Uint8Array | undefined> {
  try {
    const { size } = await stat(file)
    if (size > MAX_FORK_PACK_BYTES) throw invalidPack(`in ${file} has ${size} bytes, of at most ${MAX_FORK_PACK_BYTES}`)
    const bytes = await readFile(file)
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  } catch (error) {
    if (isNodeError(error)) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw invalidPack(`in ${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

function decodePack(file: string, bytes: Uint8Array): ForkPack {
  try {
    return decodeForkPack(bytes)
  } catch (error) {
    const reason = reasonOf(error)
    throw isNodeError(error) ? new NodeError(error.details, `${file}: ${reason}`, { cause: error }) : error
  }
}

/** A pack that cannot be written is an error at the start, not when the run is over. */
async function checkFolder(file: string): Promise<void> {
  const folder = path.dirname(file)
  try {
    createFolder(folder)
    await access(folder, constants.W_OK)
  } catch (error) {
    throw unwritable(file, error)
  }
}

function unwritable(file: string, error: unknown): NodeError {
  const message = `the pack of the fork cannot be written to ${file}: ${reasonOf(error)}`
  return new NodeError({ code: 'FORK_PACK_UNWRITABLE', file }, message, { cause: error })
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
