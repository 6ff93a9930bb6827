import { bunBinary } from '../support/host/binaries.mjs'
import { describeLibrary } from './support/library.ts'
import { describeProgram } from './support/program.ts'

describeProgram('bun', [bunBinary(), 'run', 'mod.ts'])
describeLibrary('bun', [bunBinary(), 'run'])
