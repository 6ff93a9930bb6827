/** Our server on the runtime that runs this, for http.bench.mjs: prints its port. */
import { service } from './httpServers.ts'

const { app, policy } = service()
const options = { host: '127.0.0.1', port: 0, fetch: app.fetch, maxBodyBytes: policy.maxBodyBytes }
const isDeno = 'Deno' in globalThis
const { serveHttp } = isDeno
  ? await import('../../adapters/deno/httpServer.ts')
  : await import('../../adapters/bun/httpServer.ts')
console.log(serveHttp(options).port)
