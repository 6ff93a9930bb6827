/** Metrics, plugins and log levels from an operator's perspective. */
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { expectRefusal, fileWith, newPath } from '../support/host/commandChecks.ts'
import { type ProgramRuntime, RUNTIMES, type RunningNode, runCommand, startNode } from '../support/nodes/program.ts'

const PLUGIN = path.resolve(import.meta.dirname, '../../docs/plugins/heads.mjs')

function metricsUrl(node: RunningNode): string {
  return /metrics +(http:\S+)/.exec(node.output())?.[1] ?? 'no metrics in the banner'
}

describe('metrics', () => {
  it.each<ProgramRuntime>(RUNTIMES)('are served on their own port, on %s', async (runtime) => {
    const directory = newPath()
    const options = [`--data-path=${directory}`, '--metrics-enabled', '--metrics-port=0', `--plugins=${PLUGIN}`]
    const node = await startNode(options, { runtime })
    await node.rpc('evm_mine')
    await node.rpc('eth_getBalance', ['bad']).catch(() => {})
    const socket = new WebSocket(node.url.replace('http', 'ws'))
    await new Promise((resolve) => socket.on('open', resolve))
    const response = await fetch(metricsUrl(node))
    socket.terminate()
    const text = await response.text()
    for (const line of [
      /^ethereum_blockchain_height 1$/m,
      /^besu_rpc_errors_total\{methodName="eth_getBalance",code="-32602"\} 1$/m,
      /^besu_plugins_heads_blocks_total 1$/m,
      /^process_cpu_seconds_total \d/m,
      /^process_resident_memory_bytes [1-9]/m,
      /^jvm_memory_bytes_used\{area="heap"\} [1-9]/m,
      /^besu_store_size_bytes [1-9]/m,
      /^besu_rpc_active_http_connection_count [1-9]/m,
      /^besu_rpc_active_ws_connection_count 1$/m,
    ]) {
      expect(text).toMatch(line)
    }
    const services = await node.rpc<Record<string, { port: string }>>('net_services')
    expect(services['metrics']?.port).toBe(new URL(metricsUrl(node)).port)
    expect(await node.rpc('debug_metrics')).toMatchObject({ ethereum: { blockchain_height: 1 } })
    expect((await node.stop()).code).toBe(0)
  })

  it('are off by default, and limited to the chosen categories', async () => {
    const [off, rpcOnly] = await Promise.all([
      startNode(['--ephemeral']),
      startNode(['--ephemeral', '--metrics-enabled', '--metrics-port=0', '--metrics-categories=rpc,ETHEREUM']),
    ])
    expect(await off.rpc('debug_metrics')).toEqual({})
    expect(Object.keys(await rpcOnly.rpc<object>('debug_metrics')).sort()).toEqual(['ethereum', 'rpc'])
  })

  it('are pushed to a gateway and deleted there at the end', async () => {
    const received: string[] = []
    const server = createServer((request, response) => {
      received.push(`${request.method} ${request.url}`)
      request.resume()
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const node = await startNode([
      '--ephemeral',
      '--metrics-push-enabled',
      `--metrics-push-port=${port}`,
      '--metrics-push-interval=1',
    ])
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await node.stop()).code).toBe(0)
    expect([received[0], received.at(-1)]).toEqual(['POST /metrics/job/besu-client', 'DELETE /metrics/job/besu-client'])
    server.close()
  })

  it('have one clear line for each fault of their options', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const run = (...options: string[]) => runCommand(['--ephemeral', '--rpc-http-port=0', ...options])
    const [inUse, category, protocol] = await Promise.all([
      run('--metrics-enabled', `--metrics-port=${port}`),
      run('--metrics-enabled', '--metrics-category=bloks'),
      run('--metrics-enabled', '--metrics-protocol=opentelemetry'),
    ])
    server.close()
    expectRefusal(inUse, new RegExp(`port ${port} on 127.0.0.1 is in use by another process`))
    expectRefusal(category, /'--metrics-category': 'bloks' is not a category/)
    expectRefusal(protocol, /OPENTELEMETRY is not supported/)
  })
})

describe('plugins', () => {
  it('that cannot be loaded end the start with one line', async () => {
    const [absent, broken, other] = await Promise.all([
      runCommand(['--ephemeral', '--rpc-http-port=0', '--plugins=./absent.mjs']),
      runCommand(['--ephemeral', '--rpc-http-port=0', `--plugins=${fileWith('throw new Error("no luck")')}`]),
      runCommand(['--ephemeral', '--rpc-http-port=0', `--plugins=${fileWith('module.exports = { start() {} }')}`]),
    ])
    expectRefusal(absent, /--plugins: cannot load \.\/absent\.mjs: the file does not exist/)
    expectRefusal(broken, /--plugins: cannot load .*: no luck/)
    expectRefusal(other, /--plugins: cannot load .*: its default export is not a plugin/)
  })
})

it('log levels change at run time; short chains have no bloom files', { timeout: 60_000 }, async () => {
  const directory = newPath()
  const node = await startNode([`--data-path=${directory}`])
  expect(await node.rpc('admin_changeLogLevel', ['DEBUG', ['http']])).toBe('Success')
  await expect(node.rpc('admin_changeLogLevel', ['LOUD'])).rejects.toMatchObject({ code: -32602 })
  expect(await node.rpc('admin_changeLogLevel', ['OFF'])).toBe('Success')
  const before = node.output().length
  await node.rpc('evm_mine')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(node.output().slice(before)).toBe('')
  expect(await node.rpc('admin_generateLogBloomCache', ['0x0', 'latest'])).toMatchObject({ requestAccepted: true })
  expect(await node.rpc('admin_logsRepairCache')).toMatchObject({ Status: expect.any(String) })
  expect(existsSync(path.join(directory, 'caches'))).toBe(false)
  expect((await node.stop()).code).toBe(0)
})
