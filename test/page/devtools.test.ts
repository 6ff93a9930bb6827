/**
 * `dist/devtools`: the explorer over a node in the browser, from a folder of a server of static files. With ISONODE_WRITE_DOCS,
 * it writes the picture of the guide.
 */
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDevtools, HEADER_POLICY } from '../../adapters/server/build/devtoolsBuild.mjs'
import { temporaryDirectory } from '../support/nodes/program.ts'
import { findings } from './support/accessibility.ts'
import { launch, needsChromium, openTab, settled, type WatchedPage } from './support/chromium.ts'
import { type ExampleChain, startExampleChain } from './support/exampleChain.ts'
import { EXAMPLES } from './support/examples.ts'
import { keyboardFaults } from './support/keyboard.ts'
import { type StaticSite, serveFolder } from './support/staticSite.ts'

const DOCS = path.resolve(import.meta.dirname, '../../docs')
const IMAGES = path.join(DOCS, 'images')
const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const
const HEIGHT = 900

/** How many examples of views are shown; the long runs show all of them. */
const VIEW_COUNT = Number(process.env['ISONODE_LONG_COUNT'] ?? 4)
const VIEWS = spread(Object.values(EXAMPLES).flat(), VIEW_COUNT)

it('has the policy that the guide shows', () => {
  const guide = readFileSync(path.join(DOCS, 'guides/browser.md'), 'utf8')
  expect(guide).toContain(`Content-Security-Policy: ${HEADER_POLICY}\n`)
})

