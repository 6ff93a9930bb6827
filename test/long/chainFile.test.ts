/** A long chain goes from a tab to the command line and back, with equal head, root and changes. */
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BrowserNode } from '../../adapters/browser/index.ts'
import { pageModules } from '../../adapters/server/build/pageModules.mjs'
import type * as entry from '../runtime/support/browserEntry.ts'
import { bundle } from '../runtime/support/bundle.ts'
import { type PageServer, servePage } from '../runtime/support/pageServer.ts'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import { startNode } from '../support/nodes/program.ts'
import { longCount } from './count.ts'

declare global {
  var isonode: typeof entry
  var opened: BrowserNode
}

const BLOCKS = Math.min(longCount, 20_000)
/** Of a computer that does other work, too. */
const RUN_LIMIT_MS = 1_800_000
const LOAD_LIMIT_MS = 240_000
const START = "globalThis.isonode = await import('/browserEntry.js')"
const STRANGER = '0x00000000000000000000000000000000000000aa'

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

describe('the file of a long chain', needsChromium, () => {
  let directory = ''
  let server: PageServer
  let browser: Browser
  const file = (): string => path.join(directory, 'state.json')

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-chain-'))
    const built = await bundle('test/runtime/support/browserEntry.ts', path.join(directory, 'page'), {
      platform: 'browser',
      splitting: true,
      plugins: [pageModules],
    })
    const keep = (request: IncomingMessage): Promise<void> => pipeline(request, createWriteStream(file()))
    server = await servePage(built, START, {
      '/kept': (request, response) => void keep(request).then(() => response.end()),
      '/file': (_, response) => void createReadStream(file()).pipe(response),
    })
    browser = await launchChromium()
  }, LOAD_LIMIT_MS)
  afterAll(async () => {
    await browser?.close()
    server?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  async function openTab(storage: 'memory' | 'indexeddb'): Promise<{ readonly page: Page; readonly ask: Ask }> {
    const page = await browser.newPage()
    await page.goto(server.url)
    await page.waitForFunction(() => 'isonode' in globalThis)
    await page.evaluate(async (where) => {
      globalThis.opened = await isonode.createBrowserNode({ storage: where })
    }, storage)
    const ask: Ask = (method, params) =>
      page.evaluate(([name, list]) => opened.request(name, list), [method, params] as const)
    return { page, ask }
  }

  it(`goes from a tab to the command line and back: ${BLOCKS} blocks`, { timeout: RUN_LIMIT_MS }, async () => {
    const from = await openTab('memory')
    for (let made = 0; made < BLOCKS; made += 500) await makeBlocks(from.page, Math.min(500, BLOCKS - made))
    const chain = await seen(from.ask)
    await from.page.evaluate(async () => {
      await fetch('/kept', { method: 'POST', body: await new Response(await opened.exportChain()).blob() })
    })
    await from.page.close()
    console.info(`${BLOCKS} blocks: ${statSync(file()).size} bytes`)

    const program = await startNode(['--ephemeral', `--state=${file()}`], { startTimeoutMs: LOAD_LIMIT_MS })
    expect(await seen((method, params) => program.rpc(method, params))).toEqual(chain)
    expect((await program.stop()).code).toBe(0)

    const back = await openTab('indexeddb')
    const importMs = await back.page.evaluate(async () => {
      const { body } = await fetch('/file')
      const startedMs = performance.now()
      if (body !== null) await opened.importChain(body)
      return performance.now() - startedMs
    })
    console.info(`loaded into IndexedDB in ${(importMs / 1000).toFixed(1)} s`)
    expect(await seen(back.ask)).toEqual(chain)
  })
})

/** Blocks with a transfer each, and changes of the state between them. */
function makeBlocks(page: Page, count: number): Promise<void> {
  return page.evaluate(
    async ([blocks, stranger]) => {
      const [from, to] = opened.accounts.map(({ address }) => address)
      for (let made = 0; made < blocks; made++) {
        await opened.request('eth_sendTransaction', [{ from, to, value: '0x1' }])
        if (made % 50 === 0) await opened.request('anvil_setBalance', [stranger, `0x${(made + 1).toString(16)}`])
      }
    },
    [count, STRANGER] as const,
  )
}

/** The node keeps the newest states. */
async function seen(ask: Ask): Promise<unknown> {
  const height = Number(await ask('eth_blockNumber', []))
  const views: unknown[] = [height]
  for (const number of [0, 1, Math.floor(height / 2), height - 1, height]) {
    const tag = `0x${number.toString(16)}`
    views.push(await ask('eth_getBlockByNumber', [tag, true]))
    if (number >= height - 1) views.push(await ask('eth_getProof', [STRANGER, [], tag]))
  }
  return views
}
