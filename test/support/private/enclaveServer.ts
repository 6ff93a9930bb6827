/** Enclaves of tests behind HTTP. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEndOfFile } from '../rpc/endOfFile.ts'
import type { FakeEnclave } from './fakeEnclave.ts'

const servers = new Set<http.Server>()

atEndOfFile(async () => {
  for (const server of servers) server.close()
})

/** @returns its URL */
export async function serveEnclave(enclave: FakeEnclave): Promise<string> {
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const path = request.url ?? '/'
    if (path === '/upcheck') {
      response.end("I'm up!")
      return
    }
    const answer = await enclave.post(path, request.headers['content-type'] ?? '', body)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  servers.add(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
