/** The picture of the log shows what the node prints. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'

const PROGRAM = path.resolve(import.meta.dirname, '../../docs/logPicture.mjs')

it('is up to date (npm run docs)', () => {
  expect(execFileSync(process.execPath, [PROGRAM, '--check'], { encoding: 'utf8', stdio: 'pipe' })).toBe('')
})
