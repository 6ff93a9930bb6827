// slow: many handshakes
/** The protection of JSON-RPC over HTTP applies to GraphQL as well. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest, type RequestOptions } from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ListeningNode, type NodeFlags, type StartOptions, startNode } from '../../../../../mod.ts'
import { notOnBun } from '../../../../support/host/needs.ts'
import { openDevNode } from '../../../../support/nodes/devNodeInMemory.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'isonode-graphql-access-'))
const keyFile = path.join(directory, 'key.pem')
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
beforeAll(async () => writeFileSync(keyFile, await exportSPKI(publicKey)))
afterAll(() => rmSync(directory, { recursive: true }))

const opened: ListeningNode[] = []
/** On Deno, a node waits for connections that a client has left. The next test does not. */
const closing: Promise<void>[] = []
afterEach(() => {
  closing.push(...opened.splice(0).map((node) => node.close()))
})
afterAll(async () => {
  await Promise.all(closing)
})

async function start(flags: NodeFlags = {}, options: StartOptions = {}): Promise<string> {
  const node = await startNode({ graphql: true, flags, ...options })
  opened.push(node)
  return node.graphqlUrl ?? ''
}

const withKey = {
  rpcHttpAuthenticationEnabled: true,
  rpcHttpAuthenticationJwtPublicKeyFile: keyFile,
  rpcHttpAuthenticationJwtAlgorithm: 'es256',
} as const
const withWebSocketKey = {
  rpcWsAuthenticationEnabled: true,
  rpcWsAuthenticationJwtPublicKeyFile: keyFile,
  rpcWsAuthenticationJwtAlgorithm: 'es256',
} as const

const tls = path.resolve(import.meta.dirname, '../../../../fixtures/tls')
const pem = (name: string): Buffer => readFileSync(path.join(tls, name))
const withTls = { rpcHttpTlsEnabled: true, rpcHttpTlsKeystoreFile: path.join(tls, 'server.pem') }

const token = (permissions: readonly string[], lifeSeconds = 60): Promise<string> =>
  new SignJWT({ permissions })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime(Math.floor(Date.now() / 1000) + lifeSeconds)
    .sign(privateKey)

interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly bytes: Buffer
  readonly text: string
}

function send(
  url: string,
  query: string | undefined,
  options: https.RequestOptions | RequestOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const open = url.startsWith('https') ? https.request : httpRequest
    const method = query === undefined ? 'GET' : 'POST'
    const sent = open(url, { method, agent: false, ...options }, async (response) => {
      const bytes = await buffer(response)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() })
    })
    sent.on('error', reject)
    sent.end(query)
  })
}

const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } })
const QUERY = '{ block { number } }'
const ANSWER = '{"data":{"block":{"number":0}}}'
const MUTATION = 'mutation { sendRawTransaction(data: "0x00") }'
const UNAUTHORIZED =
  '{"errors":[{"message":"Unauthorized","extensions":{"errorCode":-40100,"errorMessage":"Unauthorized"}}]}'

