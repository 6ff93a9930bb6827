import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import { TEST_MIRROR_PUBLISHER } from '../support/mirror/testPublisher.ts'
import type { Bundle } from './support/bundle.ts'
import { answers, askOver, expected, JSON_POST, LONDON_CHAIN, RUNTIME_CHAINS } from './support/chains.ts'
import { type ChainMirror, mirrorOf } from './support/mirrors.ts'
import { bundleWorker, startWorker, type WorkerStart } from './support/worker.ts'

/** Compressed, with the WebAssembly. */
const MAX_BUNDLE_BYTES = 400_000
const OWN_HOST = 'https://mirror.example/'

describe('the Worker', () => {
  let directory = ''
  let worker: Bundle
  const running: Miniflare[] = []
  let printed = ''
  let london: Promise<ChainMirror>
  let common: Promise<Miniflare> | undefined

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-worker-'))
    london = mirrorOf(LONDON_CHAIN)
    worker = await bundleWorker(directory)
  })
  afterAll(async () => {
    await Promise.all(running.map((miniflare) => miniflare.dispose()))
    rmSync(directory, { recursive: true, force: true })
  })

  /** Starts the Worker over a store with these objects. */
  async function start(
    objects: ReadonlyMap<string, Uint8Array>,
    { kind = 'r2', bindings = {} }: Partial<WorkerStart> = {},
  ): Promise<Miniflare> {
    printed = ''
    const miniflare = await startWorker(worker, objects, {
      kind,
      bindings: { ISONODE_MIRROR_PUBLISHER: bytesToHex(TEST_MIRROR_PUBLISHER), ...bindings },
      onLog: (message) => {
        printed += `${message}\n`
      },
    })
    running.push(miniflare)
    return miniflare
  }

  /** A Worker for tests that change nothing. */
  const served = (): Promise<Miniflare> => {
    const bindings = { ISONODE_RPC_HTTP_CORS_ORIGINS: 'https://page\\.example, https://other' }
    common ??= london.then(({ objects }) => start(objects.objects, { bindings }))
    return common
  }

  const post = (miniflare: Miniflare, body: string, headers = {}) =>
    miniflare.dispatchFetch(OWN_HOST, { ...JSON_POST, headers: { ...JSON_POST.headers, ...headers }, body })

  const request = (method: string, params: readonly unknown[] = []): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

  it('is bundled without any Node module, and small', () => {
    console.log(`Worker: ${worker.sizes}`)
    expect(worker.externals).toEqual([])
    const contents = [...worker.files.map(({ text }) => text), ...worker.wasmFiles.map(({ bytes }) => bytes)]
    const compressed = contents.map((content) => gzipSync(content).length).reduce((sum, length) => sum + length, 0)
    console.log(`Worker with its WebAssembly: ${compressed} bytes gzip`)
    expect(compressed).toBeLessThan(MAX_BUNDLE_BYTES)
    expect(worker.files.filter(({ text }) => /["'`]node:/.test(text)).map(({ name }) => name)).toEqual([])
  })

  it.each(
    RUNTIME_CHAINS.flatMap((chain) => (['r2', 'kv'] as const).map((kind) => ({ chain, kind, name: chain.name }))),
  )('serves $name from $kind', async ({ chain, kind }) => {
    const { objects } = await mirrorOf(chain)
    const miniflare = await start(objects.objects, { kind, bindings: { ISONODE_RPC_PROFILE: 'besu' } })
    const ask = askOver((body) => post(miniflare, body))
    expect(await answers(chain, ask)).toEqual(expected(chain))
    expect(await ask('rpc_modules', [])).toEqual({ debug: '1.0', eth: '1.0', net: '1.0', trace: '1.0', web3: '1.0' })
    expect(await ask('web3_clientVersion', [])).toContain('cloudflare/workers')
    await expect.poll(() => printed).toMatch(/opened the mirror manifest=3 head=\d+ evm=native/)
  })

  it('opens the mirror once for concurrent requests', async () => {
    const miniflare = await served()
    const results = await Promise.all(
      Array.from({ length: 8 }, () => askOver((body) => post(miniflare, body))('eth_blockNumber', [])),
    )
    expect(new Set(results)).toEqual(new Set(['0x5']))
  })

  const answer = async (response: { readonly status: number; json(): Promise<unknown> }) => [
    response.status,
    await response.json(),
  ]

  it('answers GraphQL, liveness and readiness', async () => {
    const miniflare = await served()
    const query = '{ block(number: 5) { number transactionCount } }'
    const graphql = await miniflare.dispatchFetch(`${OWN_HOST}graphql`, {
      ...JSON_POST,
      body: JSON.stringify({ query }),
    })
    expect(await answer(graphql)).toEqual([
      200,
      { data: { block: { number: 5, transactionCount: expect.anything() } } },
    ])
    expect(await answer(await miniflare.dispatchFetch(`${OWN_HOST}liveness`))).toEqual([200, { status: 'UP' }])
    expect(await answer(await miniflare.dispatchFetch(`${OWN_HOST}readiness?minPeers=0`))).toEqual([
      200,
      { status: 'UP' },
    ])
  })

  it('keeps answers that can never change, under the question', async () => {
    const { objects } = await london
    const miniflare = await start(objects.objects)
    const ask = async (params: readonly unknown[], id: number | string) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_getBlockByNumber', params })
      const response = await post(miniflare, body)
      return { control: response.headers.get('cache-control'), text: await response.text() }
    }
    const first = await ask(['0x2', false], 1)
    expect(first.control).toBe('public, max-age=31536000, immutable')
    const latest = await ask(['0x5', false], 1)
    expect([latest.control, JSON.parse(latest.text).result.number]).toEqual(['no-store', '0x5'])

    // Without its blocks the Worker answers from the cache only.
    const bucket = await miniflare.getR2Bucket('MIRROR')
    for (const name of objects.objects.keys()) if (name.startsWith('segments/')) await bucket.delete(name)
    const again = await ask(['0x2', false], 'other')
    expect(again.control).toBe(first.control)
    expect(again.text).toBe(first.text.replace('"id":1', '"id":"other"'))
  })

  it('takes what a publisher sends, and answers from it', async () => {
    const { objects } = await london
    const token = 'token-of-the-publisher'
    const miniflare = await start(new Map(), { bindings: { ISONODE_PUBLISH_TOKEN: token } })
    expect(await answer(await post(miniflare, request('eth_blockNumber')))).toEqual([
      503,
      { message: 'mirror.json of the mirror is not available: the store does not have it' },
    ])
    const publish = (query: string, headers = {}, body = new Uint8Array(0)) =>
      miniflare.dispatchFetch(`${OWN_HOST}publish?${query}`, { method: 'POST', headers, body })
    expect((await publish('do=list')).status).toBe(401)
    const authorization = `Bearer ${token}`
    for (const [name, bytes] of objects.objects) {
      const made = await publish(`do=create&name=${name}`, { authorization }, new Uint8Array(bytes))
      expect(await answer(made)).toEqual([200, { creation: 'created' }])
    }
    const list = await publish('do=list&prefix=manifests/', { authorization })
    expect((await answer(list))[1]).toMatchObject({ isWhole: true, names: { length: 3 } })
  })

  it('does not know filters, since isolates share nothing', async () => {
    const miniflare = await served()
    expect((await answer(await post(miniflare, request('eth_newFilter', [{}]))))[1]).toMatchObject({
      error: { code: -32601, message: 'the method eth_newFilter does not exist/is not available' },
    })
  })

  it('names the limit of reads', async () => {
    const { objects } = await mirrorOf(LONDON_CHAIN, 1024)
    const miniflare = await start(objects.objects, { bindings: { ISONODE_READS_PER_REQUEST: '1' } })
    expect((await answer(await post(miniflare, request('debug_traceBlockByNumber', ['0x5']))))[1]).toMatchObject({
      error: { code: -32005, message: expect.stringContaining('more than 1 reads') },
    })
  })

  it('answers 503 with the reason without a mirror that it trusts', async () => {
    const bindings = { ISONODE_MIRROR_PUBLISHER: `0x${'12'.repeat(20)}` }
    const response = await post(await start((await london).objects.objects, { bindings }), request('eth_blockNumber'))
    expect(response.headers.get('retry-after')).toBe('10')
    expect(await answer(response)).toEqual([503, { message: expect.stringContaining('is not trusted') }])
  })

  it('answers allowed pages', async () => {
    const miniflare = await served()
    const allowed = await post(miniflare, request('eth_blockNumber'), { Origin: 'https://page.example' })
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://page.example')
    const stranger = await post(miniflare, request('eth_blockNumber'), { Origin: 'https://stranger.example' })
    expect(stranger.status).toBe(403)
  })
})
