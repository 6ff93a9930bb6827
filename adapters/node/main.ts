import process from 'node:process'
import { boundHeapGrowth } from './heapGrowth.ts'
import { runProgram } from './program.ts'

boundHeapGrowth()

process.exitCode = await runProgram(process.argv.slice(2), process.env, `node-${process.version}`)
