/**
 * A newcomer's way from a failed transaction to its cause. With ISONODE_WRITE_DOCS, it writes the pictures of the README.
 *
 *   ISONODE_WRITE_DOCS=1 npx vitest run --config test/page/vitest.config.ts test/page/newcomer.test.ts
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/nodes/program.ts'
import { launch, needsChromium, openTab, openView, settled } from './support/chromium.ts'
import { type ExampleChain, startExampleChain } from './support/exampleChain.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const IMAGES = path.join(ROOT, 'docs/images')
const FAILURE = 'twoContractsDeep'

/** Pictures by name, with the view that each shows. */
const PICTURES: Readonly<Record<string, (chain: ExampleChain) => string>> = {
  'explorer-overview': () => '/',
  'explorer-transaction': ({ transactions }) => `/tx/${transactions.get(FAILURE)}`,
  'explorer-debugger': ({ transactions }) => `/debug/${transactions.get(FAILURE)}`,
  'explorer-console': () => '/console',
}

/** The part that a view shows last. */
const SHOWN: Readonly<Record<string, string>> = {
  'explorer-transaction': 'text=/reverted in/',
  'explorer-debugger': '.debug-line.current',
}

describe('a newcomer', needsChromium, () => {
  let chain: ExampleChain
  let browser: Browser
  beforeAll(async () => {
    ;[chain, browser] = await Promise.all([startExampleChain(), launch()])
  })
  afterAll(async () => {
    await browser?.close()
    await chain?.node.stop()
  })

  it('is one click away from the failing line and its values, after the link in the terminal', async () => {
    const { page, faults, close } = await openTab(browser, chain.url)
    await page.goto(`${chain.url}/tx/${chain.transactions.get(FAILURE)}`)
    await settled(page)
    await page.getByText(/reverted in .*Denied\(/).waitFor()
    await page.getByRole('link', { name: 'Debug' }).click()
    const line = page.locator('.debug-line.current')
    await line.waitFor()
    expect(await line.textContent()).toContain('revert Denied(msg.sender, code)')
    await page.locator('.variable-name', { hasText: 'code' }).first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('has pictures', async () => {
    const folder = process.env['ISONODE_WRITE_DOCS'] === undefined ? temporaryDirectory() : IMAGES
    const viewport = { width: 1120, height: 700 }
    const { page, close } = await openTab(browser, chain.url, { viewport, colorScheme: 'light' })
    for (const [name, route] of Object.entries(PICTURES)) {
      await openView(page, chain.url, route(chain))
      await page
        .locator(SHOWN[name] ?? 'h1')
        .first()
        .waitFor()
      await page.screenshot({ path: path.join(folder, `${name}.png`) })
    }
    await close()
  })
})

it('the pictures of the README exist', () => {
  const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8')
  for (const name of Object.keys(PICTURES)) {
    expect(readme).toContain(`docs/images/${name}.png`)
    expect(existsSync(path.join(IMAGES, `${name}.png`))).toBe(true)
  }
})
