/** Files for commands, and checks of their output. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { type Ended, temporaryDirectory } from '../nodes/program.ts'
import { atEndOfFile } from '../rpc/endOfFile.ts'

let folder: string | undefined
let files = 0
atEndOfFile(() => {
  folder = undefined
})

/** The directory of the files of this test file. */
export function home(): string {
  folder ??= temporaryDirectory()
  return folder
}

export function fileWith(content: string | Uint8Array): string {
  const file = newPath()
  writeFileSync(file, content)
  return file
}

export function newPath(): string {
  return path.join(home(), String(files++))
}

/**
 * Checks that an error is reported in one line on stderr (usage errors add a hint to the help), with only results on
 * stdout.
 */
export function expectRefusal({ code, stderr }: Ended, line: string | RegExp): void {
  const lines = stderr.trimEnd().split('\n')
  const logged = /^\d{4}-\d\d-\d\dT[\d:.]+Z ERROR (?:\[\w+\] )?(.*)$/.exec(lines[0] ?? '')
  expect(logged?.[1] ?? lines[0]).toMatch(line)
  if (lines.length > 1) expect(lines.slice(1)).toEqual([expect.stringMatching(/^Help: isonode --help(?:=[a-z0-9]+)?$/)])
  expect(code).toBe(1)
}

/** Checks that a pipe receives neither escape sequences nor carriage returns. */
export function expectQuiet({ stdout, stderr }: Ended): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(stdout + stderr).not.toMatch(/[\x1b\r]/)
}
