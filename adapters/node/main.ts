import process from 'node:process'
import { setHeapFlags } from '../server/program/heapFlags.ts'
import { runProgram } from '../server/program/program.ts'

setHeapFlags()

process.exitCode = await runProgram(process.argv.slice(2), process.env, `node-${process.version}`)
