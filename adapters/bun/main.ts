import { runProgram } from '../node/program.ts'
import type { Runtime } from '../node/runtime.ts'
import { serveHttp } from './httpServer.ts'

const runtime: Runtime = {
  name: `bun-v${Bun.version}`,
  serve: ({ fetch, policy }, { host, port }) => serveHttp({ host, port, fetch, maxBodyBytes: policy.maxBodyBytes }),
}

/** @returns the exit code */
export function main(): Promise<number> {
  return runProgram(Bun.argv.slice(2), process.env, runtime)
}
