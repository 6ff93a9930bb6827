import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { HttpEnclave } from '../../../../adapters/server/enclave/httpEnclave.ts'

const servers: http.Server[] = []

function serve(listener: http.RequestListener): Promise<URL> {
  const server = http.createServer(listener)
  servers.push(server)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)))
  })
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

describe('the connection to an enclave', () => {
  it('sends the body with its type and length, and nothing else', async () => {
    let seen: unknown
    const url = await serve((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const { 'content-type': type, 'content-length': length } = request.headers
        const names = Object.keys(request.headers).sort()
        seen = [request.method, request.url, type, length, Buffer.concat(chunks).toString(), names]
        response.writeHead(404, { 'content-type': 'text/plain' })
        response.end('nothing here')
      })
    })
    const enclave = new HttpEnclave(url)
    const type = 'application/vnd.orion.v1+json'
    expect(await enclave.post('/receive', type, '{"key":"é"}')).toEqual({ status: 404, body: 'nothing here' })
    const names = ['connection', 'content-length', 'content-type', 'host']
    expect(seen).toEqual(['POST', '/receive', type, '12', '{"key":"é"}', names])
    enclave.close()
  })

  it('rejects when the enclave is unreachable or drops the connection', async () => {
    const url = await serve((request) => request.socket.destroy())
    const enclave = new HttpEnclave(url)
    await expect(enclave.post('/send', 'application/json', '{}')).rejects.toThrow()
    const nobody = new HttpEnclave(new URL('http://127.0.0.1:1'))
    await expect(nobody.post('/send', 'application/json', '{}')).rejects.toThrow()
    enclave.close()
    nobody.close()
  })
})
