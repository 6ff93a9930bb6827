/** Attacks on the explorer and its node by pages of other sites and by readers of the browser's storage. */
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { hashSync } from 'bcryptjs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { launch, needsChromium, openTab, settled } from './support/chromium.ts'

/** Leads to this computer, as a site that attacks by DNS rebinding does. */
const EVIL = 'evil.example'
const MINE = '{"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}'
const PASSWORD = 'correct horse'

const portOf = (url: string): string => new URL(url).port

async function openSite(): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>evil</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://${EVIL}:${(server.address() as AddressInfo).port}` }
}

/** Sends a request that changes the chain, in all ways that need no permission of the node. */
async function post(page: Page, url: string): Promise<void> {
  await page.evaluate(
    async ([target, body]) => {
      const types = ['text/plain', 'application/x-www-form-urlencoded']
      for (const type of types) {
        const headers = { 'Content-Type': type }
        await fetch(target, { method: 'POST', mode: 'no-cors', headers, body }).catch(() => undefined)
      }
      navigator.sendBeacon(target, body)
      const form = Object.assign(document.createElement('form'), { action: target, method: 'POST', target: 'sent' })
      form.enctype = 'text/plain'
      const frame = Object.assign(document.createElement('iframe'), { name: 'sent' })
      const input = Object.assign(document.createElement('input'), { name: `${body.slice(0, -1)},"x":"`, value: '"}' })
      form.append(input)
      document.body.append(frame, form)
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
      form.submit()
      await loaded
      frame.remove()
      form.remove()
    },
    [url, MINE] as const,
  )
}

/** @returns whether a WebSocket from the page opens */
function opensSocket(page: Page, url: string): Promise<boolean> {
  return page.evaluate(
    (target) =>
      new Promise<boolean>((resolve) => {
        const socket = new WebSocket(target)
        socket.onopen = () => resolve(true)
        socket.onerror = () => resolve(false)
      }),
    url.replace('http', 'ws'),
  )
}

/** @returns the status of a request that the page sends to its own server */
function ownStatus(page: Page): Promise<number> {
  return page.evaluate(async (body) => (await fetch('/', { method: 'POST', body })).status, MINE)
}

