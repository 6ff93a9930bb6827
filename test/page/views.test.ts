/** Every view of the explorer in Chromium, narrow and wide, light and dark. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NOT_FOUND, ROUTES } from '../../adapters/page/routes.ts'
import { colourFindings, findings } from './support/accessibility.ts'
import { launch, needsChromium, openTab, openView, type WatchedPage } from './support/chromium.ts'
import { type ExampleChain, startExampleChain } from './support/exampleChain.ts'
import { EXAMPLES } from './support/examples.ts'
import { keyboardFaults } from './support/keyboard.ts'
import { takeScreenshot } from './support/screenshots.ts'

const HEIGHT = 900

const PATTERNS = [...ROUTES, NOT_FOUND].map(({ pattern }) => pattern)
const SHOWN = PATTERNS.flatMap((pattern) => EXAMPLES[pattern] ?? [])
/** One of each view. */
const FIRST = PATTERNS.flatMap((pattern) => EXAMPLES[pattern]?.slice(0, 1) ?? [])
/** Views that have most of the colours. */
const COLOURED = ['/', '/tx/:hash', '/address/:address', '/debug/:id', '/dev'].flatMap(
  (pattern) => EXAMPLES[pattern]?.slice(0, 1) ?? [],
)
const WIDTHS = [1280, 360]
/** Settings of the system, and rules of axe for them. */
const CONTRASTS = [
  { name: 'more contrast, light', contrast: 'more', colorScheme: 'light', rules: ['color-contrast-enhanced'] },
  { name: 'more contrast, dark', contrast: 'more', colorScheme: 'dark', rules: ['color-contrast-enhanced'] },
  { name: 'forced colours', forcedColors: 'active', rules: [] },
] as const

describe('the explorer', needsChromium, () => {
  let chain: ExampleChain
  let browser: Browser
  beforeAll(async () => {
    ;[chain, browser] = await Promise.all([startExampleChain(), launch()])
  })
  afterAll(async () => {
    await browser?.close()
    await chain?.node.stop()
  })

  it('has an example of each view', () => {
    expect(PATTERNS.filter((pattern) => EXAMPLES[pattern] === undefined)).toEqual([])
  })

  it.each(FIRST)('lets the keyboard reach all of $name', async ({ route }) => {
    const { page, close } = await openTab(browser, chain.url)
    await openView(page, chain.url, route(chain))
    expect(await keyboardFaults(page)).toEqual([])
    await close()
  })

  describe.each(CONTRASTS)('with $name', ({ name: look, rules, ...options }) => {
    let tab: WatchedPage
    beforeAll(async () => {
      tab = await openTab(browser, chain.url, { viewport: { width: 1280, height: HEIGHT }, ...options })
    })
    afterAll(() => tab?.close())

    it.each(COLOURED)('shows $name', async ({ name, route }) => {
      const { page, faults } = tab
      faults.length = 0
      await openView(page, chain.url, route(chain))
      await takeScreenshot(page, `${name} 1280 ${look}`)
      expect({ faults, findings: await findings(page, rules) }).toEqual({ faults: [], findings: [] })
    })
  })

  describe.each(WIDTHS)('%i pixels wide', (width) => {
    let tab: WatchedPage
    beforeAll(async () => {
      tab = await openTab(browser, chain.url, { viewport: { width, height: HEIGHT } })
    })
    afterAll(() => tab?.close())

    it.each(SHOWN)('shows $name, light and dark', async ({ name, route }) => {
      const { page, faults } = tab
      faults.length = 0
      await page.emulateMedia({ colorScheme: 'light' })
      await openView(page, chain.url, route(chain))
      await takeScreenshot(page, `${name} ${width} light`)
      const overflow = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        return Math.max(0, scrollWidth - clientWidth)
      })
      const light = await findings(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await takeScreenshot(page, `${name} ${width} dark`)
      const dark = await colourFindings(page)
      expect({ faults, light, dark, overflow }).toEqual({ faults: [], light: [], dark: [], overflow: 0 })
      expect(await page.title()).toMatch(/\S · isonode$/)
    })
  })
})
