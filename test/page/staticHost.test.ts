/**
 * The explorer on another server, with this node and with other programs as its provider. geth is installed by
 * `../shared/peers/install.sh geth-1.17.6`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Browser } from 'playwright-core'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { foundryTool, installedTools } from '../support/host/tools.ts'
import { atEndOfFile } from '../support/rpc/endOfFile.ts'
import { devAccount } from '../support/rpc/viemClient.ts'
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

  /** Shows a transfer on the dev chain of another program. @returns what the page must not do */
  async function faultsOfViewsOf(provider: Provider): Promise<string[]> {
    const { url, stop } = await start(provider)
    const client = createWalletClient({ transport: http(url) }).extend(publicActions)
    const [account] = (await client.getAddresses()) as [Hex]
    const hash = await client.sendTransaction({ account, chain: null, to: devAccount(1).address, value: 1n })
    await client.waitForTransactionReceipt({ hash })
    const faults = await faultsOf(url, ['/', '/block/1', `/tx/${hash}`, `/address/${account}`])
    await stop()
    return faults
  }

  it('shows anvil, which lacks some methods', needsTool('anvil', ANVIL.program), async () => {
    expect(await faultsOfViewsOf(ANVIL)).toEqual([])
  })

  it('shows geth, which lacks more of them, and polls it', needsTool('geth', GETH.program), async () => {
    const faults = await faultsOfViewsOf(GETH)
    // Its WebSockets have another port. The browser reports the refused one.
    expect(faults.filter((text) => !text.startsWith('WebSocket connection to '))).toEqual([])
  })
})

/** A program that serves a dev chain. */
interface Provider {
  readonly program: string | undefined
  readonly args: readonly string[]
  /** Finds the address that it prints. */
  readonly address: RegExp
}

const ANVIL: Provider = { program: foundryTool('anvil'), args: ['--port=0'], address: /Listening on (\S+)/ }
const GETH: Provider = {
  program: installedTools('peers/geth-1.17.6/bin/geth'),
  args: ['--dev', '--nodiscover', '--http', '--http.port=0', '--http.corsdomain=*', '--http.api=eth,net,web3,debug'],
  address: /HTTP server started\s+endpoint=(\S+)/,
}

interface Running {
  readonly url: string
  stop(): Promise<void>
}

/** geth writes to stderr. */
function start({ program, args, address }: Provider): Promise<Running> {
  const child = spawn(program as string, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  atEndOfFile(() => void child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    let printed = ''
    const read = (chunk: string): void => {
      printed += chunk
      const [, found] = address.exec(printed) ?? []
      if (found === undefined) return
      const stop = async (): Promise<void> => {
        child.kill('SIGTERM')
        await once(child, 'close')
      }
      resolve({ url: `http://${found}`, stop })
    }
    child.once('error', reject)
    child.once('close', () => reject(new Error(printed)))
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read)
  })
}