describe('another site', needsChromium, () => {
  let node: RunningNode
  let site: Awaited<ReturnType<typeof openSite>>
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    ;[node, site, browser] = await Promise.all([startNode(['--ephemeral']), openSite(), launch([EVIL])])
    page = await browser.newPage()
    await page.goto(site.url)
  })
  afterAll(async () => {
    await browser?.close()
    site?.server.close()
    await node?.stop()
  })

  it('cannot send requests', async () => {
    for (const host of ['127.0.0.1', 'localhost']) await post(page, `http://${host}:${portOf(node.url)}/`)
    expect(await opensSocket(page, node.url)).toBe(false)
    expect(await node.rpc('eth_blockNumber')).toBe('0x0')
  })

  it('could send them if the node allowed every origin', async () => {
    const open = await startNode(['--ephemeral', '--rpc-http-cors-origins=all'])
    await post(page, `${open.url}/`)
    expect(Number(await open.rpc('eth_blockNumber'))).toBeGreaterThanOrEqual(3)
    expect(await opensSocket(page, open.url)).toBe(true)
    await open.stop()
  })

  it('cannot send requests without an origin', async () => {
    const nameless = await browser.newPage()
    await nameless.goto('data:text/html,<!doctype html><title>nameless</title><body>')
    expect(await nameless.evaluate(() => origin)).toBe('null')
    await post(nameless, `${node.url}/`)
    expect(await opensSocket(nameless, node.url)).toBe(false)
    expect(await node.rpc('eth_blockNumber')).toBe('0x0')
    await nameless.close()
  })

  it('can neither read the page nor run its script', async () => {
    const explorer = await browser.newPage()
    await explorer.goto(node.url)
    const script = await explorer.evaluate(() => document.querySelector('script')?.src ?? '')
    await explorer.close()
    expect(script).toMatch(/\/ui\/\w+\/core\.js$/)
    const attempts = await page.evaluate(
      async ([url, source]) => {
        const read = (target: string): Promise<string> =>
          fetch(target).then(
            () => 'read',
            () => 'refused',
          )
        const element = Object.assign(document.createElement('script'), { src: source, type: 'text/javascript' })
        const ran = new Promise<string>((resolve) => {
          element.onload = () => resolve('run')
          element.onerror = () => resolve('refused')
        })
        document.head.append(element)
        return [await read(url), await read(source), await ran]
      },
      [node.url, script] as const,
    )
    expect(attempts).toEqual(['refused', 'refused', 'refused'])
  })

  it('cannot show the page in a frame', async () => {
    await page.evaluate((url) => {
      const frame = Object.assign(document.createElement('iframe'), { src: url })
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
      document.body.append(frame)
      return loaded
    }, node.url)
    const framed = () => page.frames().flatMap((frame) => (frame === page.mainFrame() ? [] : [frame.url()]))
    await expect.poll(framed).toEqual([expect.stringMatching(/^chrome-error:/)])
  })

  it('has no hold on a tab that it opens', async () => {
    const opened = page.waitForEvent('popup')
    await page.evaluate((url) => {
      Object.assign(globalThis, { explorer: open(url) })
    }, node.url)
    const explorer = await opened
    await settled(explorer)
    expect(await explorer.evaluate(() => opener)).toBe(null)
    expect(await page.evaluate(() => (globalThis as unknown as { explorer: Window }).explorer.closed)).toBe(true)
    await explorer.close()
  })

  it('whose name leads to the node gets nothing', async () => {
    const rebound = await browser.newPage()
    const answer = await rebound.goto(`http://${EVIL}:${portOf(node.url)}/`)
    expect(answer?.status()).toBe(403)
    expect(await ownStatus(rebound)).toBe(403)
    await rebound.close()
  })

  it('whose name leads to a node with any host cannot call', async () => {
    const open = await startNode(['--ephemeral', '--host-allowlist=*'])
    const rebound = await browser.newPage()
    const url = `http://${EVIL}:${portOf(open.url)}`
    expect((await rebound.goto(url))?.status()).toBe(200)
    expect(await ownStatus(rebound)).toBe(403)
    expect(await opensSocket(rebound, url)).toBe(false)
    const local = await openTab(browser, open.url)
    await local.page.goto(open.url)
    expect(await ownStatus(local.page)).toBe(200)
    await open.stop()
  })
})

describe('the login', needsChromium, () => {
  let node: RunningNode
  let browser: Browser
  beforeAll(async () => {
    const file = path.join(temporaryDirectory(), 'users.toml')
    writeFileSync(file, `[Users.alice]\npassword = "${hashSync(PASSWORD, 4)}"\npermissions = ["*:*"]\n`)
    const options = ['--rpc-http-authentication-enabled', `--rpc-http-authentication-credentials-file=${file}`]
    ;[node, browser] = await Promise.all([startNode(['--ephemeral', ...options]), launch()])
  })
  afterAll(async () => {
    await browser?.close()
    await node?.stop()
  })

  it('gives a token that is nowhere but in the memory of its tab', async () => {
    const tab = await openTab(browser, node.url)
    const { page, faults } = tab
    const tokens: string[] = []
    page.on('request', (request) => {
      const { authorization } = request.headers()
      if (authorization !== undefined) tokens.push(authorization)
    })
    await page.goto(node.url)
    await page.getByLabel('Name').fill('alice')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'This node asks for a login' }).waitFor({ state: 'detached' })
    await settled(page)
    expect(new Set(tokens).size).toBe(1)
    const stored = await page.evaluate(async () => {
      const databases = await indexedDB.databases()
      return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, databases])
    })
    const [, token = ''] = (tokens[0] ?? '').split(' ')
    expect(token).not.toBe('')
    for (const secret of [token, PASSWORD]) expect(stored).not.toContain(secret)
    expect(await page.context().cookies()).toEqual([])
    const other = await page.context().newPage()
    await other.goto(node.url)
    await other.getByLabel('Password').waitFor()
    await page.reload()
    await page.getByLabel('Password').waitFor()
    // The refusals of requests without a token are on the console of the browser.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([])
    await tab.close()
  })
})
