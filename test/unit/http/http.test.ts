// slow: each case on four servers
import { readdirSync, readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { serveHttp } from '../../../adapters/server/http/httpServer.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { define, type TestServiceOptions, testService } from '../../support/rpc/rpcService.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

interface Call {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string | readonly string[]
}

interface Target {
  call(call: Call): Promise<Answer>
  close(): Promise<void>
}

type Open = (service: ReturnType<typeof testService>) => Promise<Target>

/** node:http's client: unlike fetch, it sends any Host and Origin, and never closes early. */
function overSocket(port: number, { method = 'POST', path: target = '/', headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, host: '127.0.0.1', method, path: target, headers, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      },
    )
    // Sending a refused body may fail while its answer is already in transit.
    request.on('error', (error) => setTimeout(() => reject(error), 2000).unref())
    if (body === undefined || typeof body === 'string') request.end(body)
    else {
      for (const chunk of body) request.write(chunk)
      request.end()
    }
  })
}

const node =
  (direct: boolean): Open =>
  async ({ app, policy, exchange }) => {
    const server = await serveHttp({ host: '127.0.0.1', port: 0, policy, exchange, fetch: app.fetch, direct })
    return { call: (call) => overSocket(server.port, call), close: () => server.close() }
  }

const inProgram: Open = async ({ app }) => ({
  close: async () => {},
  call: async ({ method = 'POST', path: target = '/', headers = {}, body }) => {
    const chunks = typeof body === 'string' || body === undefined ? body : new Blob([...body]).stream()
    const init: RequestInit = {
      method,
      headers: {
        ...(typeof body === 'string' ? { 'content-length': String(new TextEncoder().encode(body).length) } : {}),
        ...headers,
      },
    }
    if (chunks !== undefined) Object.assign(init, { body: chunks, duplex: 'half' })
    const response = await app.request(`http://localhost${target}`, init)
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  },
})

const targets: readonly [string, Open][] = [
  ['the app itself', inProgram],
  ['Node, straight to the envelope', node(true)],
  ['Node, through the app', node(false)],
]

interface RecordedCase {
  readonly name: string
  readonly request: unknown
  readonly response?: unknown
  readonly statusCode: number
  readonly compare: string
  readonly http?: { readonly method: string; readonly path: string }
}

const recorded = recordedPath('besu', 'frontier', 'cases', 'http')
const cases = readdirSync(recorded).map(
  (file) => JSON.parse(readFileSync(path.join(recorded, file), 'utf8')) as RecordedCase,
)

const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const answered = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'

