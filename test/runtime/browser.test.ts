import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BuildOptions } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BrowserNode, BrowserNodeOptions } from '../../adapters/browser/browser.ts'
import { pageModules } from '../../adapters/server/build/pageModules.mjs'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import type * as entry from './support/browserEntry.ts'
import { type Bundle, bundle } from './support/bundle.ts'
import { answers, expected, LONDON_CHAIN, RUNTIME_CHAINS, type RuntimeChain } from './support/chains.ts'

/** Variables that the page keeps between two calls of the test. */
declare global {
  var isonode: typeof entry
  var opened: BrowserNode
}

const PAGE = '<!doctype html><title>isonode</title><script type="module" src="/start.js"></script>'
/** A page whose policy forbids compiling WebAssembly. */
const STRICT = '/strict'
/** A page like one in a sandboxed frame: the browser refuses it databases and locks. */
const SANDBOXED = '/sandboxed'
const START = "globalThis.isonode = await import('/browserEntry.js')"

/** Hash, v, r and s. */
const SIGNED = [
  '456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3',
  '1c'.padStart(64, '0'),
  '9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608',
  '4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada',
].join('')

const POLICIES: Readonly<Record<string, string>> = {
  [STRICT]: "script-src 'self'",
  [SANDBOXED]: 'sandbox allow-scripts',
}

type PageOptions = Pick<BrowserNodeOptions, 'dataPath' | 'storage'>

