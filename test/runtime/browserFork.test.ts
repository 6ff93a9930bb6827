/** A fork in a page of Chromium: over an address and over the provider of a wallet, with its cache in IndexedDB. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BuildOptions } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BrowserNode } from '../../adapters/browser/index.ts'
import { pageModules } from '../../adapters/server/build/pageModules.mjs'
import { startNode } from '../../mod.ts'
import { evmCode } from '../support/evm/evmCode.ts'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import type * as entry from './support/browserEntry.ts'
import { bundle } from './support/bundle.ts'
import { type PageServer, servePage } from './support/pageServer.ts'

declare global {
  var isonode: typeof entry
  var opened: BrowserNode
  function askRemote(method: string, params: unknown): Promise<unknown>
}

type Node = Awaited<ReturnType<typeof startNode>>

const START = "globalThis.isonode = await import('/browserEntry.js')"
const CONTRACT = `0x${'c'.repeat(40)}`
const OTHER = `0x${'d'.repeat(40)}`
/** Adds slot 1, and what another contract has in its slot 2. */
const CODE = evmCode(`1 SLOAD 32 0 0 0 ${OTHER} GAS STATICCALL POP 0 MLOAD ADD 0 MSTORE 32 0 RETURN`)
const OTHER_CODE = evmCode('2 SLOAD 0 MSTORE 32 0 RETURN')
const word = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`
const CALL = ['eth_call', [{ to: CONTRACT }, 'latest']] as const
const SUM = word(0x42 + 0x17)

describe('a fork in Chromium', needsChromium, () => {
  let directory = ''
  let server: PageServer
  let browser: Browser
  let remote: Node
  let head = 0
  let page: Page
  /** Requests to the remote. */
  let requests = 0

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-fork-page-'))
    const options = { platform: 'browser', splitting: true, plugins: [pageModules] } satisfies BuildOptions
    server = await servePage(await bundle('test/runtime/support/browserEntry.ts', directory, options), START)
    browser = await launchChromium()
    remote = await startNode({ chainId: 4242 })
    await remote.request('hardhat_setCode', [CONTRACT, hex(CODE)])
    await remote.request('hardhat_setCode', [OTHER, hex(OTHER_CODE)])
    await remote.request('hardhat_setStorageAt', [CONTRACT, word(1), word(0x42)])
    await remote.request('hardhat_setStorageAt', [OTHER, word(2), word(0x17)])
    await remote.request('hardhat_mine', ['0x3'])
    head = Number(await remote.request('eth_blockNumber', []))
  })

  afterAll(async () => {
    await browser?.close()
    await remote?.close()
    server?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  beforeEach(async () => {
    page = await (await browser.newContext()).newPage()
    requests = 0
    page.on('request', (request) => {
      if (request.url().startsWith(String(remote.url))) requests++
    })
    await page.exposeFunction('askRemote', (method: string, params: unknown[]) => {
      requests++
      return remote.request(method, params)
    })
    await page.goto(server.url)
    await page.waitForFunction(() => 'isonode' in globalThis)
  })

  afterEach(async () => {
    await page.context().close()
  })

  const ask = (method: string, params: readonly unknown[]): Promise<unknown> =>
    page.evaluate(([name, list]) => opened.request(name, list), [method, params] as const)

  /** Entries of the cache that all forks of the site share. */
  const cached = (): Promise<number> =>
    page.evaluate(
      () =>
        new Promise<number>((resolve, reject) => {
          const opening = indexedDB.open('isonode-fork-v1')
          opening.onerror = () => reject(opening.error)
          opening.onsuccess = () => {
            const database = opening.result
            const [name] = database.objectStoreNames
            if (name === undefined) return resolve(0)
            const counting = database.transaction(name).objectStore(name).count()
            counting.onsuccess = () => {
              database.close()
              resolve(counting.result)
            }
          }
        }),
    )

  async function reload(): Promise<void> {
    await page.reload()
    await page.waitForFunction(() => 'isonode' in globalThis)
    requests = 0
  }

  it.each<[string, () => Promise<void>]>([
    [
      'an address of another origin',
      () =>
        page.evaluate(
          async ([url, block]) => {
            globalThis.opened = await isonode.createBrowserNode({ fork: { url, block } })
          },
          [remote.url, head] as const,
        ),
    ],
    [
      'the provider of a wallet',
      () =>
        page.evaluate(async (block) => {
          const provider = {
            request: ({ method, params = [] }: { method: string; params?: unknown }) => askRemote(method, params),
          }
          globalThis.opened = await isonode.createBrowserNode({ fork: { provider, block } })
        }, head),
    ],
  ])('over %s answers as the chain, and after a reload without a request', async (_, open) => {
    await open()
    expect(await ask(...CALL)).toBe(SUM)
    expect(requests).toBeGreaterThan(0)
    expect(Number(await ask('eth_blockNumber', []))).toBe(head)
    await ask('hardhat_setStorageAt', [CONTRACT, word(1), word(0x1000)])
    expect(await ask(...CALL)).toBe(word(0x1017))
    await page.evaluate(() => opened.close())
    expect(await cached()).toBeGreaterThan(4)
    await reload()
    await open()
    expect(await ask(...CALL)).toBe(SUM)
    expect(requests).toBe(0)
    expect(await remote.request(...(CALL as unknown as [string, unknown[]]))).toBe(SUM)
  })
})
