/** The views while the node is slow, refuses, is away, or goes back. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningNode, startNode } from '../support/nodes/program.ts'
import { findings } from './support/accessibility.ts'
import { launch, needsChromium, openTab, openView, type WatchedPage } from './support/chromium.ts'
import { takeScreenshot } from './support/screenshots.ts'

const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const
const HEIGHT = 900

describe('the states of views', needsChromium, () => {
  let node: RunningNode
  let browser: Browser
  beforeAll(async () => {
    ;[node, browser] = await Promise.all([startNode(['--ephemeral']), launch()])
    await node.rpc('anvil_mine', ['0x3'])
  })
  afterAll(async () => {
    await browser?.close()
    await node?.stop()
  })

  const open = (url: string = node.url): Promise<WatchedPage> => openTab(browser, url)

  it('a slow answer shows a bar, then what it waits for, and can be stopped', async () => {
    const { page, close } = await open()
    await openView(page, node.url, '/')
    await page.clock.install()
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**', async (route) => {
      if (route.request().method() === 'POST') await released
      await route.continue()
    })
    await page.evaluate(() => {
      location.hash = '#/block/2'
    })
    await page.locator('main .skeleton').waitFor()
    await page.clock.runFor(500)
    await page.getByRole('progressbar').waitFor()
    await page.clock.runFor(5000)
    await page.getByText('Still waiting for').waitFor()
    expect(await inspect(page, 'slow')).toEqual([])
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    release()
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.getByText('Parent').first().waitFor()
    await close()
  })

  it('a refused method is explained with the option that allows it', async () => {
    const strict = await startNode(['--ephemeral', '--rpc-http-api=ETH,NET,WEB3'])
    const { page, close } = await open(strict.url)
    const [from, to] = await strict.rpc<string[]>('eth_accounts')
    const hash = await strict.rpc('eth_sendTransaction', [{ from, to, value: '0x1' }])
    await openView(page, strict.url, `/tx/${hash}?tab=calls`)
    await page.getByText('Not available').first().waitFor()
    await page.getByText('--rpc-http-api').first().waitFor()
    expect(await inspect(page, 'refused')).toEqual([])
    await close()
    await strict.stop()
  })

  it('a block that a reorganisation removed says so, and leads to the other one', async () => {
    const { page, close } = await open()
    const { hash } = await node.rpc<{ readonly hash: string }>('eth_getBlockByNumber', ['latest', false])
    await openView(page, node.url, `/block/${hash}`)
    await node.rpc('anvil_reorg', [1, []])
    await page.getByText('A reorganisation removed this block.').waitFor()
    expect(await inspect(page, 'removed')).toEqual([])
    await page.getByRole('link', { name: 'The block that replaced it' }).click()
    await page.getByText('A reorganisation removed this block.').waitFor({ state: 'detached' })
    await close()
  })

  it('rows of new blocks take the elements of those that go, but not under the focus of a reader', async () => {
    const { page, close } = await open()
    await openView(page, node.url, '/')
    const first = page.getByRole('table', { name: 'Latest blocks' }).locator('tbody tr').first()
    const mineAll = async (): Promise<void> => {
      await node.rpc('anvil_mine', ['0x14'])
      const { number } = await node.rpc<{ readonly number: string }>('eth_getBlockByNumber', ['latest', false])
      await first.locator(`a[href="#/block/${Number(number)}"]`).waitFor()
    }
    await mineAll()
    const row = await first.elementHandle()
    await mineAll()
    expect(await row?.evaluate(({ isConnected }) => isConnected)).toBe(true)
    const focused = await first.locator('a').first().elementHandle()
    const target = await focused?.getAttribute('href')
    await focused?.focus()
    await mineAll()
    expect(await focused?.evaluate(({ isConnected }) => isConnected)).toBe(false)
    expect(await focused?.getAttribute('href')).toBe(target)
    await close()
  })

  it('a node that is away keeps its last data on the page, which goes on at its return', async () => {
    const { page, close } = await open()
    await openView(page, node.url, '/block/1')
    await page.context().setOffline(true)
    await node.rpc('evm_mine')
    await page.getByText('This page tries again by itself.').waitFor()
    expect(await page.getByText('Parent').first().isVisible()).toBe(true)
    expect(await inspect(page, 'disconnected')).toEqual([])
    await page.context().setOffline(false)
    await page.getByText('This page tries again by itself.').waitFor({ state: 'detached' })
    await close()
  })
})

/** @returns what axe finds in a state */
async function inspect(page: Page, state: string): Promise<string[]> {
  const found: string[] = []
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: HEIGHT })
    await page.emulateMedia({ colorScheme })
    await takeScreenshot(page, `state ${state} ${width} ${colorScheme}`)
    found.push(...(await findings(page)))
  }
  return found
}
