/** Tabs send transactions to a chain in IndexedDB; their worker is ended, then the whole browser is killed and started again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, openSharingSite, openTab, type SharingSite } from '../runtime/support/sharingSite.ts'
import {
  headOf,
  killLeader,
  killSharedWorker,
  type MinedTransaction,
  minedTransactions,
  startSending,
  waitForBlock,
} from '../runtime/support/takeover.ts'
import { type ChromiumProcess, needsChromium, startChromium } from '../support/host/chromium.ts'
import { longCount } from './count.ts'

/** Kills of the browser, each with the next number of tabs and the other kind of worker. */
const KILLS = Math.min(longCount, 60)
const TABS: readonly number[] = [2, 5, 20]
const KINDS = ['a shared worker', 'the worker of a leading tab'] as const
type WorkerKind = (typeof KINDS)[number]
/** Blocks after which a worker is ended, and after which the tabs have used its successor. */
const BLOCKS = 3
/** Transactions of each tab that are acknowledged before the browser is killed. */
const ACKNOWLEDGED = 3
const LIMIT_MS = 120_000 + 60_000 * KILLS

describe('a saved chain', needsChromium, () => {
  let site: SharingSite
  let profile: string
  let chromium: ChromiumProcess | undefined
  /** Values with the hashes that tabs were told, of all browsers. */
  const told = new Map<number, string>()
  /** Transactions that were in the chain after earlier kills. */
  const mined: MinedTransaction[] = []
  let checked = { number: 0, hash: '' }
  let opened = 0

  beforeAll(async () => {
    profile = mkdtempSync(path.join(tmpdir(), 'isonode-profile-'))
    site = await openSharingSite()
  }, LIMIT_MS)
  afterAll(async () => {
    await chromium?.kill()
    site?.close()
    rmSync(profile, { recursive: true, force: true })
  }, LIMIT_MS)

  async function startBrowser(kind: WorkerKind): Promise<ChromiumProcess> {
    chromium = await startChromium(profile)
    if (kind !== KINDS[0]) await chromium.context.addInitScript('delete globalThis.SharedWorker')
    return chromium
  }

  /** Opens the chain, and compares it with what the tabs of killed browsers were told. */
  async function openSaved({ context }: ChromiumProcess): Promise<Page> {
    const tab = await openTab(context, site.url)
    const block = await ask<{ hash: string } | null>(tab, 'eth_getBlockByNumber', [hex(checked.number), false])
    if (checked.number > 0) expect(block?.hash).toBe(checked.hash)
    mined.push(...(await minedTransactions(tab, checked.number + 1)))
    const hashes = new Map(mined)
    expect(hashes.size).toBe(mined.length)
    expect([...told].filter(([value, hash]) => hashes.get(value) !== hash)).toEqual([])
    checked = { number: Number(await ask(tab, 'eth_blockNumber')), hash: await headOf(tab) }
    return tab
  }

  /** Sends from all tabs, ends their worker, then kills the browser when a tab has been told of a transaction. */
  async function sendThroughKills(kind: WorkerKind, count: number): Promise<void> {
    const startedMs = performance.now()
    const running = await startBrowser(kind)
    const browserMs = performance.now()
    const first = await openSaved(running)
    const openedMs = performance.now()
    let acknowledged = 0
    let enough = (): void => {}
    const isEnough = new Promise<void>((resolve) => {
      enough = resolve
    })
    let killing: Promise<void> | undefined
    let wanted = Number.POSITIVE_INFINITY
    await running.context.exposeFunction('acknowledge', (value: number, hash: string) => {
      told.set(value, hash)
      if (++acknowledged < wanted || killing !== undefined) return
      killing = running.kill()
      enough()
    })
    let tabs = [first]
    const addTab = async (): Promise<void> => {
      tabs.push(await openTab(running.context, site.url))
    }
    while (tabs.length < count) await addTab()
    for (const tab of tabs) await startSending(tab, opened++)
    const start = Number(await ask(first, 'eth_blockNumber'))
    await waitForBlock(first, start + BLOCKS)
    const ended = await (kind === KINDS[0] ? killSharedWorker(running.browser) : killLeader)(tabs)
    tabs = tabs.filter((tab) => tab !== ended)
    const pauses = await Promise.all(tabs.map(pauseOf))
    expect((await Promise.all(tabs.map((tab) => tab.evaluate(() => failures)))).flat()).toEqual([])
    console.log(
      `${count} tabs, ${kind}: browser after ${Math.round(browserMs - startedMs)} ms, ` +
        `saved chain read after ${Math.round(openedMs - browserMs)} ms, ` +
        `takeover after ${Math.min(...pauses)} to ${Math.max(...pauses)} ms, ${mined.length} transactions before`,
    )
    wanted = acknowledged + ACKNOWLEDGED * count
    await isEnough
    await killing
    chromium = undefined
  }

  it('loses and doubles no transaction when the browser is killed', { timeout: LIMIT_MS }, async () => {
    for (let i = 0; i < KILLS; i++) {
      const count = TABS[i % TABS.length] as number
      await sendThroughKills(KINDS[i % KINDS.length] as WorkerKind, count)
    }
    const running = await startBrowser(KINDS[0])
    const tabs = [await openSaved(running)]
    while (tabs.length < Math.max(...TABS.slice(0, KILLS))) tabs.push(await openTab(running.context, site.url))
    expect(new Set(await Promise.all(tabs.map(headOf))).size).toBe(1)
    expect(told.size).toBeGreaterThan(0)
  })
})

const hex = (number: number): string => `0x${number.toString(16)}`

/** Waits for the first takeover that a tab sees. @returns milliseconds without a node */
async function pauseOf(tab: Page): Promise<number> {
  await tab.waitForFunction(() => pauses.length > 0)
  return tab.evaluate(() => pauses[0] as number)
}
