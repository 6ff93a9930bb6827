import process from 'node:process'
import { setHeapFlags } from './heapFlags.ts'
import { runProgram } from './program.ts'

setHeapFlags()

process.exitCode = await runProgram(process.argv.slice(2), process.env, `node-${process.version}`)
