/**
 * The program on Deno. It uses node:http, as on Node: Deno.serve (2.9.5) cannot limit connections, and closes the
 * connection after every request whose body arrives in a separate packet, as that of Python's http.client does. Such
 * connections gain nothing from server/http/directConnection.ts; fetch, node:http and curl send a short request in one
 * packet.
 * @module
 */
import process from 'node:process'
import { runProgram } from '../server/program/program.ts'

/** @returns the exit code */
export function main(): Promise<number> {
  return runProgram(Deno.args, process.env, `deno-v${Deno.version.deno}`)
}
