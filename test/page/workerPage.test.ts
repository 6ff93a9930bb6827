/** The explorer on a Worker, which answers from a mirror. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Miniflare } from 'miniflare'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../../adapters/server/build/pageBuild.mjs'
import { bundleWorker, startWorker } from '../runtime/support/worker.ts'
import { temporaryDirectory } from '../support/nodes/program.ts'
import { launch, needsChromium, openTab, openView } from './support/chromium.ts'
import { type ExampleChain, startExampleChain } from './support/exampleChain.ts'

describe('the explorer on a Worker', needsChromium, () => {
  let browser: Browser
  let chain: ExampleChain
  let worker: Miniflare
  let url = ''
  beforeAll(async () => {
    const data = temporaryDirectory()
    const mirror = path.join(data, 'mirror')
    mkdirSync(mirror)
    const args = [`--mirror-to=${pathToFileURL(mirror).href}`, '--mirror-interval=50']
    chain = await startExampleChain(args, `--data-path=${path.join(data, 'node')}`)
    // A node that ends publishes its head.
    await chain.node.stop()
    const page = path.join(data, 'page')
    await buildPage(page, { isPlain: true })
    const bundle = await bundleWorker(path.join(data, 'worker'))
    const bindings = { ISONODE_MIRROR_PUBLISHER: 'any' }
    worker = await startWorker(bundle, filesOf(mirror), { kind: 'r2', bindings, page })
    url = (await worker.ready).origin
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await worker?.dispose()
  })

  it('shows the chain of the mirror', async () => {
    const { page, faults, close } = await openTab(browser, url)
    await openView(page, url, `/tx/${chain.transactions.get('token transfer')}`)
    expect(await page.textContent('main')).toContain(chain.token.slice(2, 8))
    for (const route of ['/', '/block/1', `/address/${chain.token}`, `/tx/${chain.transactions.get('requireError')}`]) {
      await openView(page, url, route)
    }
    expect(faults).toEqual([])
    await close()
  })

  it('has the policy and the links of every other node', async () => {
    const html = { accept: 'text/html' }
    const answer = await fetch(url, { headers: html })
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    const link = await fetch(`${url}/block/1`, { headers: html, redirect: 'manual' })
    expect([link.status, link.headers.get('location')]).toEqual([302, '/#/block/1'])
    expect((await fetch(`${url}/ui/absent.js`)).status).toBe(404)
    const call = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}' }
    const json = { 'content-type': 'application/json' }
    expect((await fetch(url, { ...call, headers: { ...json, origin: url } })).status).toBe(200)
    expect((await fetch(url, { ...call, headers: { ...json, origin: 'https://other.example' } })).status).toBe(403)
  })
})

/** @returns the files below a folder, by their names in a mirror */
function filesOf(folder: string): Map<string, Uint8Array> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => path.join(parentPath, name))
  return new Map(paths.map((file) => [path.relative(folder, file), readFileSync(file)]))
}
