/** The debugger at a real failure: it opens at the line, and steps back and forth by keyboard and by buttons. */
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findings } from './support/accessibility.ts'
import { launch, needsChromium, openTab, openView, settled, type WatchedPage } from './support/chromium.ts'
import { type ExampleChain, startExampleChain } from './support/exampleChain.ts'

/** A call of a contract by another that fails. */
const FAILURE = 'twoContractsDeep'

describe('the debugger', needsChromium, () => {
  let chain: ExampleChain
  let browser: Browser
  let tab: WatchedPage
  beforeAll(async () => {
    ;[chain, browser] = await Promise.all([startExampleChain(), launch()])
  })
  beforeEach(async () => {
    tab = await openTab(browser, chain.url)
    await openView(tab.page, chain.url, `/debug/${chain.transactions.get(FAILURE)}`)
    await tab.page.waitForSelector('.debug-line.current')
    await settled(tab.page)
  })
  afterEach(() => tab.close())
  afterAll(async () => {
    await browser?.close()
    await chain?.node.stop()
  })

  const step = (): number => Number(new URLSearchParams(tab.page.url().split('?')[1]).get('step'))

  /** Waits until a move has arrived. */
  async function moved(act: () => Promise<void>): Promise<number> {
    const before = step()
    await act()
    await tab.page.waitForURL((url) => !url.hash.endsWith(`step=${before}`))
    await tab.page.waitForFunction(
      (at) => document.querySelector('.debug-where')?.textContent?.replaceAll(/\D/g, '').startsWith(String(at)),
      step(),
    )
    await tab.page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null)
    return step()
  }
  const pressed = (key: string): Promise<number> => moved(() => tab.page.keyboard.press(key))

  it('opens at the line that failed', async () => {
    const line = await tab.page.locator('.debug-line.current').textContent()
    expect(line).toMatch(/require|revert|assert/)
    expect(await tab.page.locator('.call-stack > li').count()).toBeGreaterThan(1)
    expect(tab.faults).toEqual([])
  })

  it('steps backwards and forwards to where it was', async () => {
    const failure = step()
    expect(await pressed('p')).toBe(failure - 1)
    expect(await pressed('F9')).toBe(failure)
    const line = await pressed('Shift+F10')
    expect(line).toBeLessThan(failure)
    expect(await pressed('F11')).toBeGreaterThan(line)
    expect(await pressed('s')).toBe(0)
    expect(await pressed('f')).toBe(failure)
    const last = await pressed('e')
    expect(last).toBeGreaterThan(failure)
    expect(await pressed('F')).toBe(failure)
    expect(tab.faults).toEqual([])
  })

  it('keeps the focus on the button that moves it', async () => {
    const button = tab.page.getByRole('button', { name: 'Into backwards' })
    const first = await moved(() => button.click())
    expect(await pressed('Enter')).toBeLessThan(first)
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('stops at breakpoints', async () => {
    const failure = step()
    const number = tab.page.locator('.debug-line.current .code-number')
    await number.click()
    expect(await number.getAttribute('aria-pressed')).toBe('true')
    await pressed('s')
    const stop = await pressed('F8')
    expect(stop).toBeGreaterThan(0)
    expect(stop).toBeLessThanOrEqual(failure)
    expect(await tab.page.locator('.debug-line.current .code-number.marked').count()).toBe(1)
  })

  it('runs to a line, and back to it', async () => {
    const failure = step()
    const current = tab.page.locator('.debug-line.current')
    const running = (): Promise<string | null> => current.locator('.code-number').textContent()
    const line = await running()
    await pressed('Shift+F10')
    await expect.poll(running).not.toBe(line)
    const other = await running()
    const runTo = (name: string | null): ReturnType<typeof tab.page.getByRole> =>
      tab.page.getByRole('button', { name: `Run to line ${name}`, exact: true })
    const there = await moved(() => runTo(line).click())
    expect(there).toBeLessThanOrEqual(failure)
    await expect.poll(running).toBe(line)
    expect(await moved(() => runTo(other).click({ modifiers: ['Shift'] }))).toBeLessThan(there)
    await expect.poll(running).toBe(other)
  })

  it('moves between lines by arrows', async () => {
    const line = Number(await tab.page.locator('.debug-line.current .code-number').textContent())
    await tab.page.locator('.debug-line.current .code-number').focus()
    await tab.page.keyboard.press('ArrowUp')
    await tab.page.keyboard.press('ArrowUp')
    await tab.page.keyboard.press('ArrowDown')
    expect(await tab.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      `Breakpoint on line ${line - 1}`,
    )
  })

  it('has all panels as tabs where there is little room', async () => {
    await tab.page.setViewportSize({ width: 360, height: 800 })
    await tab.page.getByRole('tab', { name: 'Source' }).waitFor()
    for (const panel of await tab.page.getByRole('tab').all()) {
      await panel.click()
      await tab.page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null)
      const name = await panel.textContent()
      expect({ name, findings: await findings(tab.page) }).toEqual({ name, findings: [] })
      const { scrollWidth, clientWidth } = await tab.page.evaluate(() => document.documentElement)
      expect(scrollWidth).toBe(clientWidth)
    }
    expect(tab.faults).toEqual([])
  })

  it('runs a call again that was never sent', async () => {
    const { page } = tab
    await openView(page, chain.url, `/tx/${chain.transactions.get(FAILURE)}`)
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('button', { name: 'Debug this call' }).click()
    await page.waitForSelector('.debug-line.current')
    expect(page.url()).toContain('#/debug/call?step=')
    expect(tab.faults).toEqual([])
  })
})
