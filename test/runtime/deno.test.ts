import path from 'node:path'
import { describe, it } from 'vitest'
import { denoBinary } from '../support/host/binaries.mjs'
import { runTool } from '../support/host/tools.ts'
import { REPOSITORY } from './support/chains.ts'
import { describeLibrary } from './support/library.ts'
import { describeProgram } from './support/program.ts'

// Uses the installed packages and fetches nothing; without the last two options, Deno would fetch them.
const options = ['run', '-A', '--node-modules-dir=manual', '--no-lock']
describeProgram('deno', [denoBinary(), ...options, 'mod.ts'])
describeLibrary('deno', [denoBinary(), ...options])

describe('the declarations of mod.ts', () => {
  it('compile on Deno', async () => {
    const check = ['check', '--node-modules-dir=manual', '--no-lock', path.join(REPOSITORY, 'mod.ts')]
    await runTool(denoBinary(), check, { cwd: REPOSITORY })
  })
})
