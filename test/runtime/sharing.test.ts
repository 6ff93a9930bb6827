import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import { blockOverHttp, listenForScripts, overHttp, serveByUrl, serviceWorkerScripts } from './support/serviceWorker.ts'
import { openSharingSite, openTab, type SharingSite, sendFrom, sendFromTabs } from './support/sharingSite.ts'
import { expectNothingLost, killLeader, killSharedWorker, sendThroughKills } from './support/takeover.ts'

/** How often the worker is killed; the long runs do it 100 times. */
const KILLS = Number(process.env['ISONODE_LONG_COUNT'] ?? 2)
/** How often the service worker is stopped before a request. */
const STOPS = Number(process.env['ISONODE_LONG_COUNT'] ?? 2)
/** Of the tests whose length follows these numbers. */
const LONG_MS = 90_000 + 10_000 * (KILLS + STOPS)
/** As in browsers without shared workers. */
const WITHOUT_SHARED_WORKERS = 'delete globalThis.SharedWorker'

describe('a node that tabs share', needsChromium, () => {
  let site: SharingSite
  let browser: Browser

  beforeAll(async () => {
    ;[site, browser] = await Promise.all([openSharingSite(serviceWorkerScripts()), launchChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
  })

  async function newContext(hasSharedWorkers: boolean): Promise<BrowserContext> {
    const context = await browser.newContext()
    if (!hasSharedWorkers) await context.addInitScript(WITHOUT_SHARED_WORKERS)
    return context
  }

  describe.each([
    { name: 'a shared worker', hasSharedWorkers: true, script: '/serviceWorker.js' },
    { name: 'the worker of a leading tab', hasSharedWorkers: false, script: '/oneScript.js' },
  ])('in $name', ({ hasSharedWorkers, script }) => {
    it('has one head for five tabs, and reports it to each', async () => {
      const context = await newContext(hasSharedWorkers)
      expect(await sendFromTabs(context, site.url, 5)).toEqual(Array(5).fill('0xa'))
      await context.close()
    })

    it('loses and doubles no transaction when its worker is killed', { timeout: LONG_MS }, async () => {
      const context = await newContext(hasSharedWorkers)
      const kill = hasSharedWorkers ? killSharedWorker(browser) : killLeader
      expectNothingLost(await sendThroughKills(context, site, KILLS, kill))
      await context.close()
    })

    it('answers over HTTP, by a service worker that the browser stops at any time', { timeout: LONG_MS }, async () => {
      const context = await newContext(hasSharedWorkers)
      const tab = await openTab(context, site.url)
      await serveByUrl(tab, script)
      const stop = await stopperOf(context, tab)
      const isBlock = (number: string) => ({ status: 200, text: `{"jsonrpc":"2.0","id":1,"result":"${number}"}` })
      /** Each answer comes from a service worker that has just begun. @returns milliseconds of the answers */
      const answersAfterStops = async (): Promise<number[]> => {
        const times: number[] = []
        for (let i = 0; i < STOPS; i++) {
          const { ms, ...answer } = await blockOverHttp(tab)
          expect(answer).toEqual(isBlock('0x1'))
          times.push(ms)
          await stop()
        }
        return times
      }
      await sendFrom(tab, 1)
      console.log(`answers of the shared node after ${spreadOf(await answersAfterStops())}`)
      // Without a shared node, the service worker opens the database, and gives it up when a tab wants it.
      await tab.evaluate(() => shared.close())
      console.log(`answers of its own node after ${spreadOf(await answersAfterStops())}`)
      expect(await blockOverHttp(tab)).toMatchObject(isBlock('0x1'))
      const other = await openTab(context, site.url)
      await sendFrom(other, 1)
      expect(await blockOverHttp(tab)).toMatchObject(isBlock('0x2'))
      await context.close()
    })
  })

  it('lets a service worker that wakes load only the scripts that the request needs', async () => {
    const context = await newContext(true)
    const tab = await openTab(context, site.url)
    await serveByUrl(tab, '/serviceWorker.js')
    const stop = await stopperOf(context, tab)
    await listenForScripts(tab)
    await stop()
    expect(await blockOverHttp(tab)).toMatchObject({ text: '{"jsonrpc":"2.0","id":1,"result":"0x0"}' })
    await tab.evaluate(() => shared.close())
    await stop()
    expect(await blockOverHttp(tab)).toMatchObject({ text: '{"jsonrpc":"2.0","id":1,"result":"0x0"}' })
    await overHttp(tab, 'debug_traceCall', [{ to: `0x${'00'.repeat(19)}04`, data: '0x2a' }, 'latest'])
    await tab.waitForFunction(() => loaded.length > 1)
    expect(await tab.evaluate(() => loaded)).toEqual(['node', 'later'])
    await context.close()
  })
})

/** @returns a function that stops the service workers */
async function stopperOf(context: BrowserContext, tab: Page): Promise<() => Promise<void>> {
  const session = await context.newCDPSession(tab)
  return async () => {
    await session.send('ServiceWorker.enable')
    await session.send('ServiceWorker.stopAllWorkers')
  }
}

/** The least, the middle and the longest of some times. */
function spreadOf(times: readonly number[]): string {
  const sorted = times.map(Math.round).sort((a, b) => a - b)
  const [least, middle, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)]
  return `${least} to ${most} ms, the middle one after ${middle} ms (${times.length} stops)`
}
