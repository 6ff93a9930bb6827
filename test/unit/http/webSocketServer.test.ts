// slow: thousands of requests
import { request } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import process from 'node:process'
import { afterEach, describe, expect, it } from 'vitest'
import { type NodeHttpServerOptions, serveHttp } from '../../../adapters/server/http/httpServer.ts'
import {
  WebSocketConnections,
  type WebSocketConnectionsDeps,
} from '../../../adapters/server/http/webSocketConnections.ts'
import { serveWebSocket } from '../../../adapters/server/http/webSocketServer.ts'
import type { Subscriber } from '../../../src/api/feeds/subscriptionHub.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { RpcSession, type RpcSessionOptions } from '../../../src/http/rpcSession.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { defineMethod, type MethodDefinition, result } from '../../../src/rpc/method.ts'
import { notOnDeno } from '../../support/host/needs.ts'
import { testTimers } from '../../support/host/testPorts.ts'
import {
  anything,
  type TestBackend,
  type TestServiceOptions,
  testMethods,
  testService,
} from '../../support/rpc/rpcService.ts'
import { type ClientOptions, RawWebSocket, until, WebSocketClient } from '../../support/rpc/webSocketClient.ts'

const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const chainIdAnswer = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
const slow = '{"jsonrpc":"2.0","id":1,"method":"eth_getWork"}'

/** Records the subscribers. */
function subscribing(subscribers: Subscriber[]): MethodDefinition<TestBackend> {
  return defineMethod({
    name: 'eth_subscribe',
    group: 'ETH',
    summary: 'Subscribes.',
    params: [],
    result: result('id', anything),
    handler: (_backend: TestBackend, _params, { subscriber }) => {
      if (subscriber !== undefined) subscribers.push(subscriber)
      return '0x1'
    },
  })
}

/** Less than the time that open connections have to end. */
const PROMPT_MS = 4000

const performanceClock = { monotonic: () => performance.now(), now: Date.now }

interface Settings {
  readonly service?: TestServiceOptions
  readonly session?: Partial<RpcSessionOptions>
  readonly connections?: Partial<WebSocketConnectionsDeps>
  readonly http?: Partial<NodeHttpServerOptions>
}

interface RawTcp {
  readonly socket: Socket
  received: string
}

const HOST = 'Host: localhost\r\n'
const connections: Socket[] = []

/** A connection that sends a text and records the answers. */
function tcp(port: number, text: string): RawTcp {
  const socket = createConnection({ port, host: '127.0.0.1' })
  connections.push(socket)
  const raw: RawTcp = { socket, received: '' }
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    raw.received += chunk
  })
  socket.on('error', () => {})
  socket.write(text)
  return raw
}

const WAYS = ['the HTTP port', 'a port of its own'] as const

