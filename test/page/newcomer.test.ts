/**
 * A newcomer's way from a failed transaction to its cause. With ISONODE_WRITE_DOCS, it writes the pictures and the animation of the README.
 *
 *   ISONODE_WRITE_DOCS=1 npx vitest run --config test/page/vitest.config.ts test/page/newcomer.test.ts
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/nodes/program.ts'
import { animationOf, type Frame } from './support/animation.ts'
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

const ANIMATION = 'explorer.png'
const VIEWPORT = { width: 1120, height: 700 }
/** The animation has fewer pixels, because all readers of the README load it. */
const ANIMATION_SCALE = 0.75

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
    const folder = pictureFolder()
    const { page, close } = await openTab(browser, chain.url, { viewport: VIEWPORT, colorScheme: 'light' })
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

  it('has an animation of that way', async () => {
    const { page, close } = await openTab(browser, chain.url, {
      viewport: VIEWPORT,
      deviceScaleFactor: ANIMATION_SCALE,
      colorScheme: 'light',
    })
    const frames = await framesOf(page, chain)
    const animation = animationOf(frames)
    writeFileSync(path.join(pictureFolder(), ANIMATION), animation)
    expect(await countFrames(page, animation)).toBe(frames.length)
    await close()
  })
})

/** Shows the newest blocks, a failed transaction, the line that failed, and the lines before it. */
async function framesOf(page: Page, { url, transactions }: ExampleChain): Promise<Frame[]> {
  const frames: Frame[] = []
  const show = async (ms: number): Promise<void> => {
    frames.push({ png: await page.screenshot({ animations: 'disabled' }), ms })
  }
  const current = page.locator('.debug-line.current')
  await openView(page, url, '/')
  await show(1500)
  await openView(page, url, `/tx/${transactions.get(FAILURE)}`)
  await page.getByText(/reverted in .*Denied\(/).waitFor()
  await show(2500)
  await page.getByRole('link', { name: 'Debug' }).click()
  await current.waitFor()
  await page.locator('.variable-name', { hasText: 'code' }).first().waitFor()
  await show(2500)
  for (const key of ['Shift+F10', 'Shift+F10', 'f']) {
    const before = page.url()
    await page.keyboard.press(key)
    await page.waitForURL((next) => next.href !== before)
    await settled(page)
    await show(1500)
  }
  return frames
}

/** The frames that Chromium finds in an animation. */
function countFrames(page: Page, animation: Buffer): Promise<number> {
  return page.evaluate(async (base64) => {
    const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const decoder = new ImageDecoder({ type: 'image/png', data })
    await Promise.all([decoder.tracks.ready, decoder.completed])
    return decoder.tracks.selectedTrack?.frameCount ?? 0
  }, animation.toString('base64'))
}

function pictureFolder(): string {
  return process.env['ISONODE_WRITE_DOCS'] === undefined ? temporaryDirectory() : IMAGES
}

it('the pictures of the README exist', () => {
  const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8')
  for (const file of [...Object.keys(PICTURES).map((name) => `${name}.png`), ANIMATION]) {
    expect(readme).toContain(`docs/images/${file}`)
    expect(existsSync(path.join(IMAGES, file))).toBe(true)
  }
})
