import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, bundle } from './support/bundle.ts'
import { answers, askOver, expected, JSON_POST, LONDON_CHAIN, REPOSITORY, RUNTIME_CHAINS } from './support/chains.ts'

const OWN_HOST = 'https://mirror.example/'

describe('the Worker', () => {
  let directory = ''
  let worker: Bundle
  const running: Miniflare[] = []
  let printed = ''

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-worker-'))
    worker = await bundle('adapters/workers/worker.ts', directory, {
      conditions: ['workerd', 'worker', 'browser'],
      external: ['cloudflare:*'],
      // As in wrangler.
      loader: { '.wasm': 'copy' },
    })
  })
  afterAll(async () => {
    await Promise.all(running.map((miniflare) => miniflare.dispose()))
    rmSync(directory, { recursive: true, force: true })
  })

  /** Starts the Worker over a namespace with these values. */
  async function start(values: Readonly<Record<string, string | Uint8Array>>, bindings = {}): Promise<Miniflare> {
    const compatibilityDate = /compatibility_date = "(.*)"/.exec(
      readFileSync(path.join(REPOSITORY, 'wrangler.toml'), 'utf8'),
    )?.[1]
    printed = ''
    const miniflare = new Miniflare({
      cf: false,
      compatibilityDate: compatibilityDate ?? '',
      modules: [
        ...worker.files.map(({ name, text }) => ({ type: 'ESModule', path: name, contents: text }) as const),
        ...worker.wasmFiles.map(({ name, bytes }) => ({ type: 'CompiledWasm', path: name, contents: bytes }) as const),
      ],
      handleStructuredLogs: ({ message }) => {
        printed += `${message}\n`
      },
      kvNamespaces: ['CHAIN'],
      bindings,
    })
    running.push(miniflare)
    const namespace = await miniflare.getKVNamespace('CHAIN')
    for (const [key, value] of Object.entries(values)) {
      await namespace.put(key, typeof value === 'string' ? value : new Uint8Array(value).buffer)
    }
    return miniflare
  }

  const post = (miniflare: Miniflare, body: string, headers = {}) =>
    miniflare.dispatchFetch(OWN_HOST, { ...JSON_POST, headers: { ...JSON_POST.headers, ...headers }, body })

  const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
  const london = () => ({
    'genesis.json': readFileSync(LONDON_CHAIN.genesisFile, 'utf8'),
    'blocks.rlp': readFileSync(LONDON_CHAIN.blocksFile),
  })

  it('is bundled without any Node module', () => {
    console.log(`Worker: ${worker.sizes}`)
    expect(worker.externals).toEqual([])
    expect(worker.files.filter(({ text }) => /["'`]node:/.test(text)).map(({ name }) => name)).toEqual([])
  })

  it.each(RUNTIME_CHAINS)('serves $name', async (chain) => {
    const miniflare = await start({
      'genesis.json': readFileSync(chain.genesisFile, 'utf8'),
      'blocks.rlp': readFileSync(chain.blocksFile),
    })
    const ask = askOver((body) => post(miniflare, body))
    expect(await answers(chain, ask)).toEqual(expected(chain))
    expect(await ask('rpc_modules', [])).toEqual({ eth: '1.0', net: '1.0', web3: '1.0' })
    expect(await ask('web3_clientVersion', [])).toContain('cloudflare/workers')
    await expect.poll(() => printed).toMatch(/opened the chain head=\d+ evm=native/)
    await expect(ask('debug_setHead', ['0x1'])).rejects.toThrow('Method not enabled')
  })

  it('opens the chain once for concurrent requests', async () => {
    const miniflare = await start(london())
    const results = await Promise.all(
      Array.from({ length: 8 }, () => askOver((body) => post(miniflare, body))('eth_blockNumber', [])),
    )
    expect(new Set(results)).toEqual(new Set(['0x5']))
  })

  it('serves block 0 of a namespace without blocks', async () => {
    const miniflare = await start({ 'genesis.json': london()['genesis.json'] })
    expect(await askOver((body) => post(miniflare, body))('eth_blockNumber', [])).toBe('0x0')
  })

  it.each([
    ['without a genesis file', () => ({}), 'the KV namespace CHAIN has no genesis.json'],
    ['with an invalid genesis file', () => ({ 'genesis.json': '[]' }), 'Unable to load genesis file.'],
    [
      'with a broken block',
      () => ({ ...london(), 'blocks.rlp': london()['blocks.rlp'].subarray(0, -1) }),
      'the data ends within a block',
    ],
  ])('answers 503 with the reason %s', async (_, values, reason) => {
    const response = await post(await start(values()), REQUEST)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('10')
    expect(await response.json()).toEqual({ message: expect.stringContaining(reason) })
  })

  it('answers allowed pages', async () => {
    const miniflare = await start(london(), { ISONODE_RPC_HTTP_CORS_ORIGINS: 'https://page\\.example, https://other' })
    const allowed = await post(miniflare, REQUEST, { Origin: 'https://page.example' })
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://page.example')
    expect((await post(miniflare, REQUEST, { Origin: 'https://stranger.example' })).status).toBe(403)
  })
})
