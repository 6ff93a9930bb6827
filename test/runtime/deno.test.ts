import { denoBinary } from '../support/binaries.mjs'
import { describeLibrary } from './support/library.ts'
import { describeProgram } from './support/program.ts'

// Uses the installed packages and fetches nothing; without the last two options, Deno would fetch them.
const options = ['run', '-A', '--node-modules-dir=manual', '--no-lock']
describeProgram('deno', [denoBinary(), ...options, 'mod.ts'])
describeLibrary('deno', [denoBinary(), ...options])
