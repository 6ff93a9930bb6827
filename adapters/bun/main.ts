/**
 * The program on Bun. It uses node:http, as on Node, because that is as fast as Bun.serve and can limit connections.
 * @module
 */
import process from 'node:process'
import { runProgram } from '../server/program/program.ts'

/** @returns the exit code */
export function main(): Promise<number> {
  return runProgram(Bun.argv.slice(2), process.env, `bun-v${Bun.version}`)
}
