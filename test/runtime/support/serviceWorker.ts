/** The service worker, built as users build it, and its answers over HTTP. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { Tab } from '../../support/host/tab.ts'
import { REPOSITORY } from './chains.ts'

declare global {
  /** Scripts that the service worker has loaded when it needed them. */
  var loaded: string[]
}

const BUILD = path.join(REPOSITORY, 'dist/adapters/browser/serviceWorkerBuild.js')

/** @returns texts by their names; those that are loaded later tell their part on the channel `loaded` */
export function serviceWorkerScripts(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-service-'))
  try {
    execFileSync(process.execPath, [BUILD, path.join(folder, 'serviceWorker.js')], { cwd: REPOSITORY })
    return new Map(readdirSync(folder).map((name) => [name, reporting(name, path.join(folder, name))]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function reporting(name: string, file: string): string {
  const text = readFileSync(file, 'utf8')
  const [, part] = name.split('.')
  return part === 'js' ? text : `new BroadcastChannel('loaded').postMessage('${part}');${text}`
}

/** Lets a service worker answer the requests of the tab. */
export async function serveByUrl(tab: Tab, script: string): Promise<void> {
  await tab.evaluate(async (address) => {
    await navigator.serviceWorker.register(address)
    await new Promise((resolve) => {
      if (navigator.serviceWorker.controller !== null) resolve(undefined)
      else navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })
    })
  }, script)
}

/** Notes the scripts that the service worker loads from now on. */
export function listenForScripts(tab: Tab): Promise<void> {
  return tab.evaluate(() => {
    globalThis.loaded = []
    new BroadcastChannel('loaded').onmessage = ({ data }) => void loaded.push(data)
  })
}

interface HttpAnswer {
  readonly status: number
  readonly text: string
  readonly ms: number
}

/** Asks the service worker for the number of the newest block. */
export const blockOverHttp = (tab: Tab): Promise<HttpAnswer> => overHttp(tab, 'eth_blockNumber')

export function overHttp(tab: Tab, method: string, params: readonly unknown[] = []): Promise<HttpAnswer> {
  return tab.evaluate(
    async (body) => {
      const startedMs = performance.now()
      const headers = { 'content-type': 'application/json' }
      const response = await fetch('/rpc', { method: 'POST', headers, body })
      const text = await response.text()
      return { status: response.status, text, ms: performance.now() - startedMs }
    },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  )
}
