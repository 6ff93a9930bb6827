/**
 * The file with the code that V8 compiled in earlier runs: digest of the rest (32 bytes) ‖ number of processes that added
 * to it (1) ‖ 7 zero bytes, because V8 copies code that is not aligned ‖ code.
 * @module
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'

const DIGEST_BYTES = 32
const COUNT_BYTES = 8

interface StoredCode {
  readonly code: Uint8Array
  /** Number of processes that stored it after work; 0 when it has only what a start needs. */
  readonly contributors: number
}

/**
 * V8 compares only version, flags and lengths, so a damaged file is recognized by its digest.
 * @returns undefined when there is no such file, or it is damaged
 */
export function readCode(file: string): StoredCode | undefined {
  try {
    const bytes = readFileSync(file)
    const content = bytes.subarray(DIGEST_BYTES)
    if (!digest(content).equals(bytes.subarray(0, DIGEST_BYTES))) return undefined
    return { code: content.subarray(COUNT_BYTES), contributors: content[0] ?? 0 }
  } catch {
    return undefined
  }
}

/** Replaces the file; does nothing where its folder cannot be written. */
export function writeCode(file: string, contributors: number, compiledCode: () => Uint8Array): void {
  const partial = `${file}.${process.pid}`
  try {
    const code = compiledCode()
    const content = Buffer.alloc(COUNT_BYTES + code.length)
    content[0] = contributors
    content.set(code, COUNT_BYTES)
    writeFileSync(partial, Buffer.concat([digest(content), content]), { mode: 0o644 })
    renameSync(partial, file)
  } catch {
    rmSync(partial, { force: true })
  }
}

function digest(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest()
}
