import { bunBinary } from '../support/binaries.mjs'
import { describeProgram } from './support/program.ts'

describeProgram('bun', [bunBinary(), 'run', 'mod.ts'])
