/** The explorer's page and its files. */
import { request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveHttp } from '../../../adapters/server/http/httpServer.ts'
import type { PackedAsset } from '../../../src/base/ports/webAssets.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const PAGE = '<!doctype html><title>explorer</title>'
const SCRIPT = 'console.log("explorer")'

function packed(text: string, contentType: string): PackedAsset {
  return {
    contentType,
    gzip: new Uint8Array(gzipSync(text)),
    decompress: () => new TextEncoder().encode(text),
  }
}

const FILES = new Map([
  ['index.html', packed(PAGE, 'text/html; charset=utf-8')],
  ['ui/main-1.js', packed(SCRIPT, 'text/javascript; charset=utf-8')],
])

let node: OpenedNode
let server: HttpServer
let isBuilt = true
beforeAll(async () => {
  node = await openDevNode({ ui: true }, undefined, {
    explorer: async (name) => (isBuilt ? FILES.get(name) : undefined),
  })
  server = await serveHttp({ host: '127.0.0.1', port: 0, ...node.node.endpoints.get('http') })
})
afterAll(async () => {
  await server.close()
  await node.node.close()
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

/** node:http's client sends any Host and Origin, and decompresses nothing. */
function call(path: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const target = { port: server.port, host: '127.0.0.1', method, path, headers, agent: false }
    const request = httpRequest(target, async (response) => {
      const { statusCode = 0, headers: answered } = response
      const received = await buffer(response)
      resolve({ status: statusCode, headers: new Headers(answered as Record<string, string>), body: received })
    })
    request.on('error', reject)
    request.end(body)
  })
}

const HTML = { accept: 'text/html' }

describe('the page', () => {
  it('is what browsers get, and programs get the text', async () => {
    const page = await call('/', HTML)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.body.toString()).toBe(PAGE)
    expect((await call('/?rpc=x', HTML)).body.toString()).toBe(PAGE)
    const text = (await call('/')).body.toString()
    expect(text).toContain('a JSON-RPC endpoint')
    expect(text).toContain('In a browser, http://127.0.0.1')
  })

  it('forbids code, HTML, frames and connections that are not its own', async () => {
    const { headers } = await call('/', { ...HTML, host: 'localhost:1234' })
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; " +
        "connect-src 'self' ws://localhost:1234",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers.get('permissions-policy')).toMatch(/\bcamera=\(\), .*\busb=\(\)/)
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('is not sent again while it is the same', async () => {
    const first = await call('/', HTML)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const tag = first.headers.get('etag') ?? ''
    const again = await call('/', { ...HTML, 'if-none-match': tag, 'accept-encoding': 'gzip' })
    expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) })
    expect(again.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await call('/', { ...HTML, 'if-none-match': 'W/"0"' })).status).toBe(200)
  })

  it('says how it is built where it is not built, and appears once it is', async () => {
    const unbuilt = await openDevNode({ ui: true }, undefined, {
      explorer: async (name) => (isBuilt ? FILES.get(name) : undefined),
    })
    const { fetch } = unbuilt.node.endpoints.get('http')
    const visit = () => fetch(new Request('http://localhost/', { headers: HTML })) as Promise<Response>
    isBuilt = false
    const answer = await visit()
    isBuilt = true
    expect(await answer.text()).toContain('npm run build:page')
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(await (await visit()).text()).toBe(PAGE)
    await unbuilt.node.close()
  })

  it('is absent unless the node is asked for it', async () => {
    const plain = await openDevNode({ ui: false }, undefined, { explorer: async (name) => FILES.get(name) })
    const { fetch } = plain.node.endpoints.get('http')
    for (const path of ['/', '/ui/main-1.js', '/tx/0x1']) {
      const answer = await fetch(new Request(`http://localhost${path}`, { headers: HTML }))
      expect(await (answer as Response).text()).not.toContain('explorer')
    }
    await plain.node.close()
  })
})

describe('its files', () => {
  it.each([
    ['br', undefined],
    ['gzip', gunzipSync],
    ['gzip, deflate, br, zstd', gunzipSync],
    ['br;q=0, gzip', gunzipSync],
    ['identity', undefined],
    [undefined, undefined],
  ])('are sent as the client accepts them: %s', async (accepted, decompress) => {
    const answer = await call('/ui/main-1.js', accepted === undefined ? {} : { 'accept-encoding': accepted })
    expect(answer.status).toBe(200)
    expect((decompress?.(answer.body) ?? answer.body).toString()).toBe(SCRIPT)
    expect(answer.headers.has('content-encoding')).toBe(decompress !== undefined)
    expect(answer.headers.get('vary')).toBe('Accept-Encoding')
  })

  it('are kept by browsers, and only for the page', async () => {
    const { headers } = await call('/ui/main-1.js')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  })

  it.each([
    '/ui/',
    '/ui/index.html',
    '/ui/other.js',
    '/ui/..%2findex.html',
    '/ui/../index.html',
    '/index.html',
    '/uix',
  ])('do not include %s', async (path) => {
    const { status, headers } = await call(path)
    expect(status).toBe(404)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('are only read', async () => {
    expect((await call('/ui/main-1.js', {}, 'POST')).status).toBe(404)
    const head = await call('/ui/main-1.js', {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) })
  })
})

describe('links of EIP-3091', () => {
  const hash = `0x${'ab'.repeat(32)}`
  it.each([
    [`/tx/${hash}`, `/#/tx/${hash}`],
    [`/block/${hash}`, `/#/block/${hash}`],
    ['/block/17/', '/#/block/17'],
    [`/address/0x${'Ab'.repeat(20)}`, `/#/address/0x${'Ab'.repeat(20)}`],
    [`/token/0x${'12'.repeat(20)}?a=1`, `/#/token/0x${'12'.repeat(20)}`],
  ])('%s leads to the page', async (path, location) => {
    const { status, headers } = await call(path)
    expect([status, headers.get('location')]).toEqual([302, location])
  })

  it.each(['/tx/', '/tx/17', '/tx/0x%0d%0aX:1', '/block/-1', '/block/latest', '/tx/0x1/evil', '//evil.example/tx/0x1'])(
    '%s leads nowhere',
    async (path) => {
      expect((await call(path)).status).toBe(404)
    },
  )
})

describe('other pages', () => {
  const block = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'
  const post = (headers: Record<string, string>) => call('/', headers, 'POST', block)

  it('cannot call, but the page can', async () => {
    const host = `127.0.0.1:${server.port}`
    const own = await post({ host, origin: `http://${host}` })
    expect(own.body.toString()).toContain('"result":"0x0"')
    expect(own.headers.has('access-control-allow-origin')).toBe(false)
    for (const origin of ['https://evil.example', 'null', `http://evil.example:${server.port}`]) {
      expect((await post({ host, origin })).status).toBe(403)
    }
  })

  it('cannot call under a name that leads to the node', async () => {
    const host = `evil.example:${server.port}`
    expect((await post({ host, origin: `http://${host}` })).status).toBe(403)
    expect((await call('/', { ...HTML, host })).status).toBe(403)
    expect((await call('/ui/main-1.js', { host })).status).toBe(403)
    expect((await call('/tx/0x1', { host })).status).toBe(403)
  })
})
