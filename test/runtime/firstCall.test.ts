/**
 * The files that a page needs until its first call is answered. A browser asks for all static imports of a script at once, so
 * a page that needs nothing else waits for one round trip after its script.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import { type PartialSite, servePartly } from '../support/host/partialServer.ts'
import { type Bundle, bundle, withStaticImports } from './support/bundle.ts'
import { REPOSITORY } from './support/chains.ts'

const pageThatAnnounces = (...names: readonly string[]): string =>
  `<!doctype html><title>page</title><link rel="icon" href="data:,">${names
    .map((name) => `<link rel="modulepreload" href="${name}">`)
    .join('')}<script type="module" src="page.js"></script>`
const PAGE = pageThatAnnounces()
const LIBRARY = path.join(REPOSITORY, 'dist/adapters/browser')
const WORKER = "{ worker: new URL('./worker.js', location.href) }"
const SHARED = `shared.createSharedNode(${WORKER})`

/** Pages, and the scripts from which each needs all static imports. */
const PAGES = [
  { name: 'a node in memory', open: "browser.createBrowserNode({ storage: 'memory' })", scripts: ['page.js'] },
  { name: 'a node in IndexedDB', open: 'browser.createBrowserNode()', scripts: ['page.js'] },
  { name: 'a shared node', open: SHARED, scripts: ['page.js', 'worker.js'] },
]

declare global {
  /** The result of the first call, or an error. */
  var firstCall: string | undefined
}

const textOf = (open: string): string => `
import * as ${open.split('.')[0]} from '${LIBRARY}/${open.split('.')[0]}.js'
globalThis.firstCall = await ${open}
  .then((node) => node.request('eth_call', [{ to: '0x0000000000000000000000000000000000000004', data: '0x2a' }, 'latest']))
  .catch(String)`

async function bundlePage(open: string): Promise<Bundle> {
  const outdir = mkdtempSync(path.join(tmpdir(), 'isonode-first-call-'))
  try {
    const source = path.join(outdir, 'source.mjs')
    writeFileSync(source, textOf(open))
    return await bundle('', outdir, {
      entryPoints: { page: source, worker: path.join(LIBRARY, 'sharing/worker.js') },
      platform: 'browser',
      splitting: true,
      external: ['@ethereumjs/*', 'tiny-secp256k1'],
    })
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

/** @returns its result, or the files that the page waits for */
async function firstCallOn(browser: Browser, { url, unanswered }: PartialSite): Promise<unknown> {
  const page = await browser.newPage()
  await page.goto(url, { waitUntil: 'commit' })
  const called = page.waitForFunction(() => globalThis.firstCall).then((handle) => handle.jsonValue())
  const result = await called.catch(() => ({ waitsFor: [...unanswered] }))
  await page.close()
  return result
}

describe('the first call', needsChromium, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  it.each(PAGES)('of $name needs no file but the static imports of $scripts', async ({ open, scripts }) => {
    const { files } = await bundlePage(open)
    const needed = scripts.flatMap((script) => withStaticImports(files, script))
    const site = await servePartly(new Map([['', PAGE], ...needed.map(({ name, text }) => [name, text] as const)]))
    expect(await firstCallOn(browser, site)).toBe('0x2a')
    site.close()
  })

  it('of a node that createBrowserNode shares needs two files after those of the page, one after the other', async () => {
    const { files } = await bundlePage(`browser.createBrowserNode({ ...${WORKER}, share: true })`)
    const handle = files.filter(({ text }) => /export\{[^}]*\bshareNode\b/.test(text))
    const needed = [
      ...withStaticImports(files, 'page.js'),
      ...handle,
      ...files.filter(({ name }) => name === 'worker.js'),
    ]
    const site = await servePartly(new Map([['', PAGE], ...needed.map(({ name, text }) => [name, text] as const)]))
    expect(handle).toHaveLength(1)
    expect(await firstCallOn(browser, site)).toBe('0x2a')
    site.close()
  })

  it('of a shared node waits for one round trip, if the page announces the files of the worker', async () => {
    const { files } = await bundlePage(SHARED)
    const announced = withStaticImports(files, 'worker.js')
    const needed = [...withStaticImports(files, 'page.js'), ...announced]
    const texts = needed.map(({ name, text }) => [name, text] as const)
    const announcing = pageThatAnnounces(...announced.map(({ name }) => name))
    const site = await servePartly(new Map([['', announcing], ...texts]), true)
    expect(await firstCallOn(browser, site)).toBe('0x2a')
    expect([...site.answered].sort()).toEqual(['', ...needed.map(({ name }) => name)].sort())
    site.close()
  })
})
