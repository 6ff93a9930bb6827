import process from 'node:process'
import { setEngineFlags } from './engineFlags.ts'
import { runProgram } from './program.ts'

setEngineFlags()

process.exitCode = await runProgram(process.argv.slice(2), process.env, `node-${process.version}`)
