import process from 'node:process'
import { runProgram } from '../node/program.ts'
import type { Runtime } from '../node/runtime.ts'
import { serveHttp } from './httpServer.ts'

const runtime: Runtime = {
  name: `deno-v${Deno.version.deno}`,
  serve: ({ fetch }, { host, port }) => serveHttp({ host, port, fetch }),
}

/** @returns the exit code */
export function main(): Promise<number> {
  return runProgram(Deno.args, process.env, runtime)
}
