/**
 * Backups of data directories. A backup is a folder with the same files, and a record of their sizes and hashes. It is
 * consistent although a node uses the directory: LMDB copies the state of its last commit.
 * @module
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ShowProgress } from '../../../src/base/ports/progress.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../src/base/primitives/errors.ts'
import { BlockStore } from '../../../src/chain/blockStore.ts'
import { VERSION } from '../../../src/node/version.ts'
import { readFormat } from '../../../src/storage/metadata.ts'
import { keys, SCHEMA_VERSION } from '../../../src/storage/schema.ts'
import { ENCLAVE_FOLDER, ENCLAVE_KEY_FILE } from '../enclave/keys.ts'
import { STATIC_NODES_FILE } from '../net/staticNodesFile.ts'
import { createFolder } from './createFolder.ts'
import {
  checkDatabase,
  createAndLock,
  DATABASE_FILE,
  DATABASE_LOCK_FILE,
  makePrivate,
  openReader,
} from './dataDirectory.ts'
import { KEY_FILE, MIRROR_KEY_FILE } from './nodeKey.ts'
import { PERMISSIONS_FILE } from './permissionFiles.ts'
import { writePrivateFile } from './privateFile.ts'
import { syncFile, syncFolder } from './sync.ts'

const RECORD_FILE = 'backup.json'
const RECORD_VERSION = 1
const PARTIAL = '.partial'
const READ_BYTES = 1024 * 1024
const SHOW_INTERVAL_MS = 200

/** Folders with a database: the node's, then the enclave's, which has the payloads of all markers that the node has. */
const DATABASE_FOLDERS = ['', ENCLAVE_FOLDER]
const LISTS: readonly string[] = [PERMISSIONS_FILE, STATIC_NODES_FILE]
const KEYS: readonly string[] = [KEY_FILE, MIRROR_KEY_FILE, path.join(ENCLAVE_FOLDER, ENCLAVE_KEY_FILE)]
const DATABASES: readonly string[] = DATABASE_FOLDERS.map((folder) => path.join(folder, DATABASE_FILE))

