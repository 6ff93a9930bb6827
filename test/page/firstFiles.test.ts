/** The files that the explorer over a node in the browser needs for its first views: those that its page names, and no others. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDevtools } from '../../adapters/server/build/devtoolsBuild.mjs'
import { buildPage } from '../../adapters/server/build/pageBuild.mjs'
import { type PartialSite, servePartly } from '../support/host/partialServer.ts'
import { temporaryDirectory } from '../support/nodes/program.ts'
import { launch, needsChromium, openTab, settled } from './support/chromium.ts'
import { type ExampleChain, startExampleChain } from './support/exampleChain.ts'

const NAMED = /(?:href|src)="([^"]+)"/g
/** A visit with an empty cache, and without the worker that keeps all files for later visits. */
const FIRST_VISIT = 'delete Navigator.prototype.serviceWorker'

/** Serves the page of a folder with the files that its text names. */
function serveNamed(folder: string): Promise<PartialSite> {
  const text = readFileSync(path.join(folder, 'index.html'), 'utf8')
  const names = [...text.matchAll(NAMED)].map(([, name = '']) => name).filter((name) => !name.startsWith('data:'))
  const files = names.map((name) => [name, readFileSync(path.join(folder, name))] as const)
  return servePartly(new Map<string, string | Uint8Array>([['', text], ...files]))
}

describe('the files of the first view', needsChromium, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())

  /** @returns faults, or the files without which the view does not show its data */
  async function visit(site: PartialSite, query: string, origins: readonly string[] = []): Promise<readonly string[]> {
    const { page, faults, close } = await openTab(browser, [new URL(site.url).origin, ...origins])
    await page.addInitScript(FIRST_VISIT)
    await page.goto(site.url + query, { waitUntil: 'commit' })
    const problems = await settled(page).then(
      () => faults,
      () => [...site.unanswered],
    )
    await close()
    return problems
  }

  it.each(['', '?chain=first', '?memory=yes'])(
    'with a node in the browser are named by the page: %s',
    async (query) => {
      const folder = temporaryDirectory()
      await buildDevtools(folder)
      const site = await serveNamed(folder)
      expect(await visit(site, query)).toEqual([])
      site.close()
    },
  )

  it('of a node elsewhere are named by the page', async () => {
    const folder = temporaryDirectory()
    await buildPage(folder, { isPlain: true })
    expect(readdirSync(folder)).toContain('index.html')
    const chain: ExampleChain = await startExampleChain()
    const site = await serveNamed(folder)
    expect(await visit(site, `?rpc=${chain.url}`, [chain.url])).toEqual([])
    site.close()
    await chain.node.stop()
  })
})
