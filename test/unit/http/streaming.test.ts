// slow: clients that do not read
import { createConnection, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type NodeHttpServerOptions, serveHttp } from '../../../adapters/server/http/httpServer.ts'
import { STREAM_PENDING_BYTES } from '../../../src/base/limits/limits.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { cpuTimeMs } from '../../support/host/cpuTime.ts'
import { onlyOnNode } from '../../support/host/needs.ts'
import { type TestServiceOptions, testMethods, testService } from '../../support/rpc/rpcService.ts'
import { expectedItems, ITEM_LENGTH, newLog, streamingMethods } from '../../support/rpc/streamingService.ts'
import { until } from '../../support/rpc/webSocketClient.ts'

const MIB = 1024 * 1024
const request = (method: string, ...params: unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 'é', method, params })
/** More than all sockets and queues can hold. */
const ENDLESS = 200_000

/** Only on Node does a server know whether a client is still reading. */

const servers: HttpServer[] = []
const sockets: Socket[] = []

async function open(http: Partial<NodeHttpServerOptions> = {}, service: TestServiceOptions = {}) {
  const log = newLog()
  const built = testService({ methods: [...testMethods, ...streamingMethods(log)], ...service })
  const { app, policy, exchange } = built
  const server = await serveHttp({ host: '127.0.0.1', port: 0, policy, exchange, fetch: app.fetch, ...http })
  servers.push(server)
  const post = (body: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}`, { method: 'POST', body, ...init })
  return { ...built, log, post, server }
}

/** A client that sends one request and does not read before it is told to. */
function silentClient(port: number, body: string): Socket {
  const socket = createConnection({ port, host: '127.0.0.1' })
  sockets.push(socket)
  socket.on('error', () => {})
  const { length } = new TextEncoder().encode(body)
  socket.pause()
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${body}`)
  return socket
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await server.close()
})