describe('the browser', needsChromium, () => {
  let directory = ''
  let library: Bundle
  let server: Server
  let browser: Browser
  let url = ''

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-browser-'))
    const options: BuildOptions = { platform: 'browser', splitting: true, plugins: [pageModules] }
    library = await bundle('test/runtime/support/browserEntry.ts', directory, options)
    server = serve(library)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  async function load(page: Page, wanted: string = url): Promise<Page> {
    await page.goto(wanted)
    await page.waitForFunction(() => 'isonode' in globalThis)
    return page
  }

  /** The warnings that the console of a page shows from now on. */
  const warningsOf = (page: Page): string[] => {
    const warnings: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'warning') warnings.push(message.text())
    })
    return warnings
  }

  /** A tab with a separate profile. */
  const newPage = async (): Promise<Page> => load(await browser.newPage())

  it('bundles the library without any Node module', () => {
    console.log(`browser library: ${library.sizes}`)
    expect(library.externals).toEqual([])
    expect(library.files.filter(({ text }) => /["'`]node:/.test(text)).map(({ name }) => name)).toEqual([])
  })

  it('runs the dev chain by default, and keeps it across a reload', async () => {
    const page = await newPage()
    await open(page, undefined, {})
    expect(await ask(page, 'eth_chainId', [])).toBe('0x7a69')
    expect(await page.evaluate(() => opened.request({ method: 'web3_clientVersion' }))).toContain('web/browser')
    expect(await page.evaluate(() => isonode.internalsOf(opened).evm)).toBe('native')
    await ask(page, 'evm_mine', [])
    await load(page)
    await open(page, undefined, {})
    expect(await ask(page, 'eth_blockNumber', [])).toBe('0x1')
    await page.close()
  })

  it.each(RUNTIME_CHAINS)('imports $name into memory and serves it', async (chain) => {
    const page = await newPage()
    await open(page, chain, { storage: 'memory' })
    expect(await answers(chain, (method, params) => ask(page, method, params))).toEqual(expected(chain))
    await page.close()
  })

  it.each(RUNTIME_CHAINS)('keeps $name in IndexedDB across a reload', async (chain) => {
    const page = await newPage()
    const report = await open(page, chain, { dataPath: 'isonode' })
    expect(report).toEqual({ imported: Number(await ask(page, 'eth_blockNumber', [])) })
    expect(await answers(chain, (method, params) => ask(page, method, params))).toEqual(expected(chain))
    await load(page)
    await openAgain(page, chain)
    expect(await answers(chain, (method, params) => ask(page, method, params))).toEqual(expected(chain))
    expect(await importInto(page, chain)).toEqual({ imported: 0 })
    await page.close()
  })

  it('lets only one tab at a time use a database', async () => {
    const context = await browser.newContext()
    const [first, second] = [await load(await context.newPage()), await load(await context.newPage())]
    await openAgain(first, LONDON_CHAIN)
    await expect(openAgain(second, LONDON_CHAIN)).rejects.toThrow('the database isonode is open in another tab')
    await first.evaluate(() => opened.close())
    await openAgain(second, LONDON_CHAIN)
    expect(await ask(second, 'eth_blockNumber', [])).toBe('0x0')
    await context.close()
  })

  it('refuses a database of another chain', async () => {
    const page = await newPage()
    await openAgain(page, LONDON_CHAIN)
    await page.evaluate(() => opened.close())
    await expect(open(page, undefined, { dataPath: 'isonode' })).rejects.toThrow('the database has a chain')
    await openAgain(page, LONDON_CHAIN)
    await page.close()
  })

  it('answers errors with code and data, and requests through fetch', async () => {
    const page = await newPage()
    await open(page, undefined, {})
    const failed = await page.evaluate(async () => {
      // Reverts with the 4 bytes 0xdeadbeef.
      const data = '0x63deadbeef5f526004601cfd'
      try {
        return await opened.request('eth_call', [{ data }, 'latest'])
      } catch (error) {
        const { name, code, data: revertData } = error as { name: string; code: number; data: unknown }
        return { name, code, data: revertData }
      }
    })
    expect(failed).toEqual({ name: 'RequestError', code: 3, data: '0xdeadbeef' })
    const answer = await page.evaluate(async () => {
      const body = '{"jsonrpc":"2.0","id":7,"method":"net_version","params":[]}'
      const response = await opened.fetch(new Request('https://any.example/', { method: 'POST', body }))
      return [response.status, await response.text()]
    })
    expect(answer).toEqual([200, '{"jsonrpc":"2.0","id":7,"result":"31337"}'])
    await page.close()
  })

  it('executes with the reference EVM where the page may not compile WebAssembly', async () => {
    const page = await load(await browser.newPage(), `${url}${STRICT}`)
    await expect(open(page, undefined, {})).rejects.toThrow('pass loadReferenceEvm')
    const warnings = warningsOf(page)
    await page.evaluate(async () => {
      const { loadReferenceEvm } = isonode
      globalThis.opened = await isonode.createBrowserNode({ loadReferenceEvm })
    })
    expect(await page.evaluate(() => isonode.internalsOf(opened).evm)).toBe('reference')
    expect(warnings).toEqual([expect.stringContaining('the reference EVM runs')])
    // Returns the 4 bytes 0xdeadbeef.
    expect(await ask(page, 'eth_call', [{ data: '0x63deadbeef5f526004601cf3' }, 'latest'])).toBe('0xdeadbeef')
    await page.close()
  })

  it('has its chain in memory, and warns once, where the browser refuses databases', async () => {
    const page = await load(await browser.newPage(), `${url}${SANDBOXED}`)
    const warnings = warningsOf(page)
    await expect(open(page, undefined, { storage: 'indexeddb' })).rejects.toThrow("storage: 'memory' needs no lock")
    await open(page, undefined, {})
    expect(await ask(page, 'isonode_database', [])).toMatchObject({ kind: 'memory' })
    expect(warnings).toEqual([expect.stringContaining('isonode: the chain is in memory and ends with the page')])
    await page.close()
  })

  it('loads the code of a precompile with the first call to it', async () => {
    const page = await newPage()
    await open(page, undefined, {})
    const call = (number: number, data: string): Promise<unknown> =>
      ask(page, 'eth_call', [{ to: `0x${number.toString(16).padStart(40, '0')}`, data: `0x${data}` }, 'latest'])
    expect(await call(1, SIGNED)).toBe('0x0000000000000000000000007156526fbd7a3c72969b54f64e42c10fbb768c8a')
    expect(await call(3, '')).toBe('0x0000000000000000000000009c1185a5c5e9fc54612808977ee8f548b2258d31')
    const one = '1'.padStart(64, '0')
    expect(await call(5, `${one}${one}${one}030205`)).toBe('0x04')
    await page.close()
  })

  it('stops at an invalid block and keeps the preceding ones', async () => {
    const page = await newPage()
    await expect(open(page, LONDON_CHAIN, {}, -1)).rejects.toThrow('Invalid block at block number 5')
    expect(await ask(page, 'eth_blockNumber', [])).toBe('0x4')
    await page.close()
  })
})

function serve({ files }: Bundle): Server {
  const scripts = new Map([...files.map(({ name, text }) => [`/${name}`, text] as const), ['/start.js', START]])
  return createServer((request, response) => {
    const script = scripts.get(request.url ?? '')
    const type = script === undefined ? 'text/html' : 'text/javascript'
    const policy = POLICIES[request.url ?? '']
    response
      .writeHead(200, {
        'Content-Type': `${type}; charset=utf-8`,
        'Access-Control-Allow-Origin': '*',
        ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
      })
      .end(script ?? PAGE)
  })
}

const ask = (page: Page, method: string, params: readonly unknown[]): Promise<unknown> =>
  page.evaluate(([name, list]) => opened.request(name, list), [method, params] as const)

/** Opens a node in the page and imports the chain's blocks, all or up to `end`. */
async function open(
  page: Page,
  chain: RuntimeChain | undefined,
  options: PageOptions,
  end?: number,
): Promise<{ imported: number } | undefined> {
  const genesis = chain === undefined ? undefined : readFileSync(chain.genesisFile, 'utf8')
  await page.evaluate(
    async ([text, rest]) => {
      globalThis.opened = await isonode.createBrowserNode({ ...rest, ...(text === undefined ? {} : { genesis: text }) })
    },
    [genesis, options] as const,
  )
  return chain === undefined ? undefined : importInto(page, chain, end)
}

/** Opens a node over its database, without importing blocks. */
async function openAgain(page: Page, chain: RuntimeChain): Promise<void> {
  await page.evaluate(
    async (genesis) => {
      globalThis.opened = await isonode.createBrowserNode({ genesis, dataPath: 'isonode' })
    },
    readFileSync(chain.genesisFile, 'utf8'),
  )
}

function importInto(page: Page, { blocksFile }: RuntimeChain, end?: number): Promise<{ imported: number }> {
  const blocks = readFileSync(blocksFile).subarray(0, end)
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    try {
      const { imported } = await opened.import(new Blob([bytes]))
      return { imported }
    } catch (error) {
      // Errors with a bigint property cannot be transferred.
      throw new Error(String(error))
    }
  }, blocks.toString('base64'))
}
