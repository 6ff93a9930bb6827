/** The servers compared by http.bench.mjs, each in a process that is started with its kind and prints its port. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveHttp } from '../../adapters/server/http/httpServer.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import { createHttpApp } from '../../src/http/app.ts'
import { HttpPolicy } from '../../src/http/policy.ts'
import { RpcExchange } from '../../src/http/rpcExchange.ts'
import { Envelope } from '../../src/rpc/envelope.ts'
import { defineMethod, result } from '../../src/rpc/method.ts'
import { MethodRegistry } from '../../src/rpc/registry.ts'
import { testTimers } from '../support/host/testPorts.ts'
import { testYield } from '../support/host/testYield.ts'

const blockNumber = defineMethod({
  name: 'eth_blockNumber',
  group: 'ETH',
  summary: 'Number of the head.',
  params: [],
  result: result('number', {
    schema: { type: 'string' },
    parse: (value) => Number(value),
    serialize: (value: number) => `0x${value.toString(16)}`,
  }),
  handler: (backend: { head: number }) => backend.head,
})

export function service() {
  const registry = new MethodRegistry([blockNumber])
  const envelope = new Envelope({
    served: registry.serve(['ETH', 'NET', 'WEB3']),
    backend: { head: 0x1234567 },
    profile: 'besu',
    logger: silentLogger,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    yieldToHost: testYield,
  })
  const policy = new HttpPolicy()
  const exchange = new RpcExchange({ envelope, logger: silentLogger, timers: testTimers })
  const health = { isExtended: true, p2pEnabled: false, peerCount: 0, blocksBehind: 0 }
  return { policy, exchange, app: createHttpApp({ policy, exchange, health, timers: testTimers }) }
}

const CONSTANT = '{"jsonrpc":"2.0","id":1,"result":"0x1234567"}'

function bare(readsBody: boolean): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': CONSTANT.length }
  const server = createServer((request, response) => {
    const answer = () => {
      response.writeHead(200, headers)
      response.end(CONSTANT)
    }
    if (!readsBody) {
      answer()
      return
    }
    request.on('data', () => {})
    request.on('end', answer)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

async function ours(direct: boolean): Promise<number> {
  const { app, policy, exchange } = service()
  const server = await serveHttp({ host: '127.0.0.1', port: 0, policy, exchange, fetch: app.fetch, direct })
  return server.port
}

const start: Record<string, () => Promise<number>> = {
  'bare-unread': () => bare(false),
  bare: () => bare(true),
  ours: () => ours(true),
  'ours-app': () => ours(false),
}

const kind = start[process.argv[2] ?? '']
if (kind !== undefined) console.log(await kind())
