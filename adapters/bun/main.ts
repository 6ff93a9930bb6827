/**
 * The program on Bun. HTTP is node:http's, as on Node: as quick as Bun.serve, and with a limit of connections.
 * @module
 */
import process from 'node:process'
import { runProgram } from '../node/program.ts'

/** @returns the exit code */
export function main(): Promise<number> {
  return runProgram(Bun.argv.slice(2), process.env, `bun-v${Bun.version}`)
}
