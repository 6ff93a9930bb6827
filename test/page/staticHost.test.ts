/** The explorer on another server, with this node and with anvil as its provider. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { foundryTool } from '../support/host/tools.ts'
import { atEndOfFile } from '../support/rpc/endOfFile.ts'
import { connect, devAccount } from '../support/rpc/viemClient.ts'
import { launch, needsChromium, openTab, settled } from './support/chromium.ts'
import { type ExampleChain, startExampleChain } from './support/exampleChain.ts'
import { openStaticSite, type StaticSite } from './support/staticSite.ts'

describe('the explorer on a server of static files', needsChromium, () => {
  let site: StaticSite
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([openStaticSite(), launch()])
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
  })

  /** @returns what the page must not do in these views of another node */
  async function faultsOf(node: string, routes: readonly string[]): Promise<string[]> {
    const { page, faults, close } = await openTab(browser, [new URL(site.url).origin, new URL(node).origin])
    for (const route of routes) {
      await page.goto('about:blank')
      await page.goto(`${site.url}?rpc=${node}#${route}`)
      await settled(page)
    }
    await close()
    return faults
  }

  it('shows the node that its address names', async () => {
    const chain: ExampleChain = await startExampleChain()
    const routes = ['/', '/block/1', `/tx/${chain.transactions.get('requireError')}`, `/address/${chain.token}`]
    expect(await faultsOf(chain.url, routes)).toEqual([])
    await chain.node.stop()
  })

  it('shows anvil, which lacks some methods', needsTool('anvil', foundryTool('anvil')), async () => {
    const { url, stop } = await startAnvil()
    const client = connect('http', { http: url, ws: url }, 0)
    const hash = await client.sendTransaction({ to: devAccount(1).address, value: 1n })
    expect(await faultsOf(url, ['/', '/block/1', `/tx/${hash}`, `/address/${client.account.address}`])).toEqual([])
    await stop()
  })
})

interface Anvil {
  readonly url: string
  stop(): Promise<void>
}

function startAnvil(): Promise<Anvil> {
  const child = spawn(foundryTool('anvil') as string, ['--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  atEndOfFile(() => void child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    let printed = ''
    child.once('error', reject)
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
      const [, address] = /Listening on (\S+)/.exec(printed) ?? []
      if (address === undefined) return
      const stop = async (): Promise<void> => {
        child.kill('SIGTERM')
        await once(child, 'close')
      }
      resolve({ url: `http://${address}`, stop })
    })
  })
}
