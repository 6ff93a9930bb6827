/** Recorded requests of `eth` over a node in a worker of a tab, in a shared worker, and behind a service worker. */
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import { needsData } from '../support/host/needsData.ts'
import { recordedPath } from '../support/recorded/conformance.ts'
import { type Answer, recordedCases, runCase } from '../support/recorded/recordedCases.ts'
import { openSharingSite, openTab, type SharingSite } from './support/sharingSite.ts'

/** Requests of each chain; the long runs send all, to all chains. */
const COUNT = process.env['ISONODE_LONG_COUNT']
const CASES = Number(COUNT ?? 6)
const LIMIT_MS = 60_000 + 2000 * CASES
const ALL_CHAINS = ['london', 'osaka', 'access-list', 'cancun']
const CHAINS = COUNT === undefined ? ALL_CHAINS.slice(0, 2) : ALL_CHAINS
/** A page seals no blocks of networks. */
const WORK = /eth_getWork|eth_submit/
/** The repository has only a part of the recorded data. */
const needs = { ...needsChromium, ...needsData(...CHAINS.map((name) => `besu/${name}/cases`)) }
const WITHOUT_SHARED_WORKERS = 'delete globalThis.SharedWorker'

type Send = (tab: Page, body: string) => Promise<Answer>

const byHandle: Send = (tab, body) =>
  tab.evaluate(async (text) => {
    const response = await shared.fetch(new Request('http://localhost/', { method: 'POST', body: text }))
    return { status: response.status, body: await response.text() }
  }, body)

const byUrl: Send = (tab, body) =>
  tab.evaluate(async (text) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch('/rpc', { method: 'POST', headers, body: text })
    return { status: response.status, body: await response.text() }
  }, body)

const PLACES = [
  { place: 'the worker of a tab', hasSharedWorkers: false, send: byHandle },
  { place: 'a shared worker', hasSharedWorkers: true, send: byHandle },
  { place: 'a service worker', hasSharedWorkers: true, send: byUrl },
]

describe('recorded requests', needs, () => {
  let site: SharingSite
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([openSharingSite(), launchChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
  })

  const runs = PLACES.flatMap((place) => CHAINS.map((name) => ({ ...place, name })))

  it.each(runs)('are answered as recorded in $place: besu/$name', { timeout: LIMIT_MS }, async (run) => {
    const { name, hasSharedWorkers, send } = run
    const folder = `besu/${name}`
    const context = await browser.newContext()
    if (!hasSharedWorkers) await context.addInitScript(WITHOUT_SHARED_WORKERS)
    const tab = await openChain(context, site, folder)
    if (send === byUrl) await serveByUrl(tab, name)
    const all = recordedCases(recordedPath(folder, 'cases'), (group) => /^eth_/.test(group) && !WORK.test(group))
    const step = Math.max(1, Math.floor(all.length / CASES))
    const chosen = all.filter((_, i) => i % step === 0)
    const failures: unknown[] = []
    for (const recorded of chosen) {
      const difference = await runCase(recorded, (body) => send(tab, body))
      if (difference !== undefined) failures.push({ file: recorded.file, difference })
    }
    console.log(`besu/${name}: ${chosen.length - failures.length} of ${chosen.length} (${all.length} recorded)`)
    expect(failures).toEqual([])
    await context.close()
  })
})

/** Opens a tab that shares a node with the blocks of a chain. */
async function openChain(context: BrowserContext, site: SharingSite, folder: string): Promise<Page> {
  const genesis = readFileSync(recordedPath(folder, 'genesis.json'), 'utf8')
  const tab = await openTab(context, site.url, { genesis, dataPath: folder.replace('besu/', '') })
  const blocks = readFileSync(recordedPath(folder, 'blocks.bin')).toString('base64')
  await tab.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    await shared.import(new Blob([bytes]))
  }, blocks)
  return tab
}

async function serveByUrl(tab: Page, dataPath: string): Promise<void> {
  await tab.evaluate(async (name) => {
    await navigator.serviceWorker.register(`/oneScript.js?dataPath=${name}`)
    await new Promise((resolve) => {
      if (navigator.serviceWorker.controller !== null) resolve(undefined)
      else navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })
    })
  }, dataPath)
}