interface BackupFile {
  /** Path in the folder. */
  readonly name: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** The content of `backup.json`. */
export interface BackupRecord {
  /** Version of the record's form. */
  readonly backup: number
  /** Version of the program. */
  readonly version: string
  /** ISO 8601. */
  readonly created: string
  readonly databaseFormat: number
  readonly genesisHash: string
  /** undefined: the database has an older format */
  readonly headNumber?: number | undefined
  readonly headHash: string
  readonly files: readonly BackupFile[]
}

export interface BackupRun {
  readonly showProgress: ShowProgress
  /** Aborts the work; LMDB's copy of a database ends first. */
  readonly signal: AbortSignal
}

/**
 * Copies a data directory, which a node may use meanwhile. Nothing is left when it fails.
 * @param to new folder, or an empty one
 * @param withKeys whether private keys are copied
 * @throws {NodeError} INVALID_OPTION, DISK_FULL, STORE_FAILED, STORE_DAMAGED, FORMAT_TOO_NEW; STOPPED after the signal
 */
export async function backUp(directory: string, to: string, withKeys: boolean, run: BackupRun): Promise<BackupRecord> {
  const target = path.resolve(to)
  checkTarget(directory, target)
  const partial = `${target}${PARTIAL}`
  createPartial(partial)
  try {
    const small = (withKeys ? [...KEYS, ...LISTS] : LISTS).filter((name) => existsSync(path.join(directory, name)))
    for (const folder of DATABASE_FOLDERS) {
      if (!existsSync(path.join(directory, folder, DATABASE_FILE))) continue
      await copyDatabase(path.join(directory, folder), path.join(partial, folder), run)
    }
    for (const name of small) copySmall(path.join(directory, name), path.join(partial, name))
    const names = [...DATABASES, ...small].filter((name) => existsSync(path.join(partial, name)))
    const record = { ...(await describeChain(partial)), files: await describeFiles(partial, names, run) }
    writePrivateFile(path.join(partial, RECORD_FILE), `${JSON.stringify(record, undefined, 2)}\n`)
    for (const folder of DATABASE_FOLDERS) syncFolder(path.join(partial, folder))
    if (existsSync(target)) rmSync(target, { recursive: true })
    renameSync(partial, target)
    syncFolder(path.dirname(target))
    return record
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw fileError(error, to)
  }
}

/**
 * Copies a backup into a data directory without a chain. Every file is compared with its hash before one is put in
 * place; lists and keys that the directory has must be the same.
 * @throws {NodeError} INVALID_OPTION, STORE_DAMAGED, DIRECTORY_LOCKED, DIRECTORY_UNUSABLE, DISK_FULL; STOPPED after
 *   the signal
 */
export async function restore(from: string, directory: string, run: BackupRun): Promise<BackupRecord> {
  const record = readRecord(from)
  if (existsSync(path.join(directory, DATABASE_FILE))) {
    throw invalid(`${directory} has a chain already: name another --data-path, or remove its folder database`)
  }
  const lock = createAndLock(directory)
  const partials: string[] = []
  try {
    const missing = record.files.filter(({ name }) => !isPresent(from, directory, name))
    const total = missing.reduce((sum, { bytes }) => sum + bytes, 0)
    let before = 0
    for (const file of missing) {
      const partial = path.join(directory, `${file.name}${PARTIAL}`)
      makePrivate(path.dirname(partial))
      partials.push(partial)
      const show = progressOf('restoring the backup', total, before, run)
      const sha256 = await readHashed(path.join(from, file.name), { copy: partial, show, signal: run.signal })
      if (sha256 !== file.sha256) throw damaged(from, `${file.name} has another content`)
      syncFile(partial)
      before += file.bytes
    }
    // The database of the node comes last: without it, the directory has no chain.
    for (const partial of partials.toReversed()) renameSync(partial, partial.slice(0, -PARTIAL.length))
    for (const folder of new Set(partials.map((partial) => path.dirname(partial)))) syncFolder(folder)
    return record
  } catch (error) {
    for (const partial of partials) rmSync(partial, { force: true })
    throw fileError(error, directory)
  } finally {
    lock.release()
  }
}

function checkTarget(directory: string, target: string): void {
  if (!existsSync(path.join(directory, DATABASE_FILE))) {
    throw invalid(`${directory} has no chain to back up: name the directory of the node with --data-path`)
  }
  const relative = path.relative(directory, target)
  if (relative === '' || !(relative.startsWith('..') || path.isAbsolute(relative))) {
    throw invalid(`--to=${target} is inside the data directory ${directory}`)
  }
  if (!existsSync(target)) return
  if (!statSync(target).isDirectory()) throw invalid(`--to=${target} is not a folder`)
  if (readdirSync(target).length > 0) throw invalid(`--to=${target} is not empty: name a new folder`)
}

function createPartial(partial: string): void {
  if (existsSync(partial)) {
    throw invalid(`${partial} exists: another backup writes it, or was killed; remove the folder in that case`)
  }
  try {
    createFolder(path.dirname(partial))
    mkdirSync(partial, { mode: 0o700 })
  } catch (cause) {
    throw invalid(`cannot create ${partial}: ${(cause as Error).message}`)
  }
}

/**
 * Copies the database of a directory without its free pages, and syncs the copy.
 * @throws {NodeError} DISK_FULL, STORE_FAILED; STOPPED after the signal
 */
export async function copyDatabase(from: string, to: string, { showProgress, signal }: BackupRun): Promise<void> {
  const { size } = statSync(path.join(from, DATABASE_FILE))
  const file = path.join(to, DATABASE_FILE)
  makePrivate(to)
  makePrivate(path.dirname(file))
  const startedMs = performance.now()
  const timer = setInterval(() => {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    showProgress(workOf('copying the database', bytes, size, startedMs))
  }, SHOW_INTERVAL_MS)
  const store = openReader(from, 'process')
  try {
    await store.copyTo(path.dirname(file))
  } finally {
    clearInterval(timer)
    await store.close()
  }
  chmodSync(file, 0o600)
  syncFile(file)
  stopIf(signal)
}

function copySmall(from: string, to: string): void {
  makePrivate(path.dirname(to))
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  syncFile(to)
}

/** Reads the chain of the copy, which proves that it can be opened. */
async function describeChain(directory: string): Promise<Omit<BackupRecord, 'files'>> {
  checkDatabase(directory)
  const store = openReader(directory, 'process')
  try {
    const format = readFormat(store, SCHEMA_VERSION)
    const [genesisHash, headHash] = store.getMany([keys.meta('genesisHash'), keys.meta('head')])
    if (format === undefined || genesisHash === undefined || headHash === undefined) {
      throw invalid('the database has no chain to back up')
    }
    const isPresentFormat = format.version === SCHEMA_VERSION && format.migratingFrom === undefined
    const head = isPresentFormat ? new BlockStore(store).pointer('head') : undefined
    return {
      backup: RECORD_VERSION,
      version: VERSION,
      created: new Date().toISOString(),
      databaseFormat: format.migratingFrom ?? format.version,
      genesisHash: bytesToHex(genesisHash),
      headNumber: head && Number(head.header.number),
      headHash: bytesToHex(headHash),
    }
  } finally {
    await store.close()
    rmSync(path.join(directory, DATABASE_LOCK_FILE), { force: true })
  }
}

/** Reads every file back from the disk. */
async function describeFiles(folder: string, names: readonly string[], run: BackupRun): Promise<BackupFile[]> {
  const sizes = names.map((name) => statSync(path.join(folder, name)).size)
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0)
  const files: BackupFile[] = []
  let before = 0
  for (const [i, name] of names.entries()) {
    const bytes = sizes[i] as number
    const show = progressOf('reading the backup', total, before, run)
    const sha256 = await readHashed(path.join(folder, name), { show, signal: run.signal })
    files.push({ name: name.split(path.sep).join('/'), bytes, sha256 })
    before += bytes
  }
  return files
}

