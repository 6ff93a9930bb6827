import { describeProgram, platformBinary } from './support/program.ts'

describeProgram('bun', [platformBinary('@oven', 'bin/bun'), 'run', 'mod.ts'])
