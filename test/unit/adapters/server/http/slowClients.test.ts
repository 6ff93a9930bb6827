/** Clients that send slowly, or only stay connected, take nothing from others and are disconnected. */
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { connect as connectTls } from 'node:tls'
import bcrypt from 'bcryptjs'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { isGraphql } from '../../../../../adapters/server/clientServers.ts'
import { type NodeHttpServerOptions, serveHttp } from '../../../../../adapters/server/http/httpServer.ts'
import { startNode } from '../../../../../mod.ts'
import { openAccess } from '../../../../../src/http/access/endpointAccess.ts'
import { onlyOnNode } from '../../../../support/host/needs.ts'
import { openDevNode } from '../../../../support/nodes/devNodeInMemory.ts'

const opened: { close(): Promise<unknown> }[] = []
const sockets: (Socket | WebSocket)[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) 'terminate' in socket ? socket.terminate() : socket.destroy()
  await Promise.all(opened.splice(0).map((it) => it.close()))
})

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const SLOW_CLIENTS = 20

/** Sends all but the last byte of a request. @returns the answer, once the server has disconnected */
function sendSlowly(port: number, target: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.write(
    `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"query"`,
  )
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return new Promise((resolve) => socket.on('error', () => {}).once('close', () => resolve(text)))
}

it.each(['/graphql', '/', '/login'])(
  'a body that does not end is refused at %s, and other clients are served',
  async (target) => {
    const passwordHash = bcrypt.hashSync('x', 4)
    const access = await openAccess(
      {
        credentials: `[Users.a]\npassword = "${passwordHash}"\n`,
        publicKey: undefined,
        algorithm: 'RS256',
        openMethods: ['eth_chainId'],
      },
      { clock: { now: Date.now, monotonic: performance.now.bind(performance) }, matches: async () => false },
    )
    const { node } = await openDevNode({}, undefined, { access: target === '/login' ? { http: access } : {} })
    opened.push(node)
    const { endpoints } = node
    const { policy, exchange, fetch } = target === '/graphql' ? endpoints.get('graphql') : endpoints.get('http')
    const options: NodeHttpServerOptions = {
      policy,
      exchange,
      fetch,
      host: '127.0.0.1',
      port: 0,
      requestTimeoutMs: 300,
      headersTimeoutMs: 200,
    }
    const server = await serveHttp(target === '/graphql' ? { ...options, isExchanged: isGraphql } : options)
    opened.push(server)
    const slow = Array.from({ length: SLOW_CLIENTS }, () => sendSlowly(server.port, target))
    const url = `http://127.0.0.1:${server.port}`
    const body = target === '/graphql' ? '{ block { number } }' : REQUEST
    const answer = await globalThis.fetch(target === '/graphql' ? `${url}/graphql` : url, { method: 'POST', body })
    expect(answer.status).toBe(200)
    for (const text of await Promise.all(slow)) expect(text).toMatch(/^(?:HTTP\/1\.1 408 |$)/)
  },
)

it('idle WebSockets are limited in number, and requests are still answered', async () => {
  const limit = 200
  const node = await startNode({ flags: { rpcWsMaxActiveConnections: limit } })
  opened.push(node)
  const attempts = Array.from({ length: limit + 50 }, () => {
    const socket = new WebSocket(node.wsUrl)
    sockets.push(socket)
    return new Promise<boolean>((resolve) => {
      socket.once('open', () => resolve(true))
      socket.on('error', () => resolve(false))
      socket.once('close', () => resolve(false))
    })
  })
  await Promise.all(attempts)
  const answer = await globalThis.fetch(node.url, { method: 'POST', body: REQUEST })
  expect(await answer.text()).toContain('0x7a69')
  const living = sockets.filter((it) => it instanceof WebSocket && it.readyState === WebSocket.OPEN)
  expect(living.length).toBeLessThanOrEqual(limit)
  expect(living.length).toBeGreaterThan(0)
})

// Clients on Deno and Bun choose their ciphers themselves.
it('a client without strong ciphers is refused', onlyOnNode, async () => {
  const rpcHttpTlsKeystoreFile = path.resolve(import.meta.dirname, '../../../../fixtures/tls/server.pem')
  const node = await startNode({ flags: { rpcHttpTlsEnabled: true, rpcHttpTlsKeystoreFile } })
  opened.push(node)
  for (const ciphers of ['NULL:@SECLEVEL=0', 'aNULL:@SECLEVEL=0', 'eNULL:@SECLEVEL=0', 'PSK:@SECLEVEL=0']) {
    const options = { port: Number(new URL(node.url).port), host: '127.0.0.1', maxVersion: 'TLSv1.2', ciphers } as const
    const outcome = await new Promise((resolve) => {
      const socket = connectTls({ ...options, rejectUnauthorized: false }, () => resolve('connected'))
      sockets.push(socket)
      socket.on('error', () => resolve('refused'))
    })
    expect(outcome, ciphers).toBe('refused')
  }
})