describe.each(targets)('%s', (_name, open) => {
  const opened: Target[] = []
  const call = async (request: Call, options?: TestServiceOptions) => {
    const target = await open(testService(options))
    opened.push(target)
    return target.call(request)
  }
  afterEach(async () => {
    for (const target of opened.splice(0)) await target.close()
  })

  it('answers a request', async () => {
    const answer = await call({ body: chainId })
    expect(answer).toMatchObject({ status: 200, body: answered })
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json' })
  })

  it('answers in UTF-8', async () => {
    const body = '{"id":"é😀","method":"eth_call","params":["€"]}'
    expect((await call({ body })).body).toBe('{"jsonrpc":"2.0","id":"é😀","result":"€"}')
    expect(
      (await call({ body: ['{"id":"\u00e9', '\ud83d\ude00","method":"eth_call","params":["€"]}'] })).body,
    ).toContain('😀')
  })

  it('accepts chunked bodies', async () => {
    expect(await call({ body: [chainId.slice(0, 10), chainId.slice(10, 20), chainId.slice(20)] })).toMatchObject({
      status: 200,
      body: answered,
    })
  })

  it('has the status of the envelope', async () => {
    expect((await call({ body: '{' })).status).toBe(400)
    expect((await call({ body: '' })).status).toBe(400)
    expect((await call({})).status).toBe(400)
    expect(await call({ body: '{"method":"eth_chainId"}' })).toMatchObject({ status: 200, body: '' })
    expect(await call({ body: '[null]' })).toMatchObject({ status: 400, body: '' })
    expect((await call({ body: '[]' })).status).toBe(400)
  })

  it('waits for asynchronous handlers', async () => {
    expect((await call({ body: '{"id":1,"method":"eth_syncing"}' })).body).toContain('"result":false')
  })

  it('probes', async () => {
    expect(await call({ method: 'GET' })).toMatchObject({ status: 201, body: '' })
    expect(await call({ method: 'GET', path: '/liveness' })).toMatchObject({ status: 200, body: '{"status":"UP"}' })
    expect(await call({ method: 'GET', path: '/?x=1' })).toMatchObject({ status: 201 })
    expect(await call({ path: '/?x=1', body: chainId })).toMatchObject({ status: 200, body: answered })
  })

  it.each([
    ['', {}, 200],
    ['', { blocksBehind: 3 }, 503],
    ['?maxBlocksBehind=3', { blocksBehind: 3 }, 200],
    ['', { p2pEnabled: true }, 503],
    ['?minPeers=0', { p2pEnabled: true }, 200],
    ['?minPeers=2', { p2pEnabled: true, peerCount: 2 }, 200],
    ['?minPeers=x', {}, 503],
    ['?maxBlocksBehind=', {}, 503],
    ['', { isExtended: false }, 503],
    ['?minPeers=0', { isExtended: false }, 200],
  ])('is ready or not: %s %j', async (query, health, status) => {
    const answer = await call(
      { method: 'GET', path: `/readiness${query}` },
      { health: { isExtended: true, p2pEnabled: false, peerCount: 0, blocksBehind: 0, ...health } },
    )
    expect(answer).toMatchObject({ status })
    expect(answer.body).toMatch(status === 200 ? /^\{"status":"UP"\}$/ : /^\{"status":"DOWN","reason":".+"\}$/)
  })

  it('refuses by path, method, host, origin and accept', async () => {
    expect((await call({ method: 'GET', path: '/foo' })).status).toBe(404)
    expect((await call({ path: '/foo', body: 'x' })).status).toBe(404)
    expect((await call({ method: 'PUT', body: 'x' })).status).toBe(405)
    expect((await call({ method: 'HEAD' })).status).toBe(405)
    expect((await call({ body: chainId, headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await call({ body: chainId, headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await call({ body: chainId, headers: { accept: 'text/html' } })).status).toBe(406)
    expect((await call({ method: 'GET', path: '/foo', headers: { host: 'evil.example' } })).status).toBe(403)
  })

  it('answers allowed origins', async () => {
    const options = { corsOrigins: ['https://a.example'] }
    const headers = { origin: 'https://a.example' }
    const answer = await call({ body: chainId, headers }, options)
    expect(answer).toMatchObject({ status: 200, body: answered })
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': 'https://a.example', vary: 'Origin' })
    const preflight = await call(
      { method: 'OPTIONS', headers: { ...headers, 'access-control-request-method': 'POST' } },
      options,
    )
    expect(preflight).toMatchObject({ status: 204, body: '' })
    expect(preflight.headers).toMatchObject({ 'access-control-allow-headers': '*,content-type' })
    expect((await call({ method: 'GET', path: '/liveness', headers }, options)).headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
    })
  })

  it('refuses bodies that are too long', async () => {
    const options = { maxBodyBytes: 1000 }
    const long = `${chainId}${' '.repeat(2000)}`
    expect((await call({ body: long }, options)).status).toBe(413)
    expect((await call({ body: [chainId, ' '.repeat(500), ' '.repeat(500)] }, options)).status).toBe(413)
    expect((await call({ body: chainId + ' '.repeat(1000 - chainId.length) }, options)).status).toBe(200)
    expect((await call({ body: [chainId, ' '.repeat(1000 - chainId.length)] }, options)).status).toBe(200)
  })

  it('accepts at most 5 MiB', async () => {
    const room = 5 * 1024 * 1024 - chainId.length
    expect((await call({ body: chainId + ' '.repeat(room) })).status).toBe(200)
    expect((await call({ body: chainId + ' '.repeat(room + 1) })).status).toBe(413)
    expect((await call({ body: [chainId, ' '.repeat(room + 1)] })).status).toBe(413)
  })

  it('ends requests that take too long', async () => {
    const service = testService({ timeoutMs: 30 })
    const target = await open(service)
    opened.push(target)
    const answer = await target.call({ body: '{"id":1,"method":"eth_getWork"}' })
    expect(answer).toMatchObject({ status: 504, body: '' })
    expect(service.backend.signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('requires authentication', async () => {
    const authenticate = async (token: string | undefined) => ({
      permits: (method: string) => token === 'Bearer all' || method === 'eth_chainId',
      claims: undefined,
    })
    const body = '{"id":1,"method":"eth_mining"}'
    expect((await call({ body }, { authenticate })).status).toBe(401)
    expect((await call({ body, headers: { authorization: 'Bearer all' } }, { authenticate })).status).toBe(200)
    expect((await call({ body: chainId }, { authenticate })).status).toBe(200)
    expect((await call({ body: chainId }, { tokenRequired: true })).status).toBe(401)
    const broken = () => Promise.reject(new Error('no key'))
    expect((await call({ body: chainId }, { authenticate: broken })).status).toBe(500)
  })

  it('passes the claims of a token to the handlers', async () => {
    const method = define('eth_mine', 'ETH', (_backend, _params, { claims }) => claims)
    const claims = { username: 'alice', privacyPublicKey: 'k=' }
    const authenticate = () => ({ permits: () => true, claims })
    const answer = await call({ body: '{"id":1,"method":"eth_mine"}' }, { authenticate, methods: [method] })
    expect(JSON.parse(answer.body).result).toEqual(claims)
  })

  it('serves login if it is configured', async () => {
    expect((await call({ path: '/login', body: '{}' })).status).toBe(400)
    const login = async () => Response.json({ token: 'x' })
    const answer = await call({ path: '/login', body: '{}' }, { login })
    expect(answer).toMatchObject({ status: 200, body: '{"token":"x"}' })
  })

  it.each(cases)('answers the recorded case $name', async (item) => {
    const { request, response, statusCode, http, compare } = item
    const body = typeof request === 'string' ? request : JSON.stringify(request)
    const answer = await call(http === undefined ? { body } : { ...http, ...(request === null ? {} : { body }) })
    expect(answer.status).toBe(statusCode)
    if (response === null) expect(answer.body).toBe('')
    else if (compare === 'error')
      expect(JSON.parse(answer.body)).toMatchObject({
        error: { code: (response as { error: { code: number } }).error.code },
      })
    else if (response !== undefined) expect(JSON.parse(answer.body)).toEqual(response)
  })
})
