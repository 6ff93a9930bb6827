/** `dist/devtools` in Firefox: a chain in the browser, with and without the server of the files. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDevtools, HEADER_POLICY } from '../../adapters/server/build/devtoolsBuild.mjs'
import { type Firefox, type FirefoxTab, launchFirefox, needsFirefox } from '../support/host/firefox.ts'
import { temporaryDirectory } from '../support/nodes/program.ts'
import { findings } from './support/accessibility.ts'
import { settled } from './support/settled.ts'
import { type StaticSite, serveFolder } from './support/staticSite.ts'

const ROUTES = ['/', '/block/1', '/dev', '/console', '/charts', '/contracts', '/network']

describe('the explorer over a node in Firefox', needsFirefox, () => {
  let site: StaticSite
  let browser: Firefox
  beforeAll(async () => {
    const folder = temporaryDirectory()
    ;[browser] = await Promise.all([launchFirefox(), buildDevtools(folder)])
    site = await serveFolder(folder, '/some/place/', { 'Content-Security-Policy': HEADER_POLICY })
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
  })

  it('keeps a chain, and works without its server after the first visit', async () => {
    const tab = await browser.newPage()
    const faults: string[] = []
    tab.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    tab.on('pageerror', (error) => faults.push(String(error)))
    await tab.goto(site.url)
    await tab.waitForFunction(() => document.querySelector('main .skeleton, #starting') === null)
    expect(await findings(tab)).toEqual([])
    await click(tab, 'Create')
    await settled(tab)
    await click(tab, 'Send 1 ETH')
    await tab.waitForFunction(() => document.querySelector('main')?.textContent?.includes('Success') === true)
    await tab.evaluate(async () => void (await navigator.serviceWorker.ready))
    site.close()

    await tab.reload()
    await settled(tab)
    expect(await blockNumber(tab)).toBe('0x1')
    for (const route of ROUTES) {
      await tab.goto(`${site.url}?chain=dev#${route}`)
      await settled(tab)
      expect({ route, findings: await findings(tab) }).toEqual({ route, findings: [] })
    }
    await tab.goto(`${site.url}?chain=dev#/dev`)
    await settled(tab)
    await click(tab, 'Mine')
    await tab.waitForFunction(async () => (await isonodeProvider?.request({ method: 'eth_blockNumber' })) === '0x2')
    expect(faults).toEqual([])
  })
})

/** @param name of a button */
async function click(tab: FirefoxTab, name: string): Promise<void> {
  await tab.evaluate(async (text) => {
    const find = (): HTMLButtonElement | undefined =>
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.trim() === text)
    while (find()?.disabled !== false) await new Promise(requestAnimationFrame)
    find()?.click()
  }, name)
}

function blockNumber(tab: FirefoxTab): Promise<unknown> {
  return tab.evaluate(async () => {
    while (globalThis.isonodeProvider === undefined) await new Promise(requestAnimationFrame)
    return globalThis.isonodeProvider.request({ method: 'eth_blockNumber' })
  })
}
