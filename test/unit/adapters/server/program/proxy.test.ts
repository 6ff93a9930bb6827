import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runProxy } from '../../../../../adapters/server/program/commands/proxy.ts'
import type { Output } from '../../../../../adapters/server/program/output.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import { type CommandCall, parseCommandLine } from '../../../../../src/cli/parse.ts'
import { devGenesis } from '../../../../../src/config/devGenesis.ts'
import { closedAfterEach } from '../../../../support/nodes/devNodeInMemory.ts'
import { RemoteProxy } from '../../../../support/remote/remoteProxy.ts'

const open = closedAfterEach()
const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Runs the command until the test ends. @returns its address */
async function start(...args: string[]): Promise<string> {
  const line = parseCommandLine({ argv: ['proxy', '--port=0', ...args], environment: {}, readText: () => undefined })
  return new Promise((resolve, reject) => {
    const stopped = new Promise<void>((stop) => closers.push(stop))
    const print = ({ fields }: { readonly fields: { readonly url: string } }) => resolve(fields.url)
    const output = { logger: silentLogger, print, report: () => {} } as unknown as Output
    const running = runProxy(line as Extract<CommandCall, { command: 'proxy' }>, output, () => stopped)
    running.catch(reject)
  })
}

async function setUp() {
  const { rpc } = await open()
  await rpc('hardhat_mine', '0x3')
  const remote = await RemoteProxy.start((method, params) => rpc(method, ...params))
  closers.push(() => remote.close())
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-proxy-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  const genesis = path.join(folder, 'genesis.json')
  writeFileSync(genesis, JSON.stringify(devGenesis()))
  const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  return { remote, args: [`--url=${remote.url}`, `--genesis-file=${genesis}`, `--trust=hash:${hash}`] }
}

async function post(url: string, body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, { method: 'POST', body: text })
  return response.json()
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 7, method, params })

describe('proxy', () => {
  it('answers with what is proven, one by one and in batches', async () => {
    const { args } = await setUp()
    const url = await start(...args)
    const number = { jsonrpc: '2.0', id: 7, result: '0x3' }
    expect(await post(url, call('eth_blockNumber'))).toEqual(number)
    expect(await post(url, [call('eth_blockNumber'), call('eth_chainId')])).toEqual([
      number,
      { jsonrpc: '2.0', id: 7, result: '0x7a69' },
    ])
  })

  it('refuses lies, other methods and requests that are none', async () => {
    const { args, remote } = await setUp()
    const url = await start(...args)
    remote.lie = (method, _, result) => (method === 'eth_getProof' ? { ...(result as object), balance: '0x5' } : result)
    expect(await post(url, call('eth_getBalance', `0x${'1'.repeat(40)}`, 'latest'))).toMatchObject({
      error: { code: -32000, data: 'PROOF_INVALID' },
    })
    expect(await post(url, call('eth_gasPrice'))).toMatchObject({ error: { code: -32601 } })
    expect(await post(url, '{')).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await post(url, '[]')).toMatchObject({ error: { code: -32600 } })
    expect(await post(url, { id: 1 })).toMatchObject({ error: { code: -32600 } })
    expect(
      await post(
        url,
        Array.from({ length: 101 }, () => call('eth_chainId')),
      ),
    ).toMatchObject({
      error: { code: -32600 },
    })
    expect((await fetch(url)).status).toBe(405)
  })

  it('marks what it passes on', async () => {
    const { args } = await setUp()
    const url = await start(...args, '--pass=eth_gasPrice')
    expect(await post(url, call('eth_gasPrice'))).toMatchObject({ isProven: false })
    expect(await post(url, call('eth_syncing'))).toMatchObject({ error: { code: -32601 } })
  })

  it('names an option that is wrong', async () => {
    const { args } = await setUp()
    const [address, genesis] = args as [string, string]
    await expect(start(address, genesis, '--trust=moon')).rejects.toThrow(/--trust must be/)
    await expect(start(address, '--trust=genesis')).rejects.toThrow(/give --genesis-file or --network/)
    await expect(start(address, '--genesis-file=/none', '--trust=genesis')).rejects.toThrow(/\/none/)
    await expect(start('--url=ftp://x', genesis, '--trust=genesis')).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })
})
