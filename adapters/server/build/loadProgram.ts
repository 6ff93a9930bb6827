/**
 * Loads the bundled program, with the code that V8 compiled in an earlier run: compiling takes a third of the start-up
 * time. The code is stored next to the program, where only someone who could also change the program can change it.
 * Nothing is stored where that folder cannot be written.
 * @module
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
import type { Program } from './entry.ts'

const PROGRAM_FILE = 'program.cjs'
/** By this time, a node has started and compiled what every start needs. */
const STORE_AFTER_MS = 2500
const DIGEST_BYTES = 32

let loaded: Program | undefined

/** Loads the program of a folder, once per thread. Bun and Deno load it without stored code. */
export function loadProgram(folder: string): Program {
  loaded ??= run(path.join(folder, PROGRAM_FILE))
  return loaded
}

function run(file: string): Program {
  const cacheFile = path.join(path.dirname(file), `code-${process.version}-${process.arch}.bin`)
  const cachedData = hasCodeCache() ? readCode(cacheFile) : undefined
  // The file holds the whole function, because a text put together here would be in memory twice.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  const module = { exports: {} as Program }
  const importModule = (name: string): Promise<unknown> =>
    import(name.startsWith('.') ? pathToFileURL(path.join(path.dirname(file), name)).href : name)
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file), importModule)
  // The threads share the code of the main thread.
  if (hasCodeCache() && isMainThread && (cachedData === undefined || script.cachedDataRejected === true)) {
    const timer = setTimeout(() => storeCode(cacheFile, script, module.exports), STORE_AFTER_MS)
    timer.unref()
  }
  return module.exports
}

function hasCodeCache(): boolean {
  return process.versions['bun'] === undefined && process.versions['deno'] === undefined
}

/** V8 compares only version, flags and lengths, so a damaged file is recognized by its digest. */
function readCode(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file)
    const code = bytes.subarray(DIGEST_BYTES)
    return digest(code).equals(bytes.subarray(0, DIGEST_BYTES)) ? code : undefined
  } catch {
    return undefined
  }
}

function storeCode(file: string, script: Script, { atDefaultFlags }: Program): void {
  const partial = `${file}.${process.pid}`
  try {
    // V8 accepts code only under the flags that it was compiled with.
    const code = atDefaultFlags(() => script.createCachedData())
    writeFileSync(partial, Buffer.concat([digest(code), code]), { mode: 0o644 })
    renameSync(partial, file)
  } catch {
    rmSync(partial, { force: true })
  }
}

function digest(code: Uint8Array): Buffer {
  return createHash('sha256').update(code).digest()
}
