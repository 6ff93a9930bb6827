/**
 * An exclusive lock on a directory for the lifetime of a process, on Node, Deno and Bun, which share no file lock API.
 * A lock file names its holder; the lock can be acquired as soon as that process has ended, for whatever reason.
 * @module
 */
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { NodeError } from '../../../src/base/primitives/errors.ts'

const LOCK_FILE = 'isonode.lock'
const HEARTBEAT_MS = 5000
/** A holder on another machine or in another container is considered dead after this time without a sign of life. */
const SILENCE_MS = 30_000
const MAX_ATTEMPTS = 20

interface Holder {
  readonly pid: number
  readonly host: string
  /** Distinguishes this process from a later one with the same id; undefined where the system does not provide it. */
  readonly born: string | undefined
  readonly token: string
}

export interface DirectoryLock {
  /** Idempotent. */
  release(): void
}

/** @throws {NodeError} DIRECTORY_LOCKED when another process, or this one, holds it */
export function lockDirectory(directory: string): DirectoryLock {
  const file = path.join(directory, LOCK_FILE)
  const found = lockOrHolder(file)
  if ('release' in found) return found
  throw lockedError(directory, file, found.holder)
}

/**
 * The same lock on something that is not a directory.
 * @param file which is the lock, in a folder that exists
 * @returns undefined while another process, or this one, holds it
 */
export function tryLockFile(file: string): DirectoryLock | undefined {
  const found = lockOrHolder(file)
  return 'release' in found ? found : undefined
}

function lockOrHolder(file: string): DirectoryLock | { readonly holder: Holder | undefined } {
  const text = describeSelf()
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (tryCreate(file, text)) return heldLock(file, text)
    const lockText = tryRead(file)
    if (lockText === undefined) continue
    const outcome = succeed(file, lockText, text)
    if (outcome.kind === 'taken') return heldLock(file, text)
    if (outcome.kind === 'held') return { holder: outcome.holder }
  }
  return { holder: undefined }
}

type Succession =
  | { readonly kind: 'taken' }
  | { readonly kind: 'held'; readonly holder: Holder | undefined }
  /** Another process was faster. */
  | { readonly kind: 'changed' }

/**
 * Replaces the lock of a holder that has ended. Each holder has one successor: the process that creates the claim file that
 * is named after it. If that process ends before it replaces the lock, its own successor does so. Nothing removes or moves
 * the lock of a holder that may be running.
 * @param judged content of the lock file
 * @param text of the successor
 */
function succeed(file: string, judged: string, text: string): Succession {
  const claims: string[] = []
  for (let [name, content] = [file, judged]; ; ) {
    const holder = parseHolder(content)
    if (isHeld(name, holder)) return { kind: 'held', holder }
    const claim = `${file}.${holder?.token ?? 'unnamed'}`
    claims.push(claim)
    if (tryCreate(claim, text)) break
    const claimed = tryRead(claim)
    if (claimed === undefined || claims.length === MAX_ATTEMPTS) return { kind: 'changed' }
    ;[name, content] = [claim, claimed]
  }
  const own = claims.pop() as string
  // The lock may have been replaced before the claim was made, and the older claim removed.
  if (tryRead(file) !== judged) {
    rmSync(own, { force: true })
    return { kind: 'changed' }
  }
  renameSync(own, file)
  for (const claim of claims) rmSync(claim, { force: true })
  return { kind: 'taken' }
}

function heldLock(file: string, text: string): DirectoryLock {
  const heartbeat = setInterval(() => {
    try {
      const now = new Date()
      utimesSync(file, now, now)
    } catch {
      // Only other machines check the file time; on this machine, the running process shows that the lock is held.
    }
  }, HEARTBEAT_MS)
  heartbeat.unref()
  return {
    release: () => {
      clearInterval(heartbeat)
      if (tryRead(file) === text) rmSync(file, { force: true })
    },
  }
}

function describeSelf(): string {
  const { pid } = process
  const holder: Holder = { pid, host: hostname(), born: birthOf(pid), token: crypto.randomUUID() }
  return JSON.stringify(holder)
}

/** @returns false when the file exists */
function tryCreate(file: string, text: string): boolean {
  let descriptor: number
  try {
    descriptor = openSync(file, 'wx')
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw error
  }
  try {
    writeSync(descriptor, text)
  } catch (error) {
    // An empty file would keep the next start out: the disk may be full.
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  return true
}

function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, host, born, token } = JSON.parse(text) as Partial<Holder>
    if (!Number.isSafeInteger(pid) || typeof host !== 'string' || !isToken(token)) return undefined
    return { pid: pid as number, host, born, token }
  } catch {
    return undefined
  }
}

/** A token is part of a file name. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\w-]{1,64}$/.test(token)
}

/**
 * A holder that cannot be checked here (its file is still being written, or it runs elsewhere) is alive while its file
 * is touched.
 */
function isHeld(file: string, holder: Holder | undefined): boolean {
  if (holder?.host === hostname()) return isAlive(holder)
  const modifiedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  return modifiedMs !== undefined && Date.now() - modifiedMs < SILENCE_MS
}

function isAlive({ pid, born }: Holder): boolean {
  if (born !== undefined) return birthOf(pid) === born
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Boot and start time of a running process; undefined when it has ended or the system does not provide them. */
function birthOf(pid: number): string | undefined {
  const stat = tryRead(`/proc/${pid}/stat`)
  const boot = tryRead('/proc/sys/kernel/random/boot_id')
  if (stat === undefined || boot === undefined) return undefined
  // The fields follow the process name, which may contain any character: state is field 3, start time field 22
  // (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTime] = [fields[0], fields[19]]
  return state === 'Z' || state === 'X' ? undefined : `${boot.trim()}:${startTime}`
}

function lockedError(directory: string, file: string, holder: Holder | undefined): NodeError {
  const { pid, host } = holder ?? { pid: undefined, host: hostname() }
  const who = pid === undefined ? 'another process' : `process ${pid}${host === hostname() ? '' : ` on ${host}`}`
  const message = `the data directory ${directory} is in use by ${who} (lock file ${path.basename(file)})`
  return new NodeError({ code: 'DIRECTORY_LOCKED', directory, pid }, message)
}
