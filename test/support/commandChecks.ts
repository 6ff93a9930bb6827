/** Files for commands, and what is expected of what they print. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { type Ended, temporaryDirectory } from './program.ts'

export const home = temporaryDirectory()
let files = 0
export function fileWith(content: string | Uint8Array): string {
  const file = path.join(home, String(files++))
  writeFileSync(file, content)
  return file
}
export function newPath(): string {
  return path.join(home, String(files++))
}

/** What is wrong, in one line on stderr (usage errors add how to get help); nothing on stdout but results. */
export function expectRefusal({ code, stderr }: Ended, line: string | RegExp): void {
  const lines = stderr.trimEnd().split('\n')
  const usageHint = ['To display full help:', 'isonode [COMMAND] --help']
  expect(lines[0]).toMatch(line)
  expect(lines.slice(1)).toEqual(lines.length === 1 ? [] : usageHint)
  expect(code).toBe(1)
}

/** No escape sequences and no carriage returns reach a pipe. */
export function expectQuiet({ stdout, stderr }: Ended): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(stdout + stderr).not.toMatch(/[\x1b\r]/)
}
