import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BuildOptions } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BrowserNode } from '../../adapters/browser/index.ts'
import { pageModules } from '../../adapters/server/build/pageModules.mjs'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import type * as entry from './support/browserEntry.ts'
import { bundle } from './support/bundle.ts'
import { type PageServer, servePage } from './support/pageServer.ts'

declare global {
  var isonode: typeof entry
  var opened: BrowserNode
}

const START = "globalThis.isonode = await import('/browserEntry.js')"
const QUOTA_BYTES = 5_000_000
/** Bytes of a large transaction. */
const DATA_BYTES = 60_000

interface Full {
  /** Blocks that were stored. */
  readonly blocks: number
  /** Of the request that asked for one more. */
  readonly error: unknown
}

describe('the database of a page in Chromium', needsChromium, () => {
  let directory = ''
  let server: PageServer
  let browser: Browser
  let url = ''

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-storage-'))
    const options = { platform: 'browser', splitting: true, plugins: [pageModules] } satisfies BuildOptions
    server = await servePage(await bundle('test/runtime/support/browserEntry.ts', directory, options), START)
    url = server.url
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  async function openTab(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    await page.goto(url)
    await page.waitForFunction(() => 'isonode' in globalThis)
    return page
  }

  /** Starts the node of a tab on its default database. */
  async function openNode(tab: Page | Promise<Page>): Promise<Page> {
    const page = await tab
    await page.evaluate(async () => {
      globalThis.opened = await isonode.createBrowserNode()
    })
    return page
  }

  it('refuses blocks beyond the quota, stays readable, and goes on when there is space', async () => {
    const context = await browser.newContext()
    const page = await openTab(context)
    const control = await context.newCDPSession(page)
    // Before the database is open: Chromium remembers for some time how much space it has.
    await control.send('Storage.overrideQuotaForOrigin', { origin: url, quotaSize: QUOTA_BYTES })
    await openNode(page)
    const { blocks, error } = await fill(page)
    expect(error).toMatchObject({
      code: -32000,
      data: expect.stringMatching(/in this browser: \d{5,} bytes are needed$/),
    })
    expect(blocks).toBeGreaterThan(5)
    expect(Number(await ask(page, 'eth_blockNumber'))).toBe(blocks)
    const newest = await ask(page, 'eth_getBlockByNumber', 'latest', true)
    expect(newest).toMatchObject({ transactions: [{ input: expect.stringMatching(/^0x\w{120000}$/) }] })
    expect(await ask(page, 'isonode_database')).toMatchObject({ kind: 'indexeddb', durability: 'process' })
    await control.send('Storage.overrideQuotaForOrigin', { origin: url })
    await ask(page, 'evm_mine')
    const head = Number(await ask(page, 'eth_blockNumber'))
    expect(head).toBeGreaterThan(blocks)
    await page.close()
    const again = await openNode(openTab(context))
    expect(Number(await ask(again, 'eth_blockNumber'))).toBe(head)
    expect(await ask(again, 'eth_getBlockByNumber', `0x${blocks.toString(16)}`, true)).toEqual(newest)
    await context.close()
  })

  it('finds at the start that the database is gone', async () => {
    const context = await browser.newContext()
    const page = await openNode(openTab(context))
    expect(await ask(page, 'isonode_database')).toMatchObject({ isEvicted: null })
    await ask(page, 'evm_mine')
    await page.evaluate(() => opened.close())
    const control = await context.newCDPSession(page)
    await control.send('Storage.clearDataForOrigin', {
      origin: url,
      storageTypes: 'indexeddb,cache_storage,file_systems',
    })
    await page.close()
    const again = await openNode(openTab(context))
    expect(await ask(again, 'isonode_database')).toMatchObject({ isEvicted: true })
    expect(await ask(again, 'eth_blockNumber')).toBe('0x0')
    await context.close()
  })
})

const ask = (page: Page, method: string, ...params: unknown[]): Promise<unknown> =>
  page.evaluate(([name, list]) => opened.request(name, list), [method, params] as const)

/** Mines blocks with large transactions until one is refused. */
function fill(page: Page): Promise<Full> {
  return page.evaluate(async (bytes) => {
    const { request } = opened
    const [from] = opened.accounts.map(({ address }) => address)
    // The browser compresses what repeats itself.
    const random = crypto.getRandomValues(new Uint8Array(bytes))
    const data = `0x${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
    let blocks = 0
    try {
      for (; blocks < 500; blocks++) await request('eth_sendTransaction', [{ from, to: from, data, gas: '0x500000' }])
    } catch (error) {
      const { code, data: text } = error as { code: number; data: unknown }
      return { blocks, error: { code, data: text } }
    }
    return { blocks, error: undefined }
  }, DATA_BYTES)
}