describe.each(WAYS)('WebSockets on %s', (way) => {
  const servers: HttpServer[] = []
  const clients: WebSocketClient[] = []
  const raws: RawWebSocket[] = []

  async function open(settings: Settings = {}) {
    const subscribers: Subscriber[] = []
    const sessions: RpcSession[] = []
    const methods = [...testMethods, subscribing(subscribers)]
    const service = testService({ transport: 'websocket', methods, ...settings.service })
    const { app, policy, exchange, envelope } = service
    const webSockets = new WebSocketConnections({
      policy,
      open: (port, authorization) => {
        const session = new RpcSession(
          { envelope, logger: silentLogger, clock: performanceClock, timers: testTimers, ...settings.session },
          port,
          authorization,
        )
        sessions.push(session)
        return session
      },
      ...settings.connections,
    })
    const listen = { host: '127.0.0.1', port: 0, webSockets, ...settings.http }
    const server = await (way === 'the HTTP port'
      ? serveHttp({ ...listen, policy, exchange, fetch: app.fetch })
      : serveWebSocket(listen))
    servers.push(server)
    const connect = (options?: ClientOptions): WebSocketClient => {
      const client = new WebSocketClient(server.port, options)
      clients.push(client)
      return client
    }
    const connectRaw = (): Promise<RawWebSocket> => {
      const raw = new RawWebSocket(server.port)
      raws.push(raw)
      return raw.opened()
    }
    return { service, server, subscribers, sessions, connect, connectRaw }
  }

  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.terminate()
    for (const { socket } of raws.splice(0)) socket.destroy()
    for (const socket of connections.splice(0)) socket.destroy()
    for (const server of servers.splice(0)) await server.close()
  })

  it('answers requests on any path', async () => {
    const { connect } = await open()
    expect(await connect().ask('eth_chainId')).toBe('0x1')
    expect(await connect({ path: '/v3/key?x=1' }).ask('eth_call', 'ü€😀')).toBe('ü€😀')
  })

  const error = (code: number, message: string): string =>
    `{"jsonrpc":"2.0","id":null,"error":{"code":${code},"message":"${message}"}}`

  it.each([
    ['a text', chainId, chainIdAnswer],
    ['bytes', new TextEncoder().encode(chainId), chainIdAnswer],
    ['a batch', `[${chainId},${chainId}]`, `[${chainIdAnswer},${chainIdAnswer}]`],
    ['an empty batch', '[]', '[]'],
    ['nothing', '', error(-32600, 'Invalid Request')],
    ['no bytes', new Uint8Array(0), error(-32600, 'Invalid Request')],
    ['bad JSON', '{"id":1', error(-32603, 'Internal error')],
    ['no request', '{}', error(-32600, 'Invalid Request')],
  ])('answers %s', async (_what, message, answer) => {
    const { connect } = await open()
    const client = await connect().send(message)
    expect(await client.received(1)).toEqual([answer])
  })

  it('does not answer notifications', async () => {
    const { connect } = await open()
    const client = await connect().send('{"jsonrpc":"2.0","method":"eth_chainId"}', '[null]', chainId)
    expect(await client.received(1)).toEqual([chainIdAnswer])
    expect(client.messages.length).toBe(1)
  })

  it('answers in the order in which requests complete', async () => {
    const { connect } = await open()
    const later = '{"jsonrpc":"2.0","id":2,"method":"eth_getLogs","params":[30]}'
    const client = await connect().send(later, chainId)
    const ids = (await client.received(2)).map((text) => JSON.parse(text).id)
    expect(ids).toEqual([1, 2])
  })

  it('accepts messages of four frames and closes the connection at longer ones', async () => {
    const { connect } = await open({ connections: { maxFrameBytes: 1000 } })
    const other = connect()
    const padded = (length: number): string => chainId.padEnd(length)
    const client = await connect().send(padded(4000))
    expect(await client.received(1)).toEqual([chainIdAnswer])
    await client.send(padded(4001))
    expect(await client.closed()).toBe(1009)
    expect(await other.ask('eth_chainId')).toBe('0x1')
  })

  it('refuses foreign hosts and origins', async () => {
    const { connect } = await open({ service: { corsOrigins: ['https://wallet\\.example'] } })
    const status = async (headers: Record<string, string>): Promise<number | undefined> => {
      const client = connect({ headers })
      await client.opened.catch(() => {})
      return client.refusedWith
    }
    expect(await status({ Host: 'evil.example' })).toBe(403)
    expect(await status({ Origin: 'https://evil.example' })).toBe(403)
    expect(await status({ Origin: 'https://wallet.example' })).toBe(undefined)
    expect(await status({ Host: 'localhost:1' })).toBe(undefined)
  })

  it('ends a refused connection although the client keeps its side open', async () => {
    const { server } = await open({ service: { hosts: ['other'] } })
    const raw = new RawWebSocket(server.port, true)
    raws.push(raw)
    await raw.opened()
    expect(raw.received).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(raw.received).toContain('\r\n\r\n{"message":"Host not authorized."}')
    const started = Date.now()
    await server.close()
    expect(Date.now() - started).toBeLessThan(PROMPT_MS)
  })

  it('answers a client that sends Expect: 100-continue', async () => {
    const { server, connect } = await open()
    const raw = tcp(server.port, `POST / HTTP/1.1\r\n${HOST}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`)
    await until(() => raw.received.startsWith('HTTP/1.1 '))
    expect(await connect().ask('eth_chainId')).toBe('0x1')
  })

  it('refuses several Host headers', async () => {
    const { server } = await open()
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
    const nonce = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    const raw = tcp(server.port, `GET / HTTP/1.1\r\n${HOST}Host: evil.example\r\n${upgrade}${nonce}\r\n`)
    await until(() => raw.received !== '')
    expect(raw.received).toMatch(/^HTTP\/1\.1 400 /)
  })

  const served = way === 'the HTTP port' ? [way] : []
  it.each(served)('serves requests that offer another protocol, however many', notOnDeno, async () => {
    const { server } = await open()
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'
    const post = `POST / HTTP/1.1\r\n${HOST}${offer}Content-Length: ${chainId.length}\r\n\r\n${chainId}`
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    const pipelined = tcp(server.port, post.repeat(2000))
    const answers = ({ received }: RawTcp): number => received.split('"result":"0x1"').length - 1
    await until(
      () => answers(pipelined) === 2000,
      () => `${answers(pipelined)} answers`,
    )
    const sequence = tcp(server.port, '')
    for (let i = 1; i <= 300; i++) {
      sequence.socket.write(post)
      await until(() => answers(sequence) === i)
    }
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('closes connections beyond the limit immediately, and accepts others below it', async () => {
    const { connect } = await open({ connections: { maxConnections: 2 } })
    const first = connect()
    const others = [first, connect()]
    for (const client of others) expect(await client.ask('eth_chainId')).toBe('0x1')
    const third = connect()
    await expect(third.opened).rejects.toThrow()
    expect(third.refusedWith).toBe(undefined)
    first.socket.close()
    await first.closed()
    expect(await connect().ask('eth_chainId')).toBe('0x1')
  })

  it('does not count WebSockets as HTTP connections', async () => {
    const { connect } = await open({ http: { maxConnections: 2 } })
    for (let i = 0; i < 5; i++) expect(await connect().ask('eth_chainId')).toBe('0x1')
  })

  it('disconnects a client that does not read, and no other', async () => {
    const { connect, connectRaw, subscribers, sessions } = await open()
    const bad = await connectRaw()
    bad.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe"}')
    await until(() => subscribers.length === 1)
    bad.socket.pause()
    const good = connect()
    expect(await good.ask('eth_chainId')).toBe('0x1')
    const seen: boolean[] = []
    sessions[0]?.onClose(() => seen.push(true))
    const notification = 'x'.repeat(1 << 20)
    for (let i = 0; i < 60 && seen.length === 0; i++) {
      subscribers[0]?.send(notification)
      expect(await good.ask('eth_chainId')).toBe('0x1')
    }
    expect(seen).toEqual([true])
    bad.socket.resume()
    await until(() => bad.isClosed)
  })

  it('delivers an answer that exceeds the backlog limit, and the following ones', async () => {
    const { connect, subscribers } = await open({ session: { maxBacklogBytes: 1000 } })
    const client = await connect().send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe"}')
    await client.received(1)
    const long = 'y'.repeat(3_000_000)
    subscribers[0]?.send(long)
    subscribers[0]?.send('"next"')
    expect((await client.received(3))[1]).toBe(long)
    expect(client.messages[2]).toBe('"next"')
  })

  it('answers many simultaneous requests with long answers', async () => {
    const { connect } = await open()
    const call = JSON.stringify({ id: 1, method: 'eth_call', params: ['z'.repeat(50_000)] })
    const client = await connect().send(...Array<string>(600).fill(call))
    expect((await client.received(600)).length).toBe(600)
  })

  it('ends connections that answer no pings, and keeps those that do', async () => {
    const { connect, connectRaw } = await open({ connections: { pingIntervalMs: 40 } })
    const good = connect()
    expect(await good.ask('eth_chainId')).toBe('0x1')
    const bad = await connectRaw()
    await until(() => bad.isClosed)
    expect(await good.ask('eth_chainId')).toBe('0x1')
  })

  it('ends connections that keep sending requests and never read', async () => {
    const { connectRaw, sessions } = await open({ connections: { pingIntervalMs: 40 } })
    const bad = await connectRaw()
    bad.socket.pause()
    const call = JSON.stringify({ id: 1, method: 'eth_call', params: ['z'.repeat(60_000)] })
    for (let i = 0; i < 500; i++) bad.send(call)
    await until(() => sessions[0]?.isPaused === true)
    bad.socket.resume()
    bad.socket.pause()
    const ended: boolean[] = []
    sessions[0]?.onClose(() => ended.push(true))
    await until(() => ended.length === 1)
  })

  it('aborts requests of a disconnected client', async () => {
    const { connect, service } = await open()
    const client = await connect().send(slow)
    await until(() => service.backend.signals.length === 1)
    client.socket.terminate()
    await until(() => service.backend.signals[0]?.aborted === true)
  })

  it('closes with 1001, and promptly, when the server closes', async () => {
    const { connect, connectRaw, server, service } = await open({ connections: { closeTimeoutMs: 100 } })
    const busy = await connect().send(slow)
    const idle = connect()
    await idle.opened
    const dead = await connectRaw()
    await until(() => service.backend.signals.length === 1)
    const started = Date.now()
    await server.close()
    expect(Date.now() - started).toBeLessThan(PROMPT_MS)
    expect(await busy.closed()).toBe(1001)
    expect(await idle.closed()).toBe(1001)
    await until(() => dead.isClosed)
    expect(service.backend.signals[0]?.aborted).toBe(true)
    await expect(connect().opened).rejects.toThrow()
  })

  const post = (port: number, headers: Record<string, string>): Promise<[number | undefined, string]> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve([response.statusCode, text]))
      })
      sent.on('error', reject)
      sent.end(chainId)
    })

  it('still serves HTTP, or refuses it', async () => {
    const { server } = await open()
    const answer =
      way === 'the HTTP port' ? [200, chainIdAnswer] : [400, "Websocket endpoint can't handle HTTP requests"]
    expect(await post(server.port, {})).toEqual(answer)
    expect(await post(server.port, { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' })).toEqual(answer)
  })
})
