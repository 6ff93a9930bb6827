import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pageModules } from '../../adapters/server/build/pageModules.mjs'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import { needsTool } from '../support/host/needs.ts'
import { bundle } from './support/bundle.ts'
import { REPOSITORY } from './support/chains.ts'
import { type PageServer, servePage } from './support/pageServer.ts'

const WAGMI = path.join(REPOSITORY, '.cache/wagmi/node_modules')
const needsWagmi = needsTool('@wagmi/core', existsSync(path.join(WAGMI, '@wagmi/core')))

/** A page that tells the one around it how many wallets it finds. */
const FRAME = `<!doctype html><script type="module">
let wallets = 0
addEventListener('eip6963:announceProvider', () => wallets++)
dispatchEvent(new Event('eip6963:requestProvider'))
parent.postMessage(wallets, '*')
</script>`

const START = "globalThis.dapp = await import('/walletPage.js')"

declare global {
  var dapp: { run(frames: readonly string[]): Promise<unknown> }
}

describe('a dapp with wagmi in Chromium', needsChromium, () => {
  let directory = ''
  let server: PageServer
  let browser: Browser

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-wallet-'))
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  it(
    'finds the announced wallet, sends, is refused, and sees its account and its chain change',
    needsWagmi,
    async () => {
      const built = await bundle('test/fixtures/clients/walletPage.mjs', directory, {
        platform: 'browser',
        splitting: true,
        plugins: [pageModules],
        nodePaths: [WAGMI],
      })
      server = await servePage(built, START, {
        '/frame': (_, response) => response.setHeader('Content-Type', 'text/html').end(FRAME),
      })
      const { port, url } = server
      const page = await browser.newPage()
      await page.goto(url)
      const frames = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port}/frame`)
      await page.waitForFunction(() => 'dapp' in globalThis)
      const seen = await page.evaluate((addresses) => dapp.run(addresses), frames)
      expect(seen).toEqual({
        name: 'Wallet of the test',
        frames: [0, 0],
        refusedConnection: 4001,
        accounts: 10,
        status: 'success',
        isSigned: true,
        calls: 'success',
        refused: 4001,
        changes: [
          [1, 31337],
          [1, 4242],
          [1, 31337],
          [-1, 0],
        ],
        connection: 'disconnected',
      })
    },
  )
})
