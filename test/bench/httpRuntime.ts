/** Our server on the current runtime, for http.bench.mjs; prints its port. */
import { serveHttp } from '../../adapters/server/http/httpServer.ts'
import { service } from './httpServers.ts'

const { app, policy, exchange } = service()
const server = await serveHttp({ host: '127.0.0.1', port: 0, fetch: app.fetch, policy, exchange })
console.log(server.port)
