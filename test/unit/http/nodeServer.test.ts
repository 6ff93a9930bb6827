import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/host/eventually.ts'
import { onlyOnNode } from '../../support/host/needs.ts'
import { type Raw, rawServers, responses } from '../../support/rpc/rawConnection.ts'
import { define, testMethods } from '../../support/rpc/rpcService.ts'

/** Less than the time that open connections have to end. */
const PROMPT_MS = 4000
const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const slow = '{"jsonrpc":"2.0","id":1,"method":"eth_getWork"}'

const post = (body: string, ...headers: string[]) =>
  ['POST / HTTP/1.1', 'Host: localhost', `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n')

const closed = (raw: Raw) => raw.closed

describe('the server on Node', () => {
  const open = rawServers()

  it('answers pipelined requests as far as the client reads, and other clients meanwhile', onlyOnNode, async () => {
    const answerLength = 100_000
    const long = define('eth_long', 'ETH', () => 'x'.repeat(answerLength))
    const { service, connect } = await open({}, { methods: [...testMethods, long] })
    const request = post('{"jsonrpc":"2.0","id":1,"method":"eth_long"}')
    const count = 400
    const silent = connect()
    silent.socket.pause()
    silent.send(request.repeat(count))
    await (
      await connect()
        .send(post(chainId))
        .until((raw) => responses(raw) === 1)
    ).send(post(chainId))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(service.backend.ran.filter((name) => name === 'eth_long').length).toBeLessThan(count / 4)
    silent.socket.resume()
    await silent.until(({ received }) => received.length > count * answerLength, 20_000)
    expect(responses(silent)).toBe(count)
  })

  it('reports its port, and a port in use', async () => {
    const { server } = await open()
    expect(server.port).toBeGreaterThan(0)
    expect(server.host).toBe('127.0.0.1')
    await expect(open({ port: server.port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: `port ${server.port} on 127.0.0.1 is in use by another process`,
    })
    await expect(open({ host: '203.0.113.1' })).rejects.toMatchObject({ code: 'LISTEN_FAILED' })
  })

  it('keeps connections open and answers pipelined requests in order', async () => {
    const { connect } = await open()
    const syncing = '{"jsonrpc":"2.0","id":2,"method":"eth_syncing"}'
    const raw = connect().send(
      `${post(syncing) + post(chainId) + post(syncing)}GET /liveness HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    )
    await raw.until((it) => responses(it) === 4)
    const bodies = [...raw.received.matchAll(/\{.*\}/g)].map(([text]) => JSON.parse(text).id ?? text)
    expect(bodies).toEqual([2, 1, 2, '{"status":"UP"}'])
    raw.send(post(chainId))
    await raw.until((it) => responses(it) === 5)
    expect(raw.closed).toBe(false)
  })

  it('accepts a request byte by byte', async () => {
    const { connect } = await open()
    const raw = connect()
    for (const byte of post(chainId)) {
      raw.send(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await raw.until((it) => it.received.includes('"result":"0x1"'))
  })

  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', '400'],
    ['a header without a colon', 'POST / HTTP/1.1\r\nHost localhost\r\n\r\n', '400'],
    ['no host', 'POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n', '400'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', '400'],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400',
    ],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n', '400'],
    ['a broken chunk', 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', '400'],
    ['long headers', `POST / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, '431'],
    ['HTTP/1.0 without a host', 'POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n', '403'],
    ['an unknown verb', 'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n', '400'],
  ])('survives %s', async (_what, text, status) => {
    const { connect } = await open()
    const raw = await connect()
      .send(text)
      .until((it) => it.received !== '' && it.closed)
    expect(raw.received).toMatch(new RegExp(`^HTTP/1\\.[01] ${status}`))
    await connect()
      .send(post(chainId))
      .until((it) => it.received.includes('"0x1"'))
  })

  it('closes a connection that does not send its headers, or its body, in time', async () => {
    const { connect } = await open({ headersTimeoutMs: 100, requestTimeoutMs: 200 })
    const headers = connect().send('POST / HTTP/1.1\r\nHost: local')
    const body = connect().send(post(chainId).slice(0, -5))
    await headers.until(closed)
    await body.until(closed)
    expect(headers.received).toMatch(/^HTTP\/1\.1 408/)
    expect(body.received).toMatch(/^HTTP\/1\.1 408/)
  })

  it('answers a WebSocket upgrade as an ordinary request if it serves no WebSockets', async () => {
    const { connect, server } = await open()
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    const raw = connect().send(post(chainId, ...upgrade, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='))
    await raw.until((it) => it.received.includes('"result":"0x1"'))
    const started = Date.now()
    await server.close()
    expect(Date.now() - started).toBeLessThan(PROMPT_MS)
  })

  it('closes idle connections after a while', async () => {
    const { connect } = await open({ keepAliveTimeoutMs: 50 })
    const raw = connect().send(post(chainId))
    await raw.until((it) => responses(it) === 1)
    await raw.until(closed)
  })

  it('closes connections beyond the limit immediately', async () => {
    const { connect } = await open({ maxConnections: 2 })
    const first = [connect(), connect()]
    for (const raw of first) await raw.send(post(chainId)).until((it) => responses(it) === 1)
    const third = await connect().send(post(chainId)).until(closed)
    expect(third.received).toBe('')
    first[0]?.socket.destroy()
    // The server notices the end of a connection some time after its client.
    await eventually(async () => {
      const raw = await connect()
        .send(post(chainId))
        .until((it) => responses(it) === 1 || it.closed)
      expect(responses(raw)).toBe(1)
    })
  })

  it('answers 100 Continue on request, and refuses before the body is sent', async () => {
    const { connect } = await open()
    const headers = post(chainId, 'Expect: 100-continue').slice(0, -chainId.length)
    const raw = await connect()
      .send(headers)
      .until((it) => it.received.includes('100 Continue'))
    await raw.send(chainId).until((it) => it.received.includes('"0x1"'))
    const large = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\nExpect: 100-continue\r\n\r\n'
    const refused = await connect()
      .send(large)
      .until((it) => responses(it) === 1)
    expect(refused.received).toMatch(/^HTTP\/1\.1 413/)
  })

  it('delivers the answer to a refused body although the client continues sending', async () => {
    const { connect } = await open({}, { maxBodyBytes: 1000 })
    const raw = connect().send('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
    for (let i = 0; i < 200; i++) raw.send(`2710\r\n${'x'.repeat(10_000)}\r\n`)
    raw.send('0\r\n\r\n')
    await raw.until((it) => it.received.includes('413') && it.closed)
    expect(responses(raw)).toBe(1)
  })

  it('discards a truncated body', async () => {
    const { connect, service } = await open()
    const raw = connect().send(post(chainId).slice(0, -5))
    await new Promise((resolve) => setTimeout(resolve, 20))
    raw.socket.destroy()
    await connect()
      .send(post(chainId))
      .until((it) => responses(it) === 1)
    expect(service.backend.ran).toEqual(['eth_chainId'])
  })

  it.each([true, false])('aborts requests of a disconnected client (direct: %s)', async (direct) => {
    const { connect, service } = await open({ direct })
    const raw = connect().send(post(slow))
    await raw.until(() => service.backend.signals.length === 1)
    raw.socket.destroy()
    await raw.until(() => service.backend.signals[0]?.aborted === true)
  })

  it('closes the connection of a request that took too long', async () => {
    const { connect } = await open({}, { timeoutMs: 30 })
    const raw = await connect().send(post(slow)).until(closed)
    expect(raw.received).toMatch(/^HTTP\/1\.1 504/)
  })

  it.each([true, false])('finishes requests in progress when it closes (direct: %s)', async (direct) => {
    const { connect, server, service } = await open({ direct, drainTimeoutMs: 20_000 }, { timeoutMs: 100 })
    const idle = await connect()
      .send(post(chainId))
      .until((it) => responses(it) === 1)
    const busy = connect().send(post(slow))
    await busy.until(() => service.backend.signals.length === 1)
    const started = Date.now()
    await server.close()
    expect(Date.now() - started).toBeLessThan(PROMPT_MS)
    await busy.until(closed)
    await idle.until(closed)
    expect(busy.received).toMatch(/^HTTP\/1\.1 504/)
    await connect().until(closed)
  })

  it('does not wait for connections that have sent no request when it closes', async () => {
    const { connect, server } = await open()
    const [fresh, half] = [connect(), connect().send('POST / HT')]
    const served = await connect()
      .send(post(chainId))
      .until((it) => responses(it) === 1)
    const started = Date.now()
    await server.close()
    expect(Date.now() - started).toBeLessThan(PROMPT_MS)
    // Bun closes connections that have sent no request only when the process ends.
    for (const raw of 'Bun' in globalThis ? [served] : [fresh, half, served]) await raw.until(closed)
  })

  it.each([true, false])(
    'does not keep a connection that becomes idle while it closes (direct: %s)',
    async (direct) => {
      const { connect, server, service } = await open({ direct })
      const raw = connect().send(post('{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[100]}'))
      await raw.until(() => service.backend.ran.length === 1)
      const started = Date.now()
      await server.close()
      expect(Date.now() - started).toBeLessThan(PROMPT_MS)
      await raw.until(closed)
      expect(raw.received).toMatch(/^HTTP\/1\.1 200/)
    },
  )

  it('waits for clients only for a limited time when it closes', async () => {
    const { connect, server, service } = await open({ drainTimeoutMs: 50 })
    const raw = connect().send(post(slow))
    await raw.until(() => service.backend.signals.length === 1)
    await server.close()
    await raw.until(closed)
    expect(service.backend.signals[0]?.aborted).toBe(true)
  })
})
