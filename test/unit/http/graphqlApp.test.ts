/** The HTTP interface of GraphQL. */
import { request as httpRequest } from 'node:http'
import { text as collectText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isGraphql } from '../../../adapters/server/clientServers.ts'
import { serveHttp } from '../../../adapters/server/http/httpServer.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { GraphqlAnswers, GraphqlInput, GraphqlReply } from '../../../src/graphql/contract.ts'
import { createGraphqlFetch } from '../../../src/http/graphqlApp.ts'
import { GraphqlExchange } from '../../../src/http/graphqlExchange.ts'
import { graphqlRoutes } from '../../../src/http/graphqlRoutes.ts'
import { HttpPolicy } from '../../../src/http/policy.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { testClock } from '../../support/evm/evm.ts'
import { testTimers } from '../../support/host/testPorts.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

let node: OpenedNode
let server: HttpServer
beforeAll(async () => {
  node = await openDevNode({ 'graphql-http-cors-origins': ['https://good\\.example'] })
  const endpoint = node.node.endpoints.get('graphql')
  server = await serveHttp({ host: '127.0.0.1', port: 0, ...endpoint, isExchanged: isGraphql })
})
afterAll(async () => {
  await server.close()
  await node.node.close()
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type Call = (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<Answer>

const overFetch: Call = async (method, path, headers = {}, body) => {
  const url = new URL(path, 'http://localhost:8547')
  const request = new Request(url, { method, headers, body: body ?? null })
  const response = await node.node.endpoints.get('graphql').fetch(request)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** node:http's client sends any Host and Origin. */
const overSocket: Call = (method, path, headers = {}, body) =>
  new Promise((resolve, reject) => {
    const target = {
      port: server.port,
      host: '127.0.0.1',
      method,
      path: path.replace('/..', ''),
      headers,
      agent: false,
    }
    const request = httpRequest(target, async (response) => {
      const text = await collectText(response)
      resolve({
        status: response.statusCode ?? 0,
        headers: new Headers(response.headers as Record<string, string>),
        text,
      })
    })
    request.on('error', (error) => setTimeout(() => reject(error), 2000).unref())
    request.end(body)
  })

const PATHS: readonly (readonly [string, Call])[] = [
  ['through fetch', overFetch],
  ['on node:http', overSocket],
]

const exchangeOf = (load: () => Promise<GraphqlAnswers>, timeoutMs = 60_000) =>
  new GraphqlExchange({ load, timers: testTimers, clock: testClock, timeoutMs, logger: silentLogger })
const JSON_TYPE = { 'content-type': 'application/json' }
const QUERY = '{ block { number } }'
const ANSWER = '{"data":{"block":{"number":0}}}'

describe.each(PATHS)('%s:', (_, call) => {
  describe('requests', () => {
    it.each([
      ['POST', '/graphql', JSON_TYPE, JSON.stringify({ query: QUERY })],
      [
        'POST',
        '/graphql',
        { 'content-type': 'application/json; charset=utf-8' },
        JSON.stringify({ query: QUERY, variables: null }),
      ],
      ['POST', '/graphql', { 'content-type': 'application/graphql' }, QUERY],
      ['POST', '/graphql', { 'content-type': 'text/plain' }, QUERY],
      ['GET', `/graphql?query=${encodeURIComponent(QUERY)}`, {}, undefined],
      [
        'GET',
        `/graphql?query=${encodeURIComponent('query a($n: Long) { block(number: $n) { number } } query b { chainID }')}&operationName=a&variables=${encodeURIComponent('{"n":0}')}`,
        {},
        undefined,
      ],
      [
        'GET',
        `/graphql?query=${encodeURIComponent(QUERY)}&operationName=&variables=`,
        { accept: 'text/html' },
        undefined,
      ],
    ] as const)('%s %s', async (method, path, headers, body) => {
      const { status, headers: sent, text } = await call(method, path, headers, body)
      expect([status, sent.get('content-type'), text]).toEqual([200, 'application/json; charset=utf-8', ANSWER])
    })

    it.each([
      [JSON_TYPE, '{bad', 'Failed to decode JSON'],
      [JSON_TYPE, '', 'Failed to decode JSON'],
      [JSON_TYPE, '[]', 'the body is not a JSON object'],
      [JSON_TYPE, '{"query":5}', 'query is not text'],
      [JSON_TYPE, `{"query":"${QUERY}","variables":[]}`, 'variables are not a JSON object'],
      [JSON_TYPE, `{"query":"${QUERY}","operationName":1}`, 'operationName is not text'],
    ])('that cannot be read: %j %s', async (headers, body, message) => {
      const { status, text } = await call('POST', '/graphql', headers, body)
      expect([status, JSON.parse(text)]).toEqual([400, { result: message }])
    })

    it('by GET execute no mutation', async () => {
      const query = 'mutation { sendRawTransaction(data: "0x01") }'
      const { status, text } = await call('GET', `/graphql?query=${encodeURIComponent(query)}`)
      expect([status, JSON.parse(text)]).toEqual([405, { errors: [{ message: 'mutations need a POST request' }] }])
      const posted = await call('POST', '/graphql', JSON_TYPE, JSON.stringify({ query }))
      expect(posted.text).not.toContain('need a POST request')
    })

    it('of pages of other sites are refused, with or without an origin', async () => {
      const path = `/graphql?query=${encodeURIComponent(QUERY)}`
      const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
      expect((await call('GET', path, image)).status).toBe(403)
      expect((await call('GET', path, { ...image, origin: 'https://evil.example' })).status).toBe(403)
      expect((await call('GET', path, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    })

    it('without a query are empty documents', async () => {
      for (const answer of [await call('POST', '/graphql', JSON_TYPE, '{}'), await call('GET', '/graphql')]) {
        expect([answer.status, JSON.parse(answer.text).errors[0].extensions]).toEqual([
          400,
          { classification: 'InvalidSyntax' },
        ])
      }
    })

    it('that are too long are refused', async () => {
      const { status } = await call(
        'POST',
        '/graphql',
        JSON_TYPE,
        JSON.stringify({ query: `#${'x'.repeat(6_000_000)}` }),
      )
      expect(status).toBe(413)
    })
  })

  describe('routes', () => {
    it('the root redirects', async () => {
      const { status, headers } = await call('GET', '/')
      expect([status, headers.get('location')]).toEqual([308, '/graphql'])
    })

    it.each([
      ['POST', '/', 405],
      ['PUT', '/graphql', 405],
      ['DELETE', '/graphql', 405],
      ['GET', '/liveness', 404],
      ['POST', '/graphql/', 404],
      ['GET', '/graphql/graphiql/../../secret', 404],
      ['GET', '/graphql/graphiql/unknown.js', 404],
      ['POST', '/graphql/graphiql/page.js', 405],
    ])('%s %s: %i', async (method, path, status) => {
      expect((await call(method, path)).status).toBe(status)
    })
  })

  describe('the policy', () => {
    it('refuses hosts and origins', async () => {
      const host = await call('POST', '/graphql', { host: 'evil.example' }, QUERY)
      expect([host.status, host.text]).toEqual([403, '{"message":"Host not authorized."}'])
      expect((await call('POST', '/graphql', { origin: 'https://evil.example' }, QUERY)).status).toBe(403)
    })

    it('allows the origins of the GraphQL option', async () => {
      const origin = 'https://good.example'
      const { status, headers } = await call('POST', '/graphql', { origin }, QUERY)
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin])
      const preflight = await call('OPTIONS', '/graphql', { origin, 'access-control-request-method': 'POST' })
      expect(preflight.status).toBe(204)
    })
  })
})

describe('the page', () => {
  const accept = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  it('names the packages to install when they are missing', async () => {
    const { status, headers, text } = await overFetch('GET', '/graphql', accept)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toContain('npm install graphiql')
  })

  it('loads files of this server only', async () => {
    const bytes = new TextEncoder().encode('code')
    const fetch = createGraphqlFetch({
      policy: new HttpPolicy({ route: graphqlRoutes(true) }),
      exchange: exchangeOf(() => Promise.reject(new Error('not needed'))),
      assets: async () => new Map([['graphiql.js', { contentType: 'text/javascript', bytes }]]),
    })
    const page = await fetch(new Request('http://localhost/graphql', { headers: accept }))
    const sources = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string)
    expect(sources.filter((source) => !source.startsWith('/graphql/graphiql/'))).toEqual(['data:,'])
    const file = await fetch(new Request('http://localhost/graphql/graphiql/graphiql.js'))
    expect([await file.text(), file.headers.get('x-content-type-options')]).toEqual(['code', 'nosniff'])
    expect((await fetch(new Request('http://localhost/graphql/graphiql/page.js'))).status).toBe(200)
  })

  it('exists on the dev chain only', async () => {
    const policy = new HttpPolicy({ route: graphqlRoutes(false) })
    const facts = { host: 'localhost', origin: undefined, authorization: undefined, contentLength: undefined }
    const decide = (path: string) =>
      policy.decide({
        ...facts,
        method: 'GET',
        path,
        accept: 'text/html',
        requestedMethod: undefined,
        fetchSite: undefined,
      })
    expect(decide('/graphql').kind).toBe('graphql')
    expect(decide('/graphql/graphiql/page.js')).toMatchObject({ kind: 'answer', status: 404 })
  })
})

describe('slow requests', () => {
  const slowFetch = (timeoutMs: number, onSignal: (signal: AbortSignal | undefined) => void) => {
    const answer = (_: GraphqlInput, signal?: AbortSignal): Promise<GraphqlReply> =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ status: 400, body: '{}' }))
        onSignal(signal)
      })
    const exchange = exchangeOf(async () => ({ answer }), timeoutMs)
    return createGraphqlFetch({ policy: new HttpPolicy({ route: graphqlRoutes(false) }), exchange })
  }

  it('end with 504', async () => {
    const fetch = slowFetch(5, () => {})
    const response = await fetch(new Request('http://localhost/graphql', { method: 'POST', body: QUERY }))
    expect([response.status, response.headers.get('connection')]).toEqual([504, 'close'])
  })

  it('end when the client disconnects', async () => {
    const client = new AbortController()
    let signal: AbortSignal | undefined
    const fetch = slowFetch(60_000, (given) => {
      signal = given
      client.abort()
    })
    await fetch(new Request('http://localhost/graphql', { method: 'POST', body: QUERY, signal: client.signal }))
    expect(signal?.aborted).toBe(true)
  })
})