describe.each([
  ['past the app', true],
  ['through the app', false],
])('streamed results over HTTP, %s', (_way, direct) => {
  it('are sent in chunks when they are long, and with a length when they are short', async () => {
    const { post } = await open({ direct })
    const long = await post(request('eth_stream', 5000))
    expect(long.status).toBe(200)
    expect(long.headers.get('content-type')).toBe('application/json')
    expect(long.headers.get('content-length')).toBeNull()
    expect(await long.json()).toEqual({ jsonrpc: '2.0', id: 'é', result: expectedItems(5000) })
    const short = await post(request('eth_stream', 10))
    const text = await short.text()
    expect(JSON.parse(text).result).toEqual(expectedItems(10))
    if (direct) expect(Number(short.headers.get('content-length'))).toBe(new TextEncoder().encode(text).length)
  })

  it('are sent as a whole when they are written without a pause', async () => {
    const { post } = await open({ direct })
    for (const count of [1, 63, 64, 65, 2000]) {
      expect((await (await post(request('eth_streamAtOnce', count))).json()).result).toEqual(expectedItems(count))
    }
  })

  it('are an error while nothing has been sent', async () => {
    const { post } = await open({ direct })
    const error = async (...params: unknown[]) => (await (await post(request('eth_stream', ...params))).json()).error
    expect(await error(10, 'COINBASE_NOT_SPECIFIED')).toEqual({
      code: -32000,
      message: 'Coinbase must be explicitly specified',
    })
    expect(await error(10, 'unexpected')).toEqual({ code: -32603, message: 'Internal error' })
  })

  it('are cut off by a later error', async () => {
    const { post } = await open({ direct })
    const response = await post(request('eth_stream', 500, 'COINBASE_NOT_SPECIFIED'))
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    expect((await (await post(request('eth_chainId'))).json()).result).toBe('0x1')
  })

  it('end within 100 ms when the client disconnects', async () => {
    const { post, log } = await open({ direct })
    const controller = new AbortController()
    const response = await post(request('eth_stream', ENDLESS), { signal: controller.signal })
    await response.body?.getReader().read()
    const from = cpuTimeMs()
    controller.abort()
    await until(() => log.ended.length > 0)
    expect(log.ended).toEqual(['aborted'])
    expect(log.endedAt - from).toBeLessThan(100)
  })

  it('wait for a client that does not read, and continue when it does', async () => {
    const { server, log } = await open({ direct })
    const count = 40_000
    const socket = silentClient(server.port, request('eth_stream', count))
    let before = -1
    // The sockets of both sides hold some megabytes; then nothing moves.
    for (let same = 0; same < 20; same = log.items === before ? same + 1 : 0) {
      before = log.items
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(log.ended).toEqual([])
    expect(log.items * ITEM_LENGTH).toBeLessThan(32 * MIB)
    let received = 0
    let tail = ''
    socket.on('data', (bytes) => {
      received += bytes.length
      tail = (tail + bytes.toString('latin1')).slice(-20)
    })
    socket.resume()
    await until(() => tail.endsWith('0\r\n\r\n'))
    expect(received).toBeGreaterThan(count * ITEM_LENGTH)
    expect(log.ended).toEqual(['done'])
  })

  it('are collected in a batch, up to its capacity', async () => {
    const { post, log } = await open({ direct }, { maxBatchResponseLength: 100 * ITEM_LENGTH })
    const batch = (...counts: number[]) =>
      JSON.stringify(counts.map((count, id) => ({ jsonrpc: '2.0', id, method: 'eth_stream', params: [count] })))
    const answers = await (await post(batch(10, 60, 5000, 20))).json()
    expect(answers[0]).toEqual({ jsonrpc: '2.0', id: 0, result: expectedItems(10) })
    expect(answers[1]).toEqual({ jsonrpc: '2.0', id: 1, result: expectedItems(60) })
    expect(answers[2]).toMatchObject({ id: 2, error: { code: -32005, message: 'Response exceeds maximum size' } })
    expect(answers[3]).toEqual({ jsonrpc: '2.0', id: 3, result: expectedItems(20) })
    expect(log.items).toBeLessThan(90 + 200)
  })
})

describe('a client that never reads', () => {
  it('is disconnected after a while', async () => {
    const { server, log } = await open({ stallMs: 100 })
    const socket = silentClient(server.port, request('eth_stream', ENDLESS))
    let isClosed = false
    socket.on('close', () => {
      isClosed = true
    })
    await until(() => log.ended.length > 0)
    expect(log.ended).toEqual(['aborted'])
    socket.resume()
    await until(() => isClosed)
  })

  it('is also disconnected if its answer was produced as a whole', onlyOnNode, async () => {
    const { server, backend } = await open({ stallMs: 200, drainTimeoutMs: 60_000 })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: ['x'.repeat(4_500_000)] })
    const socket = silentClient(server.port, body)
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    await until(() => backend.ran.length > 0)
    // Waits for active connections.
    await server.close()
  })

  it('receives a batch only as far as it reads, and is also disconnected', onlyOnNode, async () => {
    const { server, log } = await open({ stallMs: 200, drainTimeoutMs: 60_000 })
    const items = { jsonrpc: '2.0', id: 1, method: 'eth_stream', params: [1000] }
    silentClient(server.port, JSON.stringify(Array.from({ length: 40 }, () => items)))
    await until(() => log.ended.length > 0)
    await server.close()
    expect(log.ended.length).toBeLessThan(20)
  })
})

describe('streamed results over fetch', () => {
  it('are produced as far as they are read', async () => {
    const { app, log } = await open()
    const response = await app.fetch(
      new Request('http://localhost', { method: 'POST', body: request('eth_stream', 5000) }),
    )
    await until(() => log.items * ITEM_LENGTH >= STREAM_PENDING_BYTES)
    const seen = log.items
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect((log.items - seen) * ITEM_LENGTH).toBeLessThan(STREAM_PENDING_BYTES)
    expect((await response.json()).result).toEqual(expectedItems(5000))
  })

  it('end when the body is cancelled', async () => {
    const { app, log } = await open()
    const response = await app.fetch(
      new Request('http://localhost', { method: 'POST', body: request('eth_stream', 5000) }),
    )
    await response.body?.cancel()
    await until(() => log.ended.length > 0)
    expect(log.ended).toEqual(['aborted'])
  })
})
