import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConnectionError, UnauthorizedError } from '../../../../adapters/page/rpc/errors.ts'
import { HttpProvider } from '../../../../adapters/page/rpc/httpProvider.ts'

interface Received {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: unknown
}

describe('the provider over HTTP', () => {
  let server: Server
  let provider: HttpProvider
  let received: Received[]
  /** The answer of the node; undefined: nothing. */
  let answer: (body: unknown) => { readonly status?: number; readonly text: string } | undefined

  beforeEach(async () => {
    received = []
    answer = (body) => ({ text: JSON.stringify(Array.isArray(body) ? body.map(reply) : reply(body)) })
    server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const body: unknown = JSON.parse(text)
        received.push({ path: request.url ?? '', authorization: request.headers.authorization, body })
        const sent = answer(body)
        if (sent !== undefined) response.writeHead(sent.status ?? 200).end(sent.text)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    provider = new HttpProvider(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const reply = (request: unknown): object => {
    const { id, method } = request as { id: number; method: string }
    return method === 'bad'
      ? { jsonrpc: '2.0', id, error: { code: 3, message: 'no', data: '0x12' } }
      : { jsonrpc: '2.0', id, result: method }
  }

  it('sends the requests of one turn as a batch, and gives each its answer or error', async () => {
    const [first, second, third] = await Promise.allSettled(
      ['eth_chainId', 'bad', 'eth_gasPrice'].map((method) => provider.request({ method })),
    )
    expect(received).toHaveLength(1)
    expect(first).toMatchObject({ value: 'eth_chainId' })
    expect(second).toMatchObject({ reason: { code: 3, message: 'no', data: '0x12' } })
    expect(third).toMatchObject({ value: 'eth_gasPrice' })
  })

  it('gives the error of a refused batch to all its requests', async () => {
    answer = () => ({
      text: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'too large' } }),
    })
    const results = await Promise.allSettled(['a_b', 'c_d'].map((method) => provider.request({ method })))
    for (const result of results) expect(result).toMatchObject({ reason: { code: -32600, message: 'too large' } })
  })

  it('says that a node that sends no JSON-RPC does not answer', async () => {
    for (const text of ['<html>', '{}', '[]', 'null', '[null]']) {
      answer = () => ({ text })
      await expect(provider.request({ method: 'eth_chainId' })).rejects.toThrow(ConnectionError)
    }
  })

  it('ends the wait for one request without the others of its batch', async () => {
    const controller = new AbortController()
    const slow = provider.request({ method: 'eth_chainId', signal: controller.signal })
    const other = provider.request({ method: 'eth_gasPrice' })
    controller.abort(new Error('stopped'))
    await expect(slow).rejects.toThrow('stopped')
    expect(await other).toBe('eth_gasPrice')
  })

  it('closes the connection when nobody waits any longer', async () => {
    answer = () => undefined
    const controller = new AbortController()
    const slow = provider.request({ method: 'debug_traceTransaction', signal: controller.signal })
    const closed = new Promise((resolve) => server.once('request', (request) => request.once('close', resolve)))
    await new Promise((resolve) => server.once('request', resolve))
    controller.abort(new Error('stopped'))
    await expect(slow).rejects.toThrow('stopped')
    await closed
  })

  it('sends the token of the login, and forgets it when the node refuses it', async () => {
    answer = () => ({ text: JSON.stringify({ token: 'secret' }) })
    await provider.login('alice', 'password')
    expect(received[0]).toMatchObject({ path: '/login', body: { username: 'alice', password: 'password' } })
    answer = () => ({ status: 401, text: '' })
    await expect(provider.request({ method: 'eth_chainId' })).rejects.toThrow(UnauthorizedError)
    await expect(provider.request({ method: 'eth_chainId' })).rejects.toThrow(UnauthorizedError)
    expect(received.map(({ authorization }) => authorization)).toEqual([undefined, 'Bearer secret', undefined])
  })

  it('does not ask for subscriptions with a token, which a WebSocket of a browser cannot send', async () => {
    answer = () => ({ text: JSON.stringify({ token: 'secret' }) })
    await provider.login('alice', 'password')
    await expect(provider.request({ method: 'eth_subscribe', params: ['newHeads'] })).rejects.toThrow('WebSocket')
  })
})
