/**
 * Shows that a process ended in the middle of its use of a database: LMDB ends it with a signal when a page is damaged, and the
 * next process that reads the page would end in the same way. A process that is killed is rarely in there.
 * @module
 */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const PREFIX = 'reader.'
const INSIDE = Uint8Array.of(0x31)
const OUTSIDE = Uint8Array.of(0x30)

export class CrashMark {
  readonly #file: string
  readonly #descriptor: number

  /** @param folder of the database */
  constructor(folder: string) {
    this.#file = path.join(folder, PREFIX + process.pid)
    this.#descriptor = openSync(this.#file, 'w', 0o600)
  }

  /** Two writes into the memory of the system, which take some microseconds. */
  during<T>(work: () => T): T {
    this.#write(INSIDE)
    try {
      return work()
    } finally {
      this.#write(OUTSIDE)
    }
  }

  #write(text: Uint8Array): void {
    try {
      writeSync(this.#descriptor, text, 0, 1, 0)
    } catch {
      // A full disk has no room for the mark, but the database can be read.
    }
  }

  close(): void {
    closeSync(this.#descriptor)
    rmSync(this.#file, { force: true })
  }
}

/**
 * Removes the marks of processes that have ended.
 * @returns whether one of them ended inside. In a container, it may have had the id of this process
 */
export function takeCrashMarks(folder: string): boolean {
  let hasCrashed = false
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX)) continue
    const pid = Number(name.slice(PREFIX.length))
    if (pid !== process.pid && isRunning(pid)) continue
    const file = path.join(folder, name)
    if (readFileSync(file)[0] === INSIDE[0]) hasCrashed = true
    rmSync(file, { force: true })
  }
  return hasCrashed
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
