import { describe, expect, it } from 'vitest'
import type { NodeHttpServerOptions } from '../../../../../adapters/server/http/httpServer.ts'
import { StreamedResult } from '../../../../../src/rpc/streamedResult.ts'
import { onlyOnNode } from '../../../../support/host/needs.ts'
import { type Raw, rawServers, responses } from '../../../../support/rpc/rawConnection.ts'
import { define, type TestServiceOptions, testMethods } from '../../../../support/rpc/rpcService.ts'

const LONG = 300_000
const request = (method: string, id = 1) => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`
const chainId = request('eth_chainId')

const post = (body: string, ...headers: string[]) =>
  ['POST / HTTP/1.1', 'Host: localhost', `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join(
    '\r\n',
  )

const methods = [
  ...testMethods,
  define('eth_umlaut', 'ETH', () => 'ä€😀'),
  define('eth_long', 'ETH', () => 'x'.repeat(LONG)),
  define('eth_middle', 'ETH', () => 'x'.repeat(100_000)),
  define('eth_later', 'ETH', () => new Promise((resolve) => setTimeout(resolve, 50, 'later'))),
  define(
    'eth_stream',
    'ETH',
    () =>
      new StreamedResult(async (out) => {
        out.ascii('"')
        for (let i = 0; i < 40; i++) {
          out.ascii('y'.repeat(10_000))
          if (out.isFull) await out.drained()
          await new Promise((resolve) => setImmediate(resolve))
        }
        out.ascii('"')
      }),
  ),
]

const answered = (count: number) => (raw: Raw) => responses(raw) === count
const head = (raw: Raw) =>
  raw.received
    .slice(0, raw.received.indexOf('\r\n\r\n'))
    .split('\r\n')
    .filter((line) => !line.startsWith('Date:'))
    .toSorted()

