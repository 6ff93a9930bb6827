import process from 'node:process'
import v8 from 'node:v8'
import { runProgram } from './program.ts'

/**
 * How far the heap may grow beyond what was alive after the last full collection, percent. By itself V8 lets it grow to a
 * multiple, so that the memory of a busy node goes up for as long as its caches fill, and longer.
 */
const HEAP_GROWING_PERCENT = 20

v8.setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)

process.exitCode = await runProgram(process.argv.slice(2), process.env, `node-${process.version}`)