interface HashedRead {
  /** File that receives a copy. */
  readonly copy?: string
  /** Called with the number of bytes that were read. */
  readonly show: (bytes: number) => void
  readonly signal: AbortSignal
}

/** @returns SHA-256 of a file, in hex */
async function readHashed(file: string, { copy, show, signal }: HashedRead): Promise<string> {
  const hash = createHash('sha256')
  let bytes = 0
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      stopIf(signal)
      hash.update(chunk)
      bytes += chunk.length
      show(bytes)
      if (copy !== undefined) yield chunk
    }
  }
  const source = createReadStream(file, { highWaterMark: READ_BYTES })
  if (copy !== undefined) await pipeline(source, hashed, createWriteStream(copy, { mode: 0o600 }))
  else for await (const _ of hashed(source));
  return hash.digest('hex')
}

/** @throws {NodeError} INVALID_OPTION when the folder is no backup, STORE_DAMAGED when files are missing */
function readRecord(from: string): BackupRecord {
  const record = parseRecord(from)
  const known = new Set([...DATABASES, ...LISTS, ...KEYS].map((name) => name.split(path.sep).join('/')))
  for (const { name, bytes } of record.files) {
    if (!known.has(name)) throw damaged(from, `${RECORD_FILE} names the file ${name}`)
    const size = statSync(path.join(from, name), { throwIfNoEntry: false })?.size
    if (size === undefined) throw damaged(from, `${name} is missing`)
    if (size !== bytes) throw damaged(from, `${name} has ${size} bytes instead of ${bytes}`)
  }
  return record
}

function parseRecord(from: string): BackupRecord {
  let record: Partial<BackupRecord>
  try {
    record = JSON.parse(readFileSync(path.join(from, RECORD_FILE), 'utf8')) as Partial<BackupRecord>
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw invalid(`--from=${from} is no backup: ${code === 'ENOENT' ? `it has no ${RECORD_FILE}` : message}`)
  }
  if (record.backup === RECORD_VERSION && Array.isArray(record.files)) return record as BackupRecord
  throw invalid(`--from=${from} is a backup of a form that this version of isonode does not know`)
}

/** @throws {NodeError} INVALID_OPTION when the directory has another file of that name */
function isPresent(from: string, directory: string, name: string): boolean {
  const target = path.join(directory, name)
  if (!existsSync(target)) return false
  if (DATABASES.includes(path.normalize(name)))
    throw invalid(`${target} exists: remove it, or name another --data-path`)
  if (readFileSync(target).equals(readFileSync(path.join(from, name)))) return true
  throw invalid(`${target} exists and differs from the file of the backup: remove one of them`)
}

function progressOf(work: string, total: number, before: number, { showProgress }: BackupRun): HashedRead['show'] {
  const startedMs = performance.now()
  return (bytes) => showProgress(workOf(work, before + bytes, total, startedMs))
}

/** @param atMost upper bound of the number of bytes */
function workOf(work: string, bytes: number, atMost: number, startedMs: number): Parameters<ShowProgress>[0] {
  const fraction = Math.min(1, bytes / Math.max(atMost, 1))
  const elapsedMs = performance.now() - startedMs
  const remainingMs = fraction === 0 ? undefined : (elapsedMs / fraction) * (1 - fraction)
  return { work, fields: {}, fraction, remainingMs }
}

function stopIf(signal: AbortSignal): void {
  if (signal.aborted) throw new NodeError({ code: 'STOPPED' }, 'stopped; nothing was written')
}

function fileError(error: unknown, folder: string): unknown {
  if (isNodeError(error)) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') {
    return new NodeError({ code: 'DISK_FULL', directory: folder }, `no space left in ${folder}`, { cause: error })
  }
  return new NodeError({ code: 'DIRECTORY_UNUSABLE', directory: folder }, `cannot use ${folder}: ${message}`, {
    cause: error,
  })
}

function damaged(from: string, reason: string): NodeError {
  return new NodeError({ code: 'STORE_DAMAGED', directory: from }, `the backup ${from} is damaged: ${reason}`)
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
