/** The panel in a tab: it records dapps, forks their chain, and survives a hostile page. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_RECORDED_CALLS } from '../../../src/base/limits/limits.ts'
import { replay } from '../../../src/replay/replay.ts'
import { eventually } from '../../support/host/eventually.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { findings } from '../support/accessibility.ts'
import { needsChromium, settled } from '../support/chromium.ts'
import type { Dapp } from './dapps/forked.ts'
import { BrowserWithPanel, savedRecording } from './support/browserWithPanel.ts'
import { type DappSite, openDappSite } from './support/dappSite.ts'

type WithDapp = typeof globalThis & { readonly dapp: Dapp }

describe('the panel', needsChromium, () => {
  let browser: BrowserWithPanel
  const closers: (() => Promise<void>)[] = []
  beforeAll(async () => {
    browser = await BrowserWithPanel.open()
  })
  afterAll(async () => {
    await browser?.close()
    for (const close of closers) await close()
  })

  async function openSite(): Promise<DappSite> {
    const { node, rpc } = await openDevNode()
    const site = await openDappSite({ rpc }, { '/blank': '<title>Blank</title>' })
    closers.push(
      () => site.close(),
      () => node.close(),
    )
    return site
  }

  it.each(['plain', 'viem', 'ethers'])('records every call of a dapp: %s', async (name) => {
    const site = await openSite()
    const { page, panel } = await browser.inspect(`${site.url}/blank`)
    await page.goto(`${site.url}/${name}`)
    await page.waitForFunction(() => window.dappResult !== undefined)
    expect(await page.evaluate(() => window.dappResult)).toBe('passed')

    await eventually(async () => expect((await savedRecording(panel)).calls).toHaveLength(site.methods.length))
    const recording = await savedRecording(panel)
    const counted = site.methods.map((method) => (method === 'eth_accounts' ? 'eth_requestAccounts' : method))
    const recorded = recording.calls.map(({ method }) => (method === 'eth_accounts' ? 'eth_requestAccounts' : method))
    expect(recorded.sort()).toEqual(counted.sort())
    expect(recording.calls.every((call) => 'result' in call || call.error !== undefined)).toBe(true)

    const again = await openDevNode({ 'auto-impersonate': true })
    const provider = again.node.openProvider()
    const report = await replay(recording, {
      request: (method, params) => provider.request({ method, params }),
      wait: async () => {},
    })
    expect(report).toMatchObject({ sent: 2, differences: [] })
    await panel.locator('button.call', { hasText: 'eth_sendTransaction' }).first().click()
    const [explorer] = await Promise.all([
      browser.context.waitForEvent('page'),
      panel.locator('.links a').last().click(),
    ])
    await settled(explorer)
    expect(await explorer.locator('h1').innerText()).toMatch(/^(?:Transaction|Account|Contract)/)
    for (const opened of [explorer, page, panel]) await opened.close()
    await again.node.close()
  })

  const write = (page: Page, to: string, value: number): Promise<unknown> =>
    page.evaluate(([address, number]) => (globalThis as WithDapp).dapp.write(address, number), [to, value] as const)
  const read = (page: Page, to: string): Promise<number> =>
    page.evaluate((address) => (globalThis as WithDapp).dapp.read(address), to)
  const events = (page: Page): Promise<readonly unknown[]> => page.evaluate(() => (globalThis as WithDapp).dapp.events)

  it('forks the chain of a page, and leaves no trace in it', async () => {
    const site = await openSite()
    const { page, panel } = await browser.inspect(`${site.url}/forked`)
    await page.waitForFunction(() => 'dapp' in globalThis)
    const to = await page.evaluate(() => (globalThis as WithDapp).dapp.deploy())
    await write(page, to, 5)

    await panel.getByRole('button', { name: 'Fork here' }).click()
    await panel.getByText('The page uses a fork of chain 31337 at block 2').waitFor()
    await eventually(async () => expect(await page.title()).toBe('[fork] Dapp'))
    expect(await events(page)).toEqual(['0x7a69'])
    const sentBefore = site.methods.filter((method) => method === 'eth_sendTransaction').length
    const hash = (await write(page, to, 6)) as string
    expect(await read(page, to)).toBe(6)
    expect(await page.evaluate(() => (globalThis as WithDapp).dapp.sign().then((error) => `${error}`))).toContain(
      'a fork cannot sign',
    )

    // Dapps load themselves again when the chain changes.
    await page.reload()
    await page.waitForFunction(() => 'dapp' in globalThis)
    expect(await read(page, to)).toBe(6)
    await eventually(async () => expect(await page.title()).toBe('[fork] Dapp'))
    expect(await events(page)).toEqual([])

    await panel
      .getByRole('button', { name: /eth_sendTransaction/ })
      .last()
      .click()
    await panel.getByText(/slot 0x0+…?0*: 0x.*5 → 0x.*6/).waitFor()
    expect(await findings(panel)).toEqual([])
    const view = panel.locator(`a[href$="#/tx/${hash}"]`)
    const [explorer] = await Promise.all([browser.context.waitForEvent('page'), view.click()])
    await settled(explorer)
    expect(await explorer.locator('main').innerText()).toContain(hash.slice(0, 8))
    await explorer.close()

    await panel.getByRole('button', { name: 'Back' }).click()
    await panel.getByRole('button', { name: 'Fork here' }).waitFor()
    await eventually(async () => expect(await page.title()).toBe('Dapp'))
    expect(await read(page, to)).toBe(5)
    expect(site.methods.filter((method) => method === 'eth_sendTransaction')).toHaveLength(sentBefore)
    await page.reload()
    await page.waitForFunction(() => 'dapp' in globalThis)
    expect(await read(page, to)).toBe(5)
  })

  it('survives a hostile page, which finds nothing', async () => {
    const site = await openSite()
    const { page, panel } = await browser.inspect(`${site.url}/blank`)
    const faults: string[] = []
    panel.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(`${site.url}/hostile`)
    await page.getByText('found:').waitFor()
    expect(await page.locator('body').innerText()).toBe('found: .')

    await panel.getByRole('searchbox').fill('eth_chainId')
    await panel.getByRole('button', { name: 'Clear' }).click()
    await page.goto(`${site.url}/forked`)
    await page.waitForFunction(() => 'dapp' in globalThis)
    await page.evaluate(() => window.ethereum.request({ method: 'eth_chainId' }))
    await panel.getByRole('button', { name: 'eth_chainId' }).waitFor()
    const { calls } = await savedRecording(panel)
    expect(calls.length).toBeLessThanOrEqual(MAX_RECORDED_CALLS)
    expect(faults).toEqual([])
  })
})
