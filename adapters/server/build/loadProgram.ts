/**
 * Loads the bundled program, with the code that V8 compiled in earlier runs: compiling takes a third of the start-up
 * time, and a part of the time of the first requests. The first process stores what its start compiled. The first
 * processes that work store their code once more, so that it covers what users do. The code is next to the program,
 * where only someone who could also change the program can change it. Nothing is stored where that folder cannot be
 * written.
 * @module
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
import type { Program } from './entry.ts'
import { readCode, writeCode } from './storedCode.ts'

const PROGRAM_FILE = 'program.cjs'
/** By this time, a node has started and compiled what every start needs. */
const STORE_AFTER_MS = 2500
/** A process that has used this much CPU time has done more than to start. */
const WORK_CPU_MS = 1500
/** The longest wait for a process to work: the waits double. */
const MAX_WAIT_MS = 320_000
/** Processes that add to the code: each of them stands still for some 30 ms. */
const MAX_CONTRIBUTORS = 4

let loaded: Program | undefined

/** Loads the program of a folder, once per thread. Bun and Deno load it without stored code. */
export function loadProgram(folder: string): Program {
  loaded ??= run(path.join(folder, PROGRAM_FILE))
  return loaded
}

function run(file: string): Program {
  const cacheFile = path.join(path.dirname(file), `code-${process.version}-${process.arch}.bin`)
  const stored = hasCodeCache() ? readCode(cacheFile) : undefined
  // The file holds the whole function, because a text put together here would be in memory twice.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(stored === undefined ? {} : { cachedData: stored.code }),
  })
  const module = { exports: {} as Program }
  const importModule = (name: string): Promise<unknown> =>
    import(name.startsWith('.') ? pathToFileURL(path.join(path.dirname(file), name)).href : name)
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file), importModule)
  // The threads share the code of the main thread.
  if (hasCodeCache() && isMainThread) {
    const contributors = script.cachedDataRejected === true ? undefined : stored?.contributors
    // V8 accepts code only under the flags that it was compiled with.
    const compiledCode = (): Uint8Array => module.exports.atDefaultFlags(() => script.createCachedData())
    storeCode(cacheFile, { contributors, afterMs: STORE_AFTER_MS, compiledCode })
  }
  return module.exports
}

interface Storing {
  /** Processes that have added to the accepted file; undefined without one. */
  readonly contributors: number | undefined
  readonly afterMs: number
  compiledCode(): Uint8Array
}

/** Stores the code of a process that has started and of one that has worked, as far as the file lacks it. */
function storeCode(file: string, { contributors, afterMs, compiledCode }: Storing): void {
  if (contributors !== undefined && contributors >= MAX_CONTRIBUTORS) return
  const timer = setTimeout(() => {
    const hasWorked = cpuMs() >= WORK_CPU_MS
    const known = contributors ?? 0
    const next = hasWorked ? known + 1 : known
    if (next !== contributors) writeCode(file, next, compiledCode)
    if (!hasWorked && afterMs < MAX_WAIT_MS) storeCode(file, { contributors: next, afterMs: 2 * afterMs, compiledCode })
  }, afterMs)
  timer.unref()
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function hasCodeCache(): boolean {
  return process.versions['bun'] === undefined && process.versions['deno'] === undefined
}