describe('the explorer over a node in the browser', needsChromium, () => {
  let folder = ''
  let site: StaticSite
  let browser: Browser
  beforeAll(async () => {
    folder = temporaryDirectory()
    ;[browser] = await Promise.all([launch(), buildDevtools(folder)])
    site = await serveFolder(folder, '/some/place/')
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
  })

  const openPage = (query = '', from: StaticSite = site): Promise<WatchedPage> =>
    openTab(browser, new URL(from.url).origin).then(async (tab) => {
      await tab.page.goto(from.url + query)
      return tab
    })

  it.each(LOOKS)('lets readers choose a chain, $width pixels wide, $colorScheme', async ({ width, colorScheme }) => {
    const options = { viewport: { width, height: HEIGHT }, colorScheme }
    const { page, faults, close } = await openTab(browser, new URL(site.url).origin, options)
    await page.goto(site.url)
    await shownStart(page)
    expect(await findings(page)).toEqual([])
    expect(await keyboardFaults(page)).toEqual([])
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    )
    expect(isWide).toBe(false)
    expect(faults).toEqual([])
    await close()
  })

  it('keeps a chain, and works without its server after the first visit', async () => {
    const own = await serveFolder(folder, '/offline/', { 'Content-Security-Policy': HEADER_POLICY })
    const { page, faults, close } = await openPage('', own)
    await page.getByRole('button', { name: 'Create' }).click()
    await settled(page)
    await sendFirst(page)
    await page.evaluate(() => navigator.serviceWorker.ready)
    own.close()

    await page.reload()
    expect(await ask(page, 'eth_blockNumber')).toBe('0x1')
    for (const route of ['/block/1', '/dev', '/console', '/charts']) {
      await page.goto(`${own.url}?chain=dev#${route}`)
      await settled(page)
    }
    await page.goto(`${own.url}?chain=dev#/dev`)
    await page.getByRole('button', { name: 'Mine', exact: true }).click()
    await page.getByRole('link', { name: '2', exact: true }).first().waitFor()

    await page.getByRole('link', { name: 'Other chains' }).click()
    await shownStart(page)
    const cells = await page.getByRole('table', { name: 'Saved chains' }).getByRole('cell').allTextContents()
    expect(cells.slice(0, 3)).toEqual(['dev', '31337', '2'])
    await page.getByRole('button', { name: 'Delete dev' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No chain is saved yet.').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('stays with its version while another one is only half on the server', async () => {
    const copy = temporaryDirectory()
    cpSync(folder, copy, { recursive: true })
    const own = await serveFolder(copy, '/')
    const { page, faults, close } = await openPage('', own)
    await page.evaluate(() => navigator.serviceWorker.ready)
    const [script = ''] = /app\/\w+\/main\.js/.exec(readFileSync(path.join(copy, 'index.html'), 'utf8')) ?? []
    const original = readFileSync(path.join(copy, script))
    const changeWorker = (): void => appendFileSync(path.join(copy, 'sw.js'), '// changed\n')

    writeFileSync(path.join(copy, script), 'throw new Error("half there")')
    changeWorker()
    expect(await updateOf(page)).toBe('redundant')
    await page.reload()
    await shownStart(page)

    writeFileSync(path.join(copy, script), original)
    changeWorker()
    expect(await updateOf(page)).toBe('installed')
    expect(faults.filter((fault) => !fault.includes('integrity'))).toEqual([])
    await close()
    own.close()
  })

  it('has a picture', async () => {
    const images = process.env['ISONODE_WRITE_DOCS'] === undefined ? temporaryDirectory() : IMAGES
    const { page, close } = await openPage('?chain=counter')
    await settled(page)
    await sendFirst(page)
    await page.setViewportSize({ width: 1120, height: 640 })
    await page.goto(site.url)
    await shownStart(page)
    await page.screenshot({ path: path.join(images, 'devtools-start.png') })
    await close()
  })

  it('can be installed', async () => {
    const { page, close } = await openPage()
    await page.evaluate(() => navigator.serviceWorker.ready)
    const session = await page.context().newCDPSession(page)
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    // A private window is what the test has.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([])
    await close()
  })

  it('says what is wrong with an address', async () => {
    const { page, close } = await openPage('?fork=ftp://example.org')
    expect(await page.getByRole('alert').textContent()).toContain(
      'has “ftp://example.org” for fork: expected an address',
    )
    await close()
  })

  it.each([
    { where: 'a shared worker', hasSharedWorkers: true },
    { where: 'the worker of one tab', hasSharedWorkers: false },
  ])('shares a saved chain among tabs, in $where', async ({ hasSharedWorkers }) => {
    const { page, faults, close } = await openPage('?memory=yes')
    if (!hasSharedWorkers) await page.context().addInitScript('delete globalThis.SharedWorker')
    const second = await page.context().newPage()
    for (const tab of [page, second]) {
      await tab.goto(`${site.url}?chain=busy`)
      await settled(tab)
    }
    await sendFirst(page)
    await second.getByRole('link', { name: '1', exact: true }).first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('deletes no chain that a tab has open', async () => {
    const { page, close } = await openPage('?chain=busy')
    await settled(page)
    const second = await page.context().newPage()
    await second.goto(site.url)
    await shownStart(second)
    await second.getByRole('button', { name: 'Delete busy' }).click()
    await second.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await second.getByText('This chain is open in another tab.').waitFor()
    expect(await second.getByRole('link', { name: 'busy' }).isVisible()).toBe(true)
    await close()
  })

  describe('with a node elsewhere', () => {
    let chain: ExampleChain
    let head = ''
    beforeAll(async () => {
      chain = await startExampleChain()
      head = await chain.node.rpc('eth_blockNumber')
    })
    afterAll(() => chain?.node.stop())

    /** Opens the start view with a wallet whose chain is that of the node. */
    async function openWithNode(): Promise<WatchedPage> {
      const origins = [site.url, chain.url].map((url) => new URL(url).origin)
      const tab = await openTab(browser, origins)
      await tab.page.addInitScript(announceWallet, chain.url)
      await tab.page.goto(site.url)
      await shownStart(tab.page)
      return tab
    }

    it('forks its chain', async () => {
      const { page, faults, close } = await openWithNode()
      const form = page.getByRole('form', { name: 'Fork a chain' })
      await form.getByLabel('Address of a node').fill(chain.url)
      await form.getByLabel('Block').fill('3')
      await form.getByRole('button', { name: 'Fork' }).click()
      await settled(page)
      expect(await ask(page, 'eth_blockNumber')).toBe('0x3')
      await ask(page, 'evm_mine')
      expect(await ask(page, 'eth_blockNumber')).toBe('0x4')
      expect(await chain.node.rpc('eth_blockNumber')).toBe(head)
      expect(faults).toEqual([])
      await close()
    })

    it(`shows ${VIEWS.length} views of a fork, which axe approves`, async () => {
      const { page, faults, close } = await openWithNode()
      const found: string[] = []
      for (const { name, route } of VIEWS) {
        await page.goto(`${site.url}?fork=${chain.url}#${route(chain)}`)
        await settled(page)
        found.push(...(await findings(page)).map((finding) => `${name}: ${finding}`))
      }
      expect({ found, faults }).toEqual({ found: [], faults: [] })
      await close()
    })

    it('forks the chain of a wallet', async () => {
      const { page, faults, close } = await openWithNode()
      await page.getByRole('link', { name: 'Fork the chain of Test wallet' }).click()
      await settled(page)
      expect(await ask(page, 'eth_blockNumber')).toBe(head)
      expect(faults).toEqual([])
      await close()
    })

    it('shows it', async () => {
      const { page, faults, close } = await openWithNode()
      await page.getByLabel('Address of the node').fill(chain.url)
      await page.getByRole('button', { name: 'Connect' }).click()
      await settled(page)
      await page
        .getByRole('link', { name: `${Number(head)}`, exact: true })
        .first()
        .waitFor()
      expect(faults).toEqual([])
      await close()
    })
  })
})

/** About so many items of a list, from all its parts. */
function spread<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.ceil(list.length / count))
  return list.filter((_, i) => i % step === 0)
}

async function shownStart(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Choose a chain' }).waitFor()
  await page.waitForFunction(() => document.querySelector('main .skeleton, #starting') === null)
}

/** Looks for another version. @returns the state in which its service worker ends up */
function updateOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    await registration.update()
    const worker = registration.installing ?? registration.waiting
    if (worker === null) return 'none'
    while (worker.state === 'installing')
      await new Promise((resolve) => worker.addEventListener('statechange', resolve))
    return worker.state
  })
}

/** Sends a transaction by the page's button, and waits until the page shows it. */
async function sendFirst(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send 1 ETH' }).click()
  await page.getByText('Success').first().waitFor()
}

/** Asks the node of the page. */
async function ask(page: Page, method: string): Promise<unknown> {
  const provider = await page.waitForFunction(() => globalThis.isonodeProvider)
  return provider.evaluate((node, name) => node?.request({ method: name }), method)
}

/** Runs in the page: a wallet whose requests go to a node. */
function announceWallet(url: string): void {
  const request = async (call: object): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    return ((await response.json()) as { readonly result: unknown }).result
  }
  const info = { uuid: '1', name: 'Test wallet', icon: 'data:,', rdns: 'org.example.wallet' }
  const announce = (): void => {
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider: { request } } }))
  }
  addEventListener('eip6963:requestProvider', announce)
}
