/**
 * The program on Deno. HTTP is node:http's, as on Node: Deno.serve (2.9.5) closes the connection after every request
 * whose body comes in a packet of its own, which is how most clients send it, and has no limit of connections.
 * @module
 */
import process from 'node:process'
import { runProgram } from '../node/program.ts'

/** @returns the exit code */
export function main(): Promise<number> {
  return runProgram(Deno.args, process.env, `deno-v${Deno.version.deno}`)
}
