import process from 'node:process'
import { serveHttp } from './httpServer.ts'
import { runProgram } from './program.ts'
import type { Runtime } from './runtime.ts'

const runtime: Runtime = {
  name: `node-${process.version}`,
  serve: ({ policy, exchange, fetch }, options) => serveHttp({ ...options, policy, exchange, fetch }),
}

process.exitCode = await runProgram(process.argv.slice(2), process.env, runtime)
