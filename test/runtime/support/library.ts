/** Programs that use the library. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { REPOSITORY } from './chains.ts'

const PROGRAM = path.join(REPOSITORY, 'test/support/host/libraryProgram.mjs')
const MAX_RUN_MS = 170_000

/** @param command runs a module */
export function describeLibrary(runtime: string, [command = '', ...args]: readonly string[]): void {
  describe(`the library on ${runtime}`, () => {
    it('lets programs end by themselves once their nodes are closed', async () => {
      const output = await new Promise<string>((resolve) => {
        const all = [...args, PROGRAM, path.join(REPOSITORY, 'mod.ts')]
        const child = execFile(command, all, { cwd: REPOSITORY, timeout: MAX_RUN_MS }, (_, stdout, stderr) => {
          resolve(`${stdout}${stderr}exit code ${child.exitCode}`)
        })
      })
      const names = ['listening', 'unserved', 'interval', 'duringStart', 'duringRequests', 'onDisk', 'browser']
      const expected = [...names, 'browserLeftOpen'].map((name) => `done: ${name}`)
      expect(output.split('\n')).toEqual([...expected, 'exit code 0'])
    })
  })
}