describe('authentication', () => {
  it.each([
    ['HTTP', withKey],
    ['WebSocket', withWebSocketKey],
    [
      'both, with open methods',
      { ...withKey, ...withWebSocketKey, rpcHttpApiMethodsNoAuth: ['eth_chainId', 'eth_call'] },
    ],
  ])('of %s applies to every request', async (_name, options) => {
    const url = await start(options)
    const asParameter = `${url}?query=${encodeURIComponent(QUERY)}`
    const [head = '', claims = ''] = (await token(['*:*'])).split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const refused = [
      await send(url, QUERY),
      await send(asParameter, undefined),
      await send(url, '{ __typename }'),
      await send(url, 'not GraphQL'),
      await send(url, QUERY, { headers: { authorization: 'Basic YTpi' } }),
      await send(url, QUERY, bearer(await token(['*:*'], -1))),
      await send(url, QUERY, bearer(`${none}.${claims}.`)),
      await send(url, QUERY, bearer(`${head}.${claims}.AAAA`)),
    ]
    expect(refused.map(({ status, text }) => [status, text])).toEqual(refused.map(() => [401, UNAUTHORIZED]))
    for (const target of [url, asParameter]) {
      const { status, text } = await send(target, target === url ? QUERY : undefined, bearer(await token(['eth:*'])))
      expect([status, text]).toEqual([200, ANSWER])
    }
  })

  it.each<[string, readonly string[], string, boolean]>([
    ['a query', ['eth:*'], QUERY, true],
    ['a query', ['*:*'], QUERY, true],
    ['a query', ['eth:getBlockByNumber', 'eth:sendRawTransaction'], QUERY, false],
    ['a query', ['net:*'], QUERY, false],
    ['a mutation', ['eth:sendRawTransaction'], MUTATION, true],
    ['a mutation', ['eth:*'], MUTATION, true],
    ['a mutation', ['eth:blockNumber'], MUTATION, false],
    [
      'the named operation',
      ['eth:sendRawTransaction'],
      `query a ${QUERY} ${MUTATION.replace('mutation', 'mutation b')}`,
      false,
    ],
  ])('%s with the permissions %j: %s is executed: %s', async (_kind, permissions, query, isExecuted) => {
    const url = await start(withKey)
    const { status, text } = await send(url, query, bearer(await token(permissions)))
    if (isExecuted) expect([status, text]).not.toEqual([401, UNAUTHORIZED])
    else expect([status, text]).toEqual([401, UNAUTHORIZED])
  })

  it('reads no body without a token', async () => {
    const { port } = new URL(await start(withKey))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n')
    const first = await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    expect(String(first)).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('lets pages of allowed origins send tokens; the page itself needs none', async () => {
    const url = await start(withKey)
    const preflight = await send(url, undefined, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    })
    expect(preflight.headers['access-control-allow-headers']).toBe('*,content-type,authorization')
    expect((await send(url, undefined, { headers: { accept: 'text/html' } })).status).toBe(200)
  })

  it('also applies to `fetch`, on hosts without sockets', async () => {
    const authenticate = (authorization: string | undefined) => ({
      permits: (method: string) => authorization === 'Bearer reader' && method === 'eth_*',
      claims: undefined,
    })
    const access = { authenticate, tokenRequired: true }
    const { node } = await openDevNode({ 'rpc-http-authentication-enabled': true }, undefined, {
      access: { http: access, webSocket: access },
    })
    const ask = async (headers: Record<string, string>, body = QUERY) => {
      const request = new Request('http://localhost/graphql', { method: 'POST', headers, body })
      const response = await node.endpoints.get('graphql').fetch(request)
      return [response.status, await response.text()]
    }
    expect(await ask({})).toEqual([401, UNAUTHORIZED])
    expect(await ask({ authorization: 'Bearer other' })).toEqual([401, UNAUTHORIZED])
    expect(await ask({ authorization: 'Bearer reader' }, MUTATION)).toEqual([401, UNAUTHORIZED])
    expect(await ask({ authorization: 'Bearer reader' })).toEqual([200, ANSWER])
    await node.close()
  })
})

describe('TLS', () => {
  it('serves GraphQL', async () => {
    const url = await start(withTls)
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/graphql$/)
    expect((await send(url, QUERY, { ca: pem('server.crt') })).text).toBe(ANSWER)
    await expect(send(url.replace('https', 'http'), QUERY)).rejects.toThrow()
    const old = { ca: pem('server.crt'), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    await expect(send(url, QUERY, old as https.RequestOptions)).rejects.toThrow()
  })

  it('demands client certificates', notOnBun, async () => {
    const url = await start({
      ...withTls,
      rpcHttpTlsClientAuthEnabled: true,
      rpcHttpTlsKnownClientsFile: path.join(tls, 'knownClients.txt'),
    })
    const client = (name: string) => ({ ca: pem('server.crt'), cert: pem(`${name}.pem`), key: pem(`${name}.pem`) })
    expect((await send(url, QUERY, client('known'))).text).toBe(ANSWER)
    await expect(send(url, QUERY, client('unknown'))).rejects.toThrow()
    await expect(send(url, QUERY, { ca: pem('server.crt') })).rejects.toThrow()
  })
})

describe('limits of connections', () => {
  it('requests per second', async () => {
    const url = await start({ rpcMaxRequestsPerSecond: 1 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect((await send(url, QUERY, { agent })).status).toBe(200)
    const { status, headers, text } = await send(url, QUERY, { agent })
    agent.destroy()
    expect([status, headers['retry-after'], text]).toEqual([429, '1', '{"errors":[{"message":"Too many requests"}]}'])
  })

  it('number of connections', notOnBun, async () => {
    const { port } = new URL(await start({ rpcHttpMaxActiveConnections: 1 }))
    const first = connect(Number(port), '127.0.0.1')
    await new Promise((resolve) => first.once('connect', resolve))
    const second = connect(Number(port), '127.0.0.1')
    await new Promise((resolve) => second.on('error', () => {}).once('close', resolve))
    expect(first.destroyed).toBe(false)
    first.destroy()
  })

  it('compression', async () => {
    const url = await start({ rpcHttpCompressionEnabled: true })
    const query = '{ block { hash parent { hash } logsBloom stateRoot receiptsRoot transactionsRoot ommerHash raw } }'
    const plain = await send(url, query)
    const gzipped = await send(url, query, { headers: { 'accept-encoding': 'gzip' } })
    expect(gzipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzipped.bytes).toString()).toBe(plain.text)
  })
})

describe('observation', () => {
  it('a request is one of the method graphql in the log and in the metrics', async () => {
    const log: string[] = []
    const url = await start(
      { metricsEnabled: true, metricsPort: 0 },
      { verbose: true, log: (entry) => void log.push(entry) },
    )
    await send(url, QUERY)
    await send(url, '{ block { nothing } }')
    const node = opened[0] as ListeningNode
    const { rpc } = (await node.request({ method: 'debug_metrics' })) as { readonly rpc: Record<string, unknown> }
    expect(JSON.stringify(rpc)).toContain('graphql')
    await node.close()
    const lines = log.filter((entry) => entry.includes('graphql '))
    expect(lines[0]).toMatch(/graphql +[\d.]+ ms/)
    expect(lines[1]).toMatch(/error 400: .*nothing/)
  })
})
