/** Ends the worker of a shared node while tabs send transactions, and counts what became of them. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Tab, TabOpener } from '../../support/host/tab.ts'
import { ask, openTab, type SharingSite } from './sharingSite.ts'

interface Sender<T extends Tab> {
  readonly page: T
}

export interface Tally {
  /** Values of transactions that the chain has, in the order of the blocks. */
  readonly mined: readonly number[]
  /** Values that a tab was told to be mined, with their hashes. */
  readonly told: ReadonlyMap<number, string>
  /** Values that a tab was told to have failed. */
  readonly failed: readonly string[]
  /** Heads that the tabs see. */
  readonly heads: readonly string[]
  /** Milliseconds without a node, for each takeover and tab. */
  readonly pauses: readonly number[]
}

/** Variables of a sending page. */
declare global {
  var told: [value: number, hash: string][]
  var failures: string[]
  var isStopped: boolean
  var sending: Promise<unknown>
  var pauses: number[]
  /** Given by tests that cannot ask the page later. */
  var acknowledge: ((value: number, hash: string) => Promise<void>) | undefined
}

const POLL_MS = 10
const TABS = 3
/** Requests of a tab that wait at a time. */
const PARALLEL = 3
const VALUES_PER_TAB = 1_000_000

/** A transaction of a block. */
export type MinedTransaction = readonly [value: number, hash: string]

/** Ends the worker of the node, by ending the tab that leads or in another way. */
export type Kill<T extends Tab> = (pages: readonly T[]) => Promise<T | undefined>

/** @param kills how often the worker is ended */
export async function sendThroughKills<T extends Tab>(
  context: TabOpener<T>,
  { url }: SharingSite,
  kills: number,
  kill: Kill<T>,
): Promise<Tally> {
  let opened = 0
  const told = new Map<number, string>()
  const failed: string[] = []
  const pauses: number[] = []
  const open = async (): Promise<Sender<T>> => {
    const page = await openTab(context, url)
    await startSending(page, opened++)
    return { page }
  }
  const collect = async ({ page }: Sender<T>): Promise<void> => {
    const found = await page.evaluate(() => ({ told, failures, pauses: pauses.splice(0) }))
    for (const [value, hash] of found.told) told.set(value, hash)
    failed.push(...found.failures)
    pauses.push(...found.pauses)
  }
  let senders = await Promise.all(Array.from({ length: TABS }, open))
  for (let i = 0; i < kills; i++) {
    const before = Number(await ask(senders[0]?.page as T, 'eth_blockNumber'))
    await waitForBlock(senders[0]?.page as T, before + 3)
    // The transactions that the tab was told until now; it cannot be asked later.
    for (const sender of senders) await collect(sender)
    const ended = await kill(senders.map(({ page }) => page))
    senders = senders.filter(({ page }) => page !== ended)
    while (senders.length < TABS) senders.push(await open())
    await waitForBlock(senders[0]?.page as T, before + 4)
  }
  for (const { page } of senders) {
    await page.evaluate(async () => {
      isStopped = true
      await sending
    })
  }
  for (const sender of senders) await collect(sender)
  const heads = await Promise.all(senders.map(({ page }) => headOf(page)))
  const mined = await minedTransactions(senders[0]?.page as T, 1)
  return { told, failed, pauses, heads, mined: mined.map(([value]) => value) }
}

/** No transaction failed, is missing or is there twice, and all tabs see one head. Prints the pauses. */
export function expectNothingLost({ told, failed, mined, heads, pauses }: Tally): void {
  console.log(`${mined.length} transactions, pauses of ${pauses.join(', ')} ms`)
  expect(failed).toEqual([])
  expect(new Set(mined).size).toBe(mined.length)
  expect([...told.keys()].filter((value) => !mined.includes(value))).toEqual([])
  expect(new Set(told.values()).size).toBe(told.size)
  expect(new Set(heads).size).toBe(1)
  // Otherwise no tab has noticed a kill.
  expect(pauses.length).toBeGreaterThan(0)
}

/**
 * Lets a tab send transactions with values that no other tab uses, until it is stopped.
 * @param number of tabs that have sent before
 */
export function startSending(page: Tab, number: number): Promise<void> {
  return page.evaluate(send, [1 + number * VALUES_PER_TAB, PARALLEL] as const)
}

/** Sends transactions until the page is stopped. Each has another value. */
function send([firstValue, parallel]: readonly [number, number]): void {
  globalThis.told = []
  globalThis.failures = []
  globalThis.pauses = []
  globalThis.isStopped = false
  let next = firstValue
  let lostAt = 0
  shared.on('disconnect', () => {
    lostAt = performance.now()
  })
  shared.on('connect', () => {
    if (lostAt > 0) pauses.push(Math.round(performance.now() - lostAt))
  })
  const loop = async (): Promise<void> => {
    const [from, to] = await shared.request<string[]>('eth_accounts')
    while (!isStopped) {
      const value = next++
      try {
        const transaction = { from, to, value: `0x${value.toString(16)}` }
        const hash = await shared.request<string>('eth_sendTransaction', [transaction])
        told.push([value, hash])
        void globalThis.acknowledge?.(value, hash)
      } catch (error) {
        failures.push(`${value}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  globalThis.sending = Promise.all(Array.from({ length: parallel }, loop))
}

export async function waitForBlock(page: Tab, number: number): Promise<void> {
  while (Number(await ask<string>(page, 'eth_blockNumber')) < number) await delay(POLL_MS)
}

export async function headOf(page: Tab): Promise<string> {
  const { hash } = await ask<{ hash: string }>(page, 'eth_getBlockByNumber', ['latest', false])
  return hash
}

/** Transactions of the chain from a block on, in the order of the blocks. */
export function minedTransactions(page: Tab, first: number): Promise<MinedTransaction[]> {
  return page.evaluate(async (from) => {
    const head = Number(await shared.request('eth_blockNumber'))
    const mined: MinedTransaction[] = []
    for (let number = from; number <= head; number++) {
      const params = [`0x${number.toString(16)}`, true]
      const { transactions } = await shared.request<{ transactions: { value: string; hash: string }[] }>(
        'eth_getBlockByNumber',
        params,
      )
      mined.push(...transactions.map(({ value, hash }): MinedTransaction => [Number(value), hash]))
    }
    return mined
  }, first)
}

/** Closes the tab that leads: the one that has a worker. */
export const killLeader: Kill<Page> = async (pages) => {
  const leader = pages.find((page) => page.workers().length > 0)
  if (leader === undefined) throw new Error('no tab leads')
  await leader.close()
  return leader
}

/** Ends the shared worker in the way of the browser's task manager. */
export function killSharedWorker(browser: Browser): Kill<Page> {
  return async () => {
    const session = await browser.newBrowserCDPSession()
    const { targetInfos } = await session.send('Target.getTargets')
    const worker = targetInfos.find(({ type }) => type === 'shared_worker')
    if (worker === undefined) throw new Error('there is no shared worker')
    await session.send('Target.closeTarget', { targetId: worker.targetId })
    await session.detach()
    return undefined
  }
}
