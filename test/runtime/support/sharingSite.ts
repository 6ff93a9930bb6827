/** A web site whose pages share a node, and its tabs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import type { BrowserNode, BrowserNodeOptions } from '../../../adapters/browser/browser.ts'
import { pageModules } from '../../../adapters/server/build/pageModules.mjs'
import type { Tab, TabOpener } from '../../support/host/tab.ts'
import { bundle } from './bundle.ts'
import type * as entry from './sharingEntry.ts'

/** Variables that a page keeps between two calls of the test. */
declare global {
  var sharing: typeof entry
  var shared: BrowserNode
  var heads: string[]
  var events: string[]
}

const PAGE = '<!doctype html><title>shared</title><script type="module" src="/start.js"></script>'
const START = "globalThis.sharing = await import('/sharingEntry.js')"

export interface SharingSite {
  readonly url: string
  close(): void
}

/** @param served further scripts by their names */
export async function openSharingSite(served: ReadonlyMap<string, string> = new Map()): Promise<SharingSite> {
  const directory = mkdtempSync(path.join(tmpdir(), 'isonode-sharing-'))
  const { files } = await bundle('', directory, {
    entryPoints: {
      sharingEntry: 'test/runtime/support/sharingEntry.ts',
      worker: 'adapters/browser/sharing/worker.ts',
    },
    platform: 'browser',
    splitting: true,
    plugins: [pageModules],
  })
  await build({
    entryPoints: ['adapters/browser/serviceWorker.ts'],
    outfile: path.join(directory, 'service', 'oneScript.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
    plugins: [pageModules],
  })
  const oneScript = readFileSync(path.join(directory, 'service', 'oneScript.js'), 'utf8')
  const scripts = new Map([
    ...files.map(({ name, text }) => [`/${name}`, text] as const),
    ['/start.js', START],
    ['/oneScript.js', oneScript],
    ...[...served].map(([name, text]) => [`/${name}`, text] as const),
  ])
  const server = createServer((request, response) => {
    const script = scripts.get(new URL(request.url ?? '', 'http://localhost').pathname)
    const type = script === undefined ? 'text/html' : 'text/javascript'
    // As web sites serve scripts whose names change with their content.
    const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'max-age=3600' }
    response.writeHead(200, headers).end(script ?? PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Opens a tab that shares the node. */
export async function openTab<T extends Tab>(
  context: TabOpener<T>,
  url: string,
  options: Pick<BrowserNodeOptions, 'dataPath' | 'storage' | 'chainId' | 'genesis'> = {},
): Promise<T> {
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => 'sharing' in globalThis)
  await page.evaluate(async (given) => {
    globalThis.heads = []
    globalThis.events = []
    globalThis.shared = await sharing.createSharedNode(given)
    shared.on('newHeads', ({ hash }) => void heads.push(String(hash)))
    shared.on('disconnect', () => void events.push('disconnect'))
    shared.on('connect', () => void events.push('connect'))
  }, options)
  return page
}

export const ask = <T>(page: Tab, method: string, params: readonly unknown[] = []): Promise<T> =>
  page.evaluate(([name, list]) => shared.request<unknown>(name, list), [method, params] as const) as Promise<T>

/** Sends transactions at once. @returns their hashes */
export function sendFrom(tab: Tab, count: number): Promise<string[]> {
  return tab.evaluate(async (number) => {
    const [from, to] = await shared.request<string[]>('eth_accounts')
    const send = (): Promise<string> => shared.request('eth_sendTransaction', [{ from, to, value: '0x1' }])
    return Promise.all(Array.from({ length: number }, send))
  }, count)
}

/**
 * Lets each of some new tabs send two transactions to a new chain, and waits until each tab was told of every block.
 * @returns the number of the newest block, as each tab sees it
 */
export async function sendFromTabs<T extends Tab>(
  context: TabOpener<T>,
  url: string,
  count: number,
): Promise<string[]> {
  const tabs: T[] = []
  for (let i = 0; i < count; i++) tabs.push(await openTab(context, url))
  await Promise.all(tabs.map((tab) => sendFrom(tab, 2)))
  const numbers = await Promise.all(tabs.map((tab) => ask<string>(tab, 'eth_blockNumber')))
  for (const tab of tabs) {
    await tab.waitForFunction(async () => heads.length === Number(await shared.request('eth_blockNumber')))
  }
  return numbers
}
