/** Transports over real sockets, with a remote that misbehaves. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openRemoteSocket } from '../../../adapters/server/net/remoteSocket.ts'
import { openRemoteTransport } from '../../../adapters/shared/remoteTransport.ts'
import { webClock, webWaitTimers } from '../../../adapters/shared/webPorts.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { isNodeError, type NodeError } from '../../../src/base/primitives/errors.ts'
import { createRemoteClient, type RemoteLimits } from '../../../src/remote/client.ts'
import type { RemoteClient } from '../../../src/remote/contract.ts'
import { onlyOnNode } from '../../support/host/needs.ts'
import { testRandom } from '../../support/host/testPorts.ts'
import { type RemoteFault, type RemoteHandler, RemoteProxy } from '../../support/remote/remoteProxy.ts'
import { failureOf } from '../../support/remote/virtualRemote.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function openProxy(handler: RemoteHandler = (method, params) => [method, ...params]): Promise<RemoteProxy> {
  const proxy = await RemoteProxy.start(handler)
  closing.push(() => proxy.close())
  return proxy
}

function openClient(url: string, limits: RemoteLimits = {}, headers: Record<string, string> = {}): RemoteClient {
  const client = createRemoteClient({
    sources: [openRemoteTransport(url, { headers, openSocket: openRemoteSocket })],
    clock: webClock,
    timers: webWaitTimers,
    random: testRandom,
    logger: silentLogger,
    limits: { backoffMs: 10, timeoutMs: 5_000, ...limits },
  })
  closing.push(() => client.close())
  return client
}

const chainId = ['eth_chainId', []] as const
describe.each([
  ['HTTP', (proxy: RemoteProxy) => proxy.url],
  ['a WebSocket', (proxy: RemoteProxy) => proxy.webSocketUrl],
])('over %s', (_, urlOf) => {
  it('requests and batches are answered, with errors as the remote sends them', async () => {
    const proxy = await openProxy((method, params) => {
      if (method === 'eth_call') throw { code: 3, message: 'execution reverted', data: '0x08c379a0' }
      return [method, ...params]
    })
    const client = openClient(urlOf(proxy))
    expect(await client.request('eth_getCode', ['0x00', 'latest'])).toEqual(['eth_getCode', '0x00', 'latest'])
    const answers = await client.requestAll([
      { method: 'eth_chainId', params: [] },
      { method: 'eth_call', params: [] },
    ])
    expect(answers.map((answer) => (answer.kind === 'result' ? answer.value : answer.error))).toEqual([
      ['eth_chainId'],
      { code: 3, message: 'execution reverted', data: '0x08c379a0' },
    ])
    expect([proxy.requests, proxy.calls, proxy.batches]).toEqual([2, 3, [1, 2]])
    expect(client.status).toMatchObject({ requests: 2, calls: 3, retries: 0, origins: [urlOf(proxy)] })
    expect([client.status.bytesSent, client.status.bytesReceived]).toEqual([proxy.bytesReceived, proxy.bytesSent])
  })

  it('many requests in parallel get their own answers', async () => {
    const proxy = await openProxy(async (_method, params) => {
      await new Promise((resolve) => setTimeout(resolve, (params[0] as number) % 7))
      return params[0]
    })
    const client = openClient(urlOf(proxy), { maxBatch: 3 })
    const answers = await client.requestAll(Array.from({ length: 100 }, (_, i) => ({ method: 'm', params: [i] })))
    expect(answers.map((answer) => answer.kind === 'result' && answer.value)).toEqual([...Array(100).keys()])
    expect(proxy.maxParallel).toBeLessThanOrEqual(16)
  })

  it.each<[string, RemoteFault]>([
    ['a cut connection', { kind: 'cut' }],
    ['half a JSON', { kind: 'halfJson' }],
    ['the answers of others', { kind: 'foreignIds' }],
    ['a web page', { kind: 'html' }],
  ])('%s is followed by another attempt', async (_name, fault) => {
    const proxy = await openProxy()
    proxy.fault = (request) => (request === 1 ? fault : undefined)
    const client = openClient(urlOf(proxy), { timeoutMs: 500 })
    expect(await client.request(...chainId)).toEqual(['eth_chainId'])
    // On a busy machine an answer may be late, and be asked for once more.
    expect(proxy.requests).toBeGreaterThan(1)
  })

  it('members that a batch lacks are asked again', async () => {
    const proxy = await openProxy()
    proxy.fault = (request) => (request === 1 ? { kind: 'missingMembers' } : undefined)
    const client = openClient(urlOf(proxy))
    const answers = await client.requestAll([1, 2, 3].map((i) => ({ method: 'eth_call', params: [i] })))
    expect(answers.every(({ kind }) => kind === 'result')).toBe(true)
    expect(proxy.batches).toEqual([3, 2])
  })

  it('silence ends after the time for one answer', async () => {
    const proxy = await openProxy()
    proxy.fault = () => ({ kind: 'silence' })
    const error = await failureOf(openClient(urlOf(proxy), { timeoutMs: 100, retries: 0 }).request(...chainId))
    expect(error).toMatchObject({ code: 'FORK_UNAVAILABLE', message: `${urlOf(proxy)}: no answer within 0.1 s` })
  })

  it('an answer that is far too long is refused', async () => {
    const proxy = await openProxy()
    proxy.fault = () => ({ kind: 'long', bytes: 16 * 2 ** 20 })
    const error = await failureOf(openClient(urlOf(proxy), { timeoutMs: 60_000 }).request(...chainId))
    expect(error).toMatchObject({
      code: 'FORK_UNAVAILABLE',
      message: `${urlOf(proxy)}: the answer has more than 1048576 bytes`,
    })
  })

  it('a port that nobody listens on is named, without path, query and credentials', async () => {
    const proxy = await openProxy()
    const origin = urlOf(proxy)
    await proxy.close()
    const url = `${origin.replace('//', '//user:s3cret-pass@')}/v2/path-key-123456?apikey=query-key-123456`
    const error = await failureOf(openClient(url, { retries: 1 }).request(...chainId))
    expect(error.code).toBe('FORK_UNAVAILABLE')
    expect(error.message).toContain(origin)
    expect(everythingOf(error)).not.toMatch(/path-key|query-key|s3cret/)
  })

  it('headers and credentials are sent, and not repeated from an answer', async () => {
    const proxy = await openProxy(() => {
      throw { code: -32000, message: 'invalid key path-key-123456 or header-key-123456 for user s3cret-pass' }
    })
    const url = `${urlOf(proxy).replace('//', '//user:s3cret-pass@')}/v2/path-key-123456`
    const client = openClient(url, {}, { 'x-api-key': 'header-key-123456' })
    const error = await failureOf(client.request(...chainId))
    expect(error.message).toBe('eth_chainId: invalid key … or … for user …')
    expect(everythingOf(error)).not.toMatch(/-key-123456|s3cret/)
    expect(proxy.lastHeaders['x-api-key']).toBe('header-key-123456')
    expect(proxy.lastHeaders.authorization).toBe(`Basic ${btoa('user:s3cret-pass')}`)
    expect(JSON.stringify(client.status)).not.toMatch(/key-123456|s3cret/)
  })
})

describe('over HTTP', () => {
  it('a limit of rate with Retry-After is respected', async () => {
    const proxy = await openProxy()
    proxy.rate = { perSecond: 20, burst: 5, refusal: { retryAfterSeconds: 0.2 } }
    const client = openClient(proxy.url, { maxBatch: 1 })
    const answers = await client.requestAll(Array.from({ length: 20 }, (_, i) => ({ method: 'eth_call', params: [i] })))
    expect(answers.every(({ kind }) => kind === 'result')).toBe(true)
    expect(proxy.refused).toBeGreaterThan(0)
  })

  it('a gateway that knows no batches is asked for single requests', async () => {
    const proxy = await openProxy()
    proxy.maxBatch = 0
    const client = openClient(proxy.url)
    const answers = await client.requestAll([1, 2, 3].map((i) => ({ method: 'eth_call', params: [i] })))
    expect(answers.map((answer) => answer.kind === 'result' && answer.value)).toEqual(
      [1, 2, 3].map((i) => ['eth_call', i]),
    )
    expect([client.can('batches'), proxy.batches]).toEqual([false, [3, 1, 1, 1]])
  })

  it('a redirection is not followed', async () => {
    const proxy = await openProxy()
    const other = await openProxy()
    proxy.fault = () => ({ kind: 'status', status: 307, headers: { location: other.url } })
    const error = await failureOf(openClient(proxy.url).request(...chainId))
    expect(error.message).toBe(`${proxy.url}: HTTP 307, a redirection`)
    expect(other.requests).toBe(0)
  })

  it('a certificate that nobody trusts ends the attempt', async () => {
    const pem = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/tls/server.pem'), 'utf8')
    const certificate = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/tls/server.crt'), 'utf8')
    const server = createServer({ key: pem, cert: certificate }, (_, response) => void response.end('{}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const error = await failureOf(openClient(`${origin}/secret-key-1234`, { retries: 0 }).request(...chainId))
    expect(error.code).toBe('FORK_UNAVAILABLE')
    expect(error.message.startsWith(`${origin}: `)).toBe(true)
    expect(everythingOf(error)).not.toContain('secret-key')
  })
})

it('a proxy in front of a node delays, counts and lies', async () => {
  const node = await openProxy((method) => {
    if (method === 'eth_call') throw { code: 3, message: 'execution reverted', data: '0x01' }
    return { balance: '0x1' }
  })
  const proxy = await RemoteProxy.start(node.url)
  closing.push(() => proxy.close())
  proxy.latencyMs = 20
  proxy.lie = (method, _params, result) => (method === 'eth_lie' ? { ...(result as object), balance: '0x2' } : result)
  const client = openClient(proxy.url)
  const answers = await client.requestAll(['eth_lie', 'eth_true', 'eth_call'].map((method) => ({ method, params: [] })))
  expect(answers.map((answer) => (answer.kind === 'result' ? answer.value : answer.error))).toEqual([
    { balance: '0x2' },
    { balance: '0x1' },
    { code: 3, message: 'execution reverted', data: '0x01' },
  ])
  expect([proxy.requests, proxy.calls, node.requests]).toEqual([1, 3, 3])
  expect(Object.fromEntries(proxy.methods)).toEqual({ eth_lie: 1, eth_true: 1, eth_call: 1 })
})

describe('over a WebSocket', () => {
  it('a connection that has ended is opened again', async () => {
    const proxy = await openProxy()
    proxy.fault = (request) => (request === 2 ? { kind: 'cut' } : undefined)
    const client = openClient(proxy.webSocketUrl)
    for (let i = 0; i < 3; i++) expect(await client.request('m', [i])).toEqual(['m', i])
    expect([proxy.requests, client.status.retries]).toEqual([4, 1])
  })
})

it('the timers of a client keep the process running', onlyOnNode, () => {
  const inUse = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = inUse()
  const timer = webWaitTimers.schedule(1_000, () => {})
  expect(inUse()).toBe(before + 1)
  timer.cancel()
  expect(inUse()).toBe(before)
})

describe('an address', () => {
  it.each([
    ['ftp://host/secret-key', 'ftp: is not a scheme of a node: expected http:// or https://'],
    ['secret-key', 'the address of a node is not a URL: expected http:// or https://'],
    ['ws:', 'the address of a node is not a URL: expected ws:// or wss://'],
  ])('%s is refused without being repeated', (url, message) => {
    let error: unknown
    try {
      openRemoteTransport(url)
    } catch (reason) {
      error = reason
    }
    expect(isNodeError(error, 'INVALID_OPTION')).toBe(true)
    expect((error as Error).message).toBe(message)
  })
})

/** The error as a log or an inspector would show it. */
function everythingOf(error: NodeError): string {
  const { message, stack, cause, details } = error
  return `${message} ${stack} ${String(cause)} ${JSON.stringify(details)}`
}
