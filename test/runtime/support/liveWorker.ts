/** The Worker in workerd, with a mirror that a node in this process publishes to it, and clients over WebSocket. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Miniflare } from 'miniflare'
import { expect } from 'vitest'
import { workerOptions } from '../../../adapters/workers/build.mjs'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { MANIFEST_PREFIX } from '../../../src/mirror/format/names.ts'
import { type MirroredNode, openMirroredNode } from '../../support/mirror/mirroredNode.ts'
import { TEST_MIRROR_PUBLISHER } from '../../support/mirror/testPublisher.ts'
import { bundle } from './bundle.ts'
import { REPOSITORY } from './chains.ts'

const TOKEN = 'token-of-the-publisher'
const RECIPIENT = `0x${'77'.repeat(20)}`

interface Message {
  readonly id?: number
  readonly params?: { readonly result: { readonly number: string } }
}

export interface LiveSocket {
  /** Numbers of the heads that it was told of, in this order. */
  readonly heads: readonly string[]
  /** When these arrived, as `performance.now()`. */
  readonly arrivedMs: readonly number[]
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  close(): void
}

export class LiveWorker {
  readonly #directory: string
  readonly #writer: MirroredNode
  readonly #miniflare: Miniflare
  #published = 0

  private constructor(directory: string, writer: MirroredNode, miniflare: Miniflare) {
    this.#directory = directory
    this.#writer = writer
    this.#miniflare = miniflare
  }

  /** @param entry of the Worker, relative to the repository */
  static async open(entry = 'adapters/workers/worker.ts'): Promise<LiveWorker> {
    const directory = mkdtempSync(path.join(tmpdir(), 'isonode-sockets-'))
    const worker = await bundle(entry, directory, { ...workerOptions, entryPoints: [entry] })
    const compatibilityDate = /compatibility_date = "(.*)"/.exec(
      readFileSync(path.join(REPOSITORY, 'wrangler.toml'), 'utf8'),
    )?.[1]
    const miniflare = new Miniflare({
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
    const live = new LiveWorker(directory, await openMirroredNode(), miniflare)
    await live.#publish()
    return live
  }

  /** Mines a block and publishes it. @returns when its manifest was sent, as `performance.now()` */
  async block(value: number): Promise<number> {
    const [from] = await this.#writer.rpc<string[]>('eth_accounts')
    await this.#writer.rpc('eth_sendTransaction', { from, to: RECIPIENT, value: `0x${value.toString(16)}` })
    await this.#writer.publish()
    return this.#publish()
  }

  fetch(address: string, init?: { readonly headers: Readonly<Record<string, string>> }) {
    return this.#miniflare.dispatchFetch(new URL(address, 'https://chain.example/'), init)
  }

  async connect(): Promise<LiveSocket> {
    const { webSocket } = await this.fetch('/', { headers: { Upgrade: 'websocket' } })
    if (!webSocket) throw new Error('no WebSocket')
    const heads: string[] = []
    const arrivedMs: number[] = []
    const waiting = new Map<number, (message: Message) => void>()
    webSocket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message
      if (message.params === undefined) waiting.get(message.id ?? 0)?.(message)
      else {
        heads.push(message.params.result.number)
        arrivedMs.push(performance.now())
      }
    })
    webSocket.accept()
    let last = 0
    return {
      heads,
      arrivedMs,
      ask: (method, params) => {
        const id = ++last
        const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
        webSocket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
        return answer
      },
      close: () => webSocket.close(),
    }
  }

  async close(): Promise<void> {
    await this.#miniflare.dispose()
    await this.#writer.node.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** Sends what the writer has published since the last call to the Worker. */
  async #publish(): Promise<number> {
    const objects = [...this.#writer.objects.objects].slice(this.#published)
    this.#published += objects.length
    let sentMs = 0
    for (const [name, bytes] of objects) {
      if (name.startsWith(MANIFEST_PREFIX)) sentMs = performance.now()
      const response = await this.#miniflare.dispatchFetch(`https://chain.example/publish?do=create&name=${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
        body: new Uint8Array(bytes),
      })
      expect(await response.json()).toEqual({ creation: 'created' })
    }
    return sentMs
  }
}