describe('a connection with plain requests', onlyOnNode, () => {
  const openServer = rawServers()
  const open = (options: Partial<NodeHttpServerOptions> = {}, serviceOptions: TestServiceOptions = {}) =>
    openServer(options, { methods, ...serviceOptions })

  it.each([
    ['a short answer', post(chainId)],
    ['an answer beyond ASCII', post(request('eth_umlaut'))],
    ['an asynchronous answer', post(request('eth_later'))],
    ['an answer of many bytes', post(request('eth_long'))],
    ['a streamed answer', post(request('eth_stream'))],
    ['an error', post('{')],
    ['an allowed origin', post(chainId, 'Origin: http://good')],
  ])('has the same header lines as through node:http: %s', async (_name, text) => {
    const rules = { corsOrigins: ['http://good'] }
    const direct = await open({}, rules)
    const other = await open({}, rules)
    const first = direct.connect().send(text)
    // An unusual header that means nothing.
    const second = other.connect().send(text.replace('Host:', 'TE: deflate\r\nHost:'))
    const isComplete = (raw: Raw) => responses(raw) === 1 && /\r\n\r\n/.test(raw.received)
    expect(head(await first.until(isComplete))).toEqual(head(await second.until(isComplete)))
  })

  it('answers every kind of request, one after the other', async () => {
    const { connect } = await open({ compresses: true })
    const raw = connect()
    const kinds = ['eth_chainId', 'eth_umlaut', 'eth_later', 'eth_middle', 'eth_long', 'eth_stream', 'eth_chainId']
    const ends = ['"0x1"}', '"ä€😀"}', '"later"}', 'xxx"}', 'xxx"}', '}\r\n0\r\n\r\n', '"0x1"}']
    for (const [i, kind] of kinds.entries()) {
      raw.send(post(request(kind, i)))
      await raw.until((it) => responses(it) === i + 1 && it.received.endsWith(ends[i] as string))
      expect(raw.received).toContain(`{"jsonrpc":"2.0","id":${i},"result":"`)
    }
    // The rest of the connection is read by node:http.
    raw.send(`GET /liveness HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await raw.until((it) => it.received.endsWith('{"status":"UP"}'))
    raw.send(post(request('eth_umlaut', 99)))
    await raw.until((it) => it.received.includes('"id":99,"result":"ä€😀"'))
    expect(raw.closed).toBe(false)
  })

  it('answers in order the requests that arrive before an answer', async () => {
    const { connect } = await open()
    const raw = connect().send(post(request('eth_later', 1)))
    await new Promise((resolve) => setTimeout(resolve, 10))
    raw.send(post(request('eth_later', 2)))
    await new Promise((resolve) => setTimeout(resolve, 10))
    raw.send(`${post(request('eth_chainId', 3))}${post(request('eth_umlaut', 4))}`)
    await raw.until(answered(4))
    expect([...raw.received.matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3', '4'])
  })

  it('aborts a call whose client disconnects, although it has sent more', async () => {
    const { connect, service } = await open()
    const raw = connect().send(post(request('eth_getWork')))
    await raw.until(() => service.backend.signals.length === 1)
    raw.send(post(chainId))
    await new Promise((resolve) => setTimeout(resolve, 10))
    raw.socket.destroy()
    await raw.until(() => service.backend.signals[0]?.aborted === true)
  })

  it('reads every head, also when it differs in one character', async () => {
    const { connect } = await open()
    const raw = connect()
    await raw.send(post(chainId)).until(answered(1))
    await raw.send(post(chainId).replace('localhost', 'localhosT')).until(answered(2))
    await raw.send(post(chainId).replace('localhost', 'localhose')).until(answered(3))
    expect([...raw.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '200', '403'])
    await raw.send(post(chainId)).until(answered(4))
  })

  it('refuses by host, origin and type, reports it once, and continues', async () => {
    const refused: unknown[] = []
    const { connect } = await open({}, { onRefused: (refusal) => refused.push(refusal) })
    const raw = connect()
    await raw.send(post(chainId).replace('localhost', 'example.com')).until(answered(1))
    await raw.send(post(chainId, 'Origin: http://bad')).until(answered(2))
    await raw.send(post(chainId, 'Accept: text/html')).until(answered(3))
    await raw.send(post(chainId)).until(answered(4))
    const statuses = [...raw.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect(statuses).toEqual(['403', '403', '406', '200'])
    expect(raw.received).toContain('Host not authorized.')
    expect(refused).toHaveLength(2)
  })

  it.each([
    ['a folded line', 'X: a\r\n b'],
    ['a bare line feed', 'X: a\nTransfer-Encoding: chunked'],
    ['two hosts', 'Host: localhost'],
    ['a name with a space', 'Content-Length : 3'],
    ['a control character', 'X: a\x01'],
  ])('leaves a doubtful head to node:http: %s', async (_name, line) => {
    const { connect, service } = await open()
    const raw = connect().send(post(chainId, line))
    await raw.until((it) => responses(it) === 1)
    expect(raw.received).toMatch(/^HTTP\/1\.1 400/)
    expect(service.backend.ran).toEqual([])
  })

  it('compresses long answers for clients that accept it', async () => {
    const { server } = await open({ compresses: true })
    const ask = async (method: string) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}`, {
        method: 'POST',
        headers: { 'Accept-Encoding': 'gzip' },
        body: request(method),
      })
      expect(answer.headers.get('content-encoding')).toBe(method === 'eth_chainId' ? null : 'gzip')
      return ((await answer.json()) as { result: string }).result.length
    }
    for (const _ of [1, 2]) {
      expect(await ask('eth_chainId')).toBe(3)
      expect(await ask('eth_long')).toBe(LONG)
      expect(await ask('eth_stream')).toBe(400_000)
      expect(await ask('eth_middle')).toBe(100_000)
    }
  })

  it('says that it closes with an answer during the end of the server', async () => {
    const { connect, server, service } = await open()
    const raw = connect().send(post(request('eth_later')))
    await raw.until(() => service.backend.ran.length === 1)
    await server.close()
    await raw.until((it) => it.closed)
    expect(raw.received).toMatch(/^HTTP\/1\.1 200/)
    expect(raw.received).toContain('Connection: close\r\n')
  })

  it('closes a connection without requests, and one that is idle, but none with a call in progress', async () => {
    const { connect } = await open({ headersTimeoutMs: 150, keepAliveTimeoutMs: 50 })
    const silent = connect()
    const idle = connect().send(post(chainId))
    const busy = connect().send(post('{"jsonrpc":"2.0","id":2,"method":"eth_getLogs","params":[400]}'))
    await silent.until((it) => it.closed)
    expect(silent.received).toMatch(/^HTTP\/1\.1 408/)
    await idle.until((it) => it.closed)
    expect(responses(idle)).toBe(1)
    await busy.until(answered(1))
  })
})
