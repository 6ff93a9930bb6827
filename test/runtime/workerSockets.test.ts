import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workerOptions } from '../../adapters/workers/build.mjs'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import { eventually } from '../support/host/eventually.ts'
import { type MirroredNode, openMirroredNode } from '../support/mirror/mirroredNode.ts'
import { TEST_MIRROR_PUBLISHER } from '../support/mirror/testPublisher.ts'
import { type Bundle, bundle } from './support/bundle.ts'
import { REPOSITORY } from './support/chains.ts'

const TOKEN = 'token-of-the-publisher'
const RECIPIENT = `0x${'77'.repeat(20)}`

describe('WebSockets of the Worker', () => {
  let directory = ''
  let worker: Bundle
  let writer: MirroredNode
  let miniflare: Miniflare
  let published = 0

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-sockets-'))
    worker = await bundle('adapters/workers/worker.ts', directory, workerOptions)
    writer = await openMirroredNode()
    const compatibilityDate = /compatibility_date = "(.*)"/.exec(
      readFileSync(path.join(REPOSITORY, 'wrangler.toml'), 'utf8'),
    )?.[1]
    miniflare = new Miniflare({
      cf: false,
      compatibilityDate: compatibilityDate ?? '',
      modules: [
        ...worker.files.map(({ name, text }) => ({ type: 'ESModule', path: name, contents: text }) as const),
        ...worker.wasmFiles.map(({ name, bytes }) => ({ type: 'CompiledWasm', path: name, contents: bytes }) as const),
      ],
      r2Buckets: { MIRROR: 'mirror' },
      durableObjects: { LIVE: { className: 'LiveChain', useSQLite: true } },
      bindings: {
        ISONODE_MIRROR_PUBLISHER: bytesToHex(TEST_MIRROR_PUBLISHER),
        ISONODE_PUBLISH_TOKEN: TOKEN,
        ISONODE_RPC_HTTP_CORS_ORIGINS: 'https://page\\.example',
        ISONODE_MIRROR_MAX_LAG: '999999999',
      },
    })
    await publish()
  })
  afterAll(async () => {
    await miniflare.dispose()
    await writer.node.close()
    rmSync(directory, { recursive: true, force: true })
  })

  /** Sends what the writer has published since the last call to the Worker. */
  async function publish(): Promise<void> {
    const objects = [...writer.objects.objects].slice(published)
    published += objects.length
    for (const [name, bytes] of objects) {
      const response = await miniflare.dispatchFetch(`https://chain.example/publish?do=create&name=${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
        body: new Uint8Array(bytes),
      })
      expect(await response.json()).toEqual({ creation: 'created' })
    }
  }

  async function block(value: number): Promise<void> {
    const [from] = await writer.rpc<string[]>('eth_accounts')
    await writer.rpc('eth_sendTransaction', { from, to: RECIPIENT, value: `0x${value.toString(16)}` })
    await writer.publish()
    await publish()
  }

  interface Socket {
    readonly messages: { readonly id?: number; readonly params?: { readonly result: { readonly number: string } } }[]
    ask(method: string, params: readonly unknown[]): Promise<unknown>
    close(): void
  }

  async function connect(): Promise<Socket> {
    const { webSocket } = await miniflare.dispatchFetch('https://chain.example/', { headers: { Upgrade: 'websocket' } })
    if (!webSocket) throw new Error('no WebSocket')
    const messages: Socket['messages'] = []
    webSocket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data))))
    webSocket.accept()
    let last = 0
    return {
      messages,
      ask: (method, params) => {
        const id = ++last
        webSocket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
        return eventually(() => {
          const answer = messages.find((message) => message.id === id)
          if (answer === undefined) throw new Error('no answer')
          return answer
        })
      },
      close: () => webSocket.close(),
    }
  }

  const numbersOf = ({ messages }: Socket): string[] =>
    messages.flatMap(({ params }) => (params === undefined ? [] : [params.result.number]))

  it('tells each subscriber of each head once and in order', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, connect))
    for (const socket of sockets) {
      expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ result: expect.stringMatching(/^0x/) })
    }
    const [first] = sockets
    expect(await first?.ask('eth_blockNumber', [])).toMatchObject({ result: '0x0' })
    for (let value = 1; value <= 3; value++) await block(value)
    await eventually(() => {
      for (const socket of sockets) expect(numbersOf(socket)).toEqual(['0x1', '0x2', '0x3'])
    })
    for (const socket of sockets) socket.close()
  })

  it('ends a subscription, and refuses what it does not have', async () => {
    const socket = await connect()
    const { result } = (await socket.ask('eth_subscribe', ['newHeads'])) as { result: string }
    expect(await socket.ask('eth_unsubscribe', [result])).toMatchObject({ result: true })
    expect(await socket.ask('eth_unsubscribe', [result])).toMatchObject({
      error: { message: 'subscription not found' },
    })
    expect(await socket.ask('eth_subscribe', ['newPendingTransactions'])).toMatchObject({
      error: { message: 'no "newPendingTransactions" subscription in eth namespace' },
    })
    expect(await socket.ask('eth_subscribe', ['logs', { topics: 1 }])).toMatchObject({ error: { code: -32602 } })
    await block(9)
    expect(numbersOf(socket)).toEqual([])
    socket.close()
  })

  it('refuses pages that are not allowed', async () => {
    const headers = { Upgrade: 'websocket', Origin: 'https://stranger.example' }
    const { status } = await miniflare.dispatchFetch('https://chain.example/', { headers })
    expect(status).toBe(403)
  })
})
