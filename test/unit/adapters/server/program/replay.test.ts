import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { replayFile } from '../../../../../adapters/server/program/commands/replay.ts'
import type { Output } from '../../../../../adapters/server/program/output.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import { type CommandCall, parseCommandLine } from '../../../../../src/cli/parse.ts'
import { DEV_ACCOUNTS } from '../../../../../src/config/devAccounts.ts'
import type { NodeOptions } from '../../../../../src/config/options.ts'
import { type Recording, writeRecording } from '../../../../../src/replay/recording.ts'
import { closedAfterEach } from '../../../../support/nodes/devNodeInMemory.ts'
import { RemoteProxy } from '../../../../support/remote/remoteProxy.ts'
import { RecordedNode } from '../../../../support/replay/recorded.ts'

const open = closedAfterEach()
const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const [FROM, TO] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
/** Emits LOG1 of the caller's word, and returns its square. */
const CODE = '0x600035806000526001602060006020a1028060005260206000f3'
/** Copies the code that follows. */
const INIT = '0x601b600c600039601b6000f3'
const word = (value: number): string => value.toString(16).padStart(64, '0')

/** 200 calls of a program that deploys, reads, writes, and looks at the receipts. */
async function record(): Promise<Recording> {
  const { rpc } = await open()
  const node = new RecordedNode(rpc)
  await node.ask('eth_requestAccounts')
  await node.ask('eth_chainId')
  const hash = await node.ask<string>('eth_sendTransaction', { from: FROM, data: `${INIT}${CODE.slice(2)}` })
  const { contractAddress: to } = await node.ask<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
  await node.ask('eth_call', { to, data: '0x', gas: '0x1' }, 'latest')
  while (node.calls.length < 200) {
    const value = node.calls.length
    const sent = await node.ask<string>('eth_sendTransaction', { from: FROM, to, data: `0x${word(value)}` })
    const receipt = await node.ask<{ blockHash: string }>('eth_getTransactionReceipt', sent)
    await node.ask('eth_getBlockByHash', receipt.blockHash, false)
    await node.ask('eth_blockNumber')
    await node.ask('eth_getLogs', { address: to, blockHash: receipt.blockHash })
    await node.ask('eth_getTransactionCount', FROM, 'latest')
    await node.ask('eth_call', { to, data: `0x${word(value)}` }, 'latest')
    await node.ask('eth_getBalance', TO, 'latest')
  }
  return { ...node.recording(), calls: node.calls.slice(0, 200) }
}

function fileOf(recording: Recording | string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-replay-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'recording.json')
  writeFileSync(file, typeof recording === 'string' ? recording : writeRecording(recording))
  return file
}

/** Of the nodes that the command opened. */
const openedWith: NodeOptions[] = []

interface Printed {
  readonly fields: { readonly compared: number; readonly sent: number; readonly differences: readonly object[] }
  readonly text: () => string
}

async function run(...args: string[]) {
  const line = parseCommandLine({ argv: ['replay', ...args], environment: {}, readText: () => undefined })
  if (line.kind !== 'command') throw new Error(JSON.stringify(line))
  const printed: Printed[] = []
  const output = { logger: silentLogger, print: (event: Printed) => printed.push(event) } as unknown as Output
  const { signal } = new AbortController()
  const isSame = await replayFile(
    line as Extract<CommandCall, { command: 'replay' }>,
    { output, signal },
    async (options) => {
      openedWith.push(options)
      const { node } = await open({ 'auto-impersonate': options['auto-impersonate'] })
      const provider = node.openProvider()
      return {
        request: (method, params) => provider.request({ method, params }),
        close: async () => provider.close(),
      }
    },
  )
  const [report] = printed as [Printed]
  return { isSame, ...report.fields, text: report.text() }
}

describe('replay', () => {
  it('finds no difference on a chain that executes the same', async () => {
    const report = await run(fileOf(await record()))
    expect(report.differences).toEqual([])
    expect(report).toMatchObject({ isSame: true, sent: 26, text: expect.stringContaining('No difference.') })
    expect(report.compared).toBeGreaterThan(140)
  })

  it('finds exactly the one difference among 200 calls', async () => {
    const recording = await record()
    const call = recording.calls.findIndex(({ method }, i) => i > 100 && method === 'eth_call')
    const calls = recording.calls.with(call, { ...recording.calls[call], result: `0x${word(7)}` } as never)
    const report = await run(fileOf({ ...recording, calls }))
    expect(report.differences).toMatchObject([{ call, method: 'eth_call', path: 'result', recorded: `0x${word(7)}` }])
    expect(report.isSame).toBe(false)
    expect(report.text).toContain(`call ${call} eth_call result: `)
  })

  it('compares status, gas and logs of transactions', async () => {
    const recording = await record()
    const call = recording.calls.findLastIndex(({ method }) => method === 'eth_getTransactionReceipt')
    const receipt = recording.calls[call]?.result as { readonly gasUsed: string; readonly logs: readonly object[] }
    const changed = { ...receipt, gasUsed: '0x5208', logs: [{ ...receipt.logs[0], data: '0x01' }] }
    const calls = recording.calls.with(call, { ...recording.calls[call], result: changed } as never)
    const { differences } = await run(fileOf({ ...recording, calls }))
    expect(differences).toMatchObject([
      { call, path: 'result.gasUsed', recorded: '0x5208' },
      { call, path: 'result.logs[0].data', recorded: '0x01' },
    ])
  })

  it('asks the node at an address, and sends nothing through one that is no test chain', async () => {
    const recording = await record()
    const { rpc } = await open()
    const remote = await RemoteProxy.start((method, params) => {
      if (method.startsWith('hardhat_')) throw Object.assign(new Error('no such method'), { code: -32601 })
      return rpc(method, ...params)
    })
    closers.push(() => remote.close())
    const { calls } = recording
    const report = await run(fileOf({ ...recording, calls: calls.slice(0, 3) }), `--rpc=${remote.url}`)
    expect(report).toMatchObject({ isSame: true, compared: 1, sent: 0, skipped: { unsendable: 1 } })
    expect(await rpc('eth_blockNumber')).toBe('0x0')
  })

  it('forks where the page was forked, unless another block is named', async () => {
    const file = fileOf({ origin: '', block: '0x1f', calls: [] })
    for (const args of [[], ['--fork-url=http://a'], ['--fork-url=http://a', '--fork-block-number=7']]) {
      await run(file, ...args)
    }
    const blocks = openedWith.slice(-3).map((options) => options['fork-block-number'])
    expect(blocks).toEqual([undefined, '31', '7'])
    expect(openedWith.at(-1)).toMatchObject({ ephemeral: true, 'auto-impersonate': true })
  })

  it('says when the address does not answer', async () => {
    const file = fileOf({ origin: '', calls: (await record()).calls })
    await expect(run(file, '--rpc=http://127.0.0.1:1')).rejects.toMatchObject({ code: 'FORK_UNAVAILABLE' })
  })

  it('names the fault of a file', async () => {
    await expect(run('/none.json')).rejects.toThrow(/cannot read \/none\.json/)
    await expect(run()).rejects.toThrow(/Missing required argument: FILE/)
    await expect(run(fileOf('{'))).rejects.toMatchObject({ code: 'RECORDING_INVALID' })
    await expect(run(fileOf('{}'))).rejects.toThrow(/"format" is missing/)
    await expect(run(fileOf('{}'), '--rpc=http://a', '--fork-url=http://b')).rejects.toThrow(/--rpc cannot be combined/)
  })
})
