/** Chromium, and pages in it that record everything that a page must not do. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from '../../support/host/chromium.ts'
import { settled } from './settled.ts'

export { needsChromium } from '../../support/host/chromium.ts'
export { settled } from './settled.ts'

/** @param hosts names that lead to this computer, for pages of other sites */
export function launch(hosts: readonly string[] = []): Promise<Browser> {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')
  return launchChromium(rules === '' ? [] : [`--host-resolver-rules=${rules}`])
}

/** For each thing that a page must show, on a machine that does other work, too. */
const LIMIT_MS = 80_000

export interface WatchedPage {
  readonly page: Page
  /** Errors on the console, uncaught errors, violations of the policy, and requests to other servers. */
  readonly faults: string[]
  close(): Promise<void>
}

/** Opens a tab with a separate profile. @param origins of the servers that the page may ask */
export async function openTab(
  browser: Browser,
  origins: string | readonly string[],
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  const faults: string[] = []
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`violates ${violatedDirective}: ${blockedURI}`)
    })
  })
  const isOwn = (url: string): boolean => [origins].flat().includes(new URL(url).origin) || url.startsWith('data:')
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    if (!isOwn(request.url())) faults.push(`asks ${request.url()}`)
  })
  page.on('websocket', (socket) => {
    if (!isOwn(socket.url().replace(/^ws/, 'http'))) faults.push(`connects to ${socket.url()}`)
  })
  return { page, faults, close: () => context.close() }
}

/** Opens a view, as a link to it would. @param route after the `#` */
export async function openView(page: Page, url: string, route: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${url}/#${route}`)
  await settled(page)
}
