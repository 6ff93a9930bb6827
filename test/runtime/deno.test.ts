import { denoBinary } from '../support/binaries.mjs'
import { describeProgram } from './support/program.ts'

// With the installed packages, so that nothing is fetched; without the last two options Deno fetches them by itself.
const options = ['run', '-A', '--node-modules-dir=manual', '--no-lock']
describeProgram('deno', [denoBinary(), ...options, 'mod.ts'])
