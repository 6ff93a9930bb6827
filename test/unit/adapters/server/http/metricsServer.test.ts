import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { observeProcess } from '../../../../../adapters/server/data/processUsage.ts'
import { MetricsPush } from '../../../../../adapters/server/http/metricsPush.ts'
import { serveMetrics } from '../../../../../adapters/server/http/metricsServer.ts'
import type { Logger } from '../../../../../src/base/ports/host.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import { MemoryMetrics } from '../../../../../src/base/ports/memoryMetrics.ts'
import type { HttpServer } from '../../../../../src/http/server.ts'
import { MemoryStore } from '../../../../../src/storage/memoryStore.ts'
import { testTimers } from '../../../../support/host/testPorts.ts'
import { closedAfterEach } from '../../../../support/nodes/devNodeInMemory.ts'

const openNode = closedAfterEach()
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serve(port = 0): Promise<HttpServer> {
  const usage = observeProcess(undefined)
  closing.push(usage.close)
  const { node, rpc } = await openNode({}, new MemoryStore(), {
    metrics: new MemoryMetrics(),
    processUsage: usage.read,
  })
  await rpc('evm_mine')
  const endpoint = node.endpoints.get('metrics')
  if (endpoint === undefined) throw new Error('no endpoint')
  const server = await serveMetrics({ endpoint, host: '127.0.0.1', port, logger: silentLogger })
  closing.push(server.close)
  return server
}

/** Sends a request as it is and returns the answer with its headers. */
function raw({ port }: HttpServer, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

describe('the metrics port', () => {
  it('serves the metrics of chain, requests, EVM and process', async () => {
    const { port } = await serve()
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    for (const line of [
      /^ethereum_blockchain_height 1$/m,
      /^ethereum_best_known_block_number 1$/m,
      /^ethereum_peer_limit 25$/m,
      /^besu_blockchain_chain_head_timestamp 18\d{8}$/m,
      /^besu_blockchain_chain_head_transaction_count 0$/m,
      /^besu_blockchain_difficulty_total \d+$/m,
      /^besu_rpc_requests_total\{methodName="evm_mine",transport="http"\} 1$/m,
      /^besu_rpc_request_time_count\{methodName="evm_mine"\} 1$/m,
      /^besu_transaction_pool_transactions 0$/m,
      /^besu_store_commits_total [1-9]/m,
      /^besu_evm_executions_total \d+$/m,
      /^process_cpu_seconds_total 0?\d*\.\d+$/m,
      /^process_open_fds [1-9]/m,
      /^jvm_memory_bytes_used\{area="heap"\} [1-9]/m,
      /^process_event_loop_delay_seconds_count \d+$/m,
    ]) {
      expect(text).toMatch(line)
    }
  })

  it('selects metrics, answers the root, and refuses other paths and methods', async () => {
    const { port } = await serve()
    const ask = async (path: string, init?: RequestInit): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      return [response.status, await response.text()]
    }
    const [status, text] = await ask('/metrics?name[]=ethereum_peer_count&name[]=ethereum_peer_limit')
    expect([status, text.match(/^[^#].*$/gm)]).toEqual([200, ['ethereum_peer_count 0', 'ethereum_peer_limit 25']])
    expect(await ask('/')).toEqual([201, ''])
    expect((await ask('/other'))[0]).toBe(404)
    expect(await ask('/metrics', { method: 'POST', body: 'x'.repeat(100_000) })).toEqual([405, ''])
    expect(await ask('/metrics', { method: 'HEAD' })).toEqual([200, ''])
  })

  it('refuses other hosts, several hosts and pages of other origins', async () => {
    const server = await serve()
    const get = (headers: string): Promise<string> => raw(server, `GET /metrics HTTP/1.1\r\n${headers}\r\n\r\n`)
    expect(await get('Host: evil.example')).toMatch(/^HTTP\/1.1 403 [\s\S]*Host not authorized/)
    expect(await get('Host: localhost\r\nHost: evil.example')).toMatch(/^HTTP\/1.1 400 /)
    expect(await get('Host: localhost\r\nOrigin: https://evil.example')).toMatch(/^HTTP\/1.1 403 /)
    expect(await get('Host: localhost')).toMatch(/^HTTP\/1.1 200 [\s\S]*ethereum_blockchain_height/)
  })

  it('names a port that is in use', async () => {
    const { port } = await serve()
    await expect(serve(port)).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: `port ${port} on 127.0.0.1 is in use by another process`,
    })
  })
})

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly body: string
}

async function gateway(received: Received[], status: () => number): Promise<Server> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ method: request.method, url: request.url, body })
      response.writeHead(status()).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return server
}

describe('pushing metrics', () => {
  it('repeats at an interval, logs a failure once, and deletes the job at the end', async () => {
    const received: Received[] = []
    const logged: string[] = []
    const log = (message: string): void => void logged.push(message)
    const logger: Logger = { ...silentLogger, warn: log, info: log }
    const server = await gateway(received, () => (received.length <= 2 ? 500 : 200))
    const metrics = new MemoryMetrics()
    metrics.counter({ category: 'RPC', name: 'requests_total', help: '' }).add()
    const { port } = server.address() as AddressInfo
    const push = new MetricsPush({
      metrics,
      timers: testTimers,
      logger,
      host: '127.0.0.1',
      port,
      job: 'a/b',
      intervalMs: 5,
    })
    while (received.length < 4) await new Promise((resolve) => setTimeout(resolve, 5))
    await push.close()
    const count = received.length
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(received).toHaveLength(count)
    expect(received[0]).toMatchObject({ method: 'POST', url: '/metrics/job/a%2Fb' })
    expect(received[0]?.body).toContain('besu_rpc_requests_total 1\n')
    expect(received.at(-1)).toEqual({ method: 'DELETE', url: '/metrics/job/a%2Fb', body: '' })
    expect(logged).toEqual(['cannot push metrics', 'metrics are pushed again'])
  })
})
