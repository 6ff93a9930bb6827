/** The GraphiQL page of the dev chain in a browser. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphiqlFiles } from '../../adapters/server/http/graphiqlFiles.ts'
import { serveHttp } from '../../adapters/server/http/httpServer.ts'
import type { HttpServer } from '../../src/http/server.ts'
import { needsTool } from '../support/host/needs.ts'
import { type OpenedNode, openDevNode } from '../support/nodes/devNodeInMemory.ts'

const CHROMIUM = process.env['ISONODE_CHROMIUM'] ?? '/usr/bin/chromium'

describe('GraphiQL', needsTool('Chromium', existsSync(CHROMIUM) || process.env['CI'] !== undefined), () => {
  let node: OpenedNode
  let server: HttpServer
  let browser: Browser
  beforeAll(async () => {
    node = await openDevNode({}, undefined, { graphiql: graphiqlFiles })
    const { policy, exchange, fetch } = node.node.endpoints.get('graphql')
    server = await serveHttp({ host: '127.0.0.1', port: 0, policy, exchange, fetch, direct: false })
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await node?.node.close()
  })

  it('runs a query, without requests to other servers and violations of its policy', async () => {
    const origin = `http://127.0.0.1:${server.port}`
    const page = await browser.newPage()
    const outside: string[] = []
    const faults: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) outside.push(request.url())
    })
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(`${origin}/graphql`)
    await page.click('.graphiql-execute-button')
    await page.waitForSelector('.result-window :text("transactionCount")')
    expect({ outside, faults }).toEqual({ outside: [], faults: [] })
  })
})
