/** A node that tabs of Firefox share, and a chain that outlives the browser. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Firefox, type FirefoxTab, killFirefox, launchFirefox, needsFirefox } from '../support/host/firefox.ts'
import type { TabOpener } from '../support/host/tab.ts'
import { blockOverHttp, listenForScripts, overHttp, serveByUrl, serviceWorkerScripts } from './support/serviceWorker.ts'
import { ask, openSharingSite, openTab, type SharingSite, sendFromTabs } from './support/sharingSite.ts'
import {
  expectNothingLost,
  type Kill,
  minedTransactions,
  sendThroughKills,
  startSending,
  waitForBlock,
} from './support/takeover.ts'

/** Of a tab without shared workers. */
declare global {
  var isLeading: boolean | undefined
}

const KILLS = 2
const TABS = 5
/** Creates a contract that returns 42. */
const CREATION = '0x69602a60005260206000f3600052600a6016f3'
const BLOCKS = 20
/** Until Firefox stops an idle service worker. */
const IDLE_MS = 500

describe('Firefox', needsFirefox, () => {
  let site: SharingSite
  let browser: Firefox
  let profile: string

  beforeAll(async () => {
    profile = mkdtempSync(path.join(tmpdir(), 'isonode-profile-'))
    ;[site, browser] = await Promise.all([openSharingSite(serviceWorkerScripts()), launchFirefox(profile)])
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
    rmSync(profile, { recursive: true, force: true })
  })

  /** Tabs with a new chain. */
  async function withTabs(
    hasSharedWorkers: boolean,
    work: (tabs: TabOpener<FirefoxTab>) => Promise<void>,
  ): Promise<void> {
    const context = await browser.createBrowserContext()
    await work(hasSharedWorkers ? context : withoutSharedWorkers(context))
    await context.close()
  }

  it('has one head for all tabs in a shared worker, and reports it to each', async () => {
    await withTabs(true, async (tabs) => {
      expect(await sendFromTabs(tabs, site.url, TABS)).toEqual(Array(TABS).fill('0xa'))
    })
  })

  it('has one head for all tabs in the worker of a leading tab, and reports it to each', async () => {
    await withTabs(false, async (tabs) => {
      expect(await sendFromTabs(tabs, site.url, TABS)).toEqual(Array(TABS).fill('0xa'))
    })
  })

  it('loses and doubles no transaction when the tab with the worker is closed', async () => {
    await withTabs(false, async (tabs) => {
      expectNothingLost(await sendThroughKills(tabs, site, KILLS, closeLeader))
    })
  })

  it('goes on with the chain after it was killed while a tab sent transactions', async () => {
    const tab = await openTab(browser, site.url)
    const [from] = await ask<string[]>(tab, 'eth_accounts')
    const creation = await ask<string>(tab, 'eth_sendTransaction', [{ from, data: CREATION }])
    const { contractAddress: to } = await ask<{ contractAddress: string }>(tab, 'eth_getTransactionReceipt', [creation])
    await startSending(tab, 0)
    await waitForBlock(tab, BLOCKS)
    const told = await tab.evaluate(() => globalThis.told)
    await killFirefox(browser)

    browser = await launchFirefox(profile)
    const next = await openTab(browser, site.url)
    const mined = await minedTransactions(next, 2)
    expect(told.length).toBeGreaterThan(0)
    expect(told.filter(([value, hash]) => !mined.some((each) => each[0] === value && each[1] === hash))).toEqual([])
    expect(new Set(mined.map(([value]) => value)).size).toBe(mined.length)
    expect(Number(await ask(next, 'eth_call', [{ to }]))).toBe(42)
  })
})

describe('a service worker that Firefox stops soon when it is idle', needsFirefox, () => {
  it('answers over HTTP, and loads what its request needs', async () => {
    const stopsSoon = {
      'dom.serviceWorkers.idle_timeout': IDLE_MS,
      'dom.serviceWorkers.idle_extended_timeout': IDLE_MS,
    }
    const [site, browser] = await Promise.all([
      openSharingSite(serviceWorkerScripts()),
      launchFirefox(undefined, stopsSoon),
    ])
    const tab = await openTab(browser, site.url)
    await serveByUrl(tab, '/serviceWorker.js')
    await listenForScripts(tab)
    const first = { status: 200, text: '{"jsonrpc":"2.0","id":1,"result":"0x0"}' }
    expect(await blockOverHttp(tab)).toMatchObject(first)
    await tab.evaluate(() => shared.close())
    // Each worker that opens the node loads the script once.
    await expect
      .poll(
        async () => {
          expect(await blockOverHttp(tab)).toMatchObject(first)
          return tab.evaluate(() => loaded.length)
        },
        { interval: 4 * IDLE_MS },
      )
      .toBeGreaterThan(1)
    expect(new Set(await tab.evaluate(() => loaded))).toEqual(new Set(['node']))
    const trace = await overHttp(tab, 'debug_traceCall', [{ to: `0x${'00'.repeat(19)}04`, data: '0x2a' }, 'latest'])
    expect(JSON.parse(trace.text)).toMatchObject({ result: { returnValue: '0x2a' } })
    await browser.close()
    site.close()
  })
})

/** As in browsers that lack them. Each tab knows whether it has started a worker. */
function withoutSharedWorkers(context: TabOpener<FirefoxTab>): TabOpener<FirefoxTab> {
  return {
    newPage: async () => {
      const tab = await context.newPage()
      await tab.evaluateOnNewDocument(() => {
        Reflect.deleteProperty(globalThis, 'SharedWorker')
        globalThis.Worker = class extends Worker {
          constructor(...given: ConstructorParameters<typeof Worker>) {
            super(...given)
            globalThis.isLeading = true
          }
        }
      })
      return tab
    },
  }
}

const closeLeader: Kill<FirefoxTab> = async (tabs) => {
  for (const tab of tabs) {
    if (!(await tab.evaluate(() => globalThis.isLeading === true))) continue
    await tab.close()
    return tab
  }
  throw new Error('no tab leads')
}
