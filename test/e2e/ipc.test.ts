/** The socket of the built program, and clients in other languages on it. */
import { existsSync, statSync } from 'node:fs'
import { createConnection } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'
import { needsHost, needsTool } from '../support/host/needs.ts'
import { foundryTool, installedTools, runTool } from '../support/host/tools.ts'
import { RUNTIMES, runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'

const CAST = foundryTool('cast')
const PYTHON = installedTools('web3py/bin/python')
const CLIENTS = path.resolve(import.meta.dirname, '../fixtures/clients')
const unixOnly = needsHost(process.platform !== 'win32', 'Unix sockets are files')

function ask(target: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(target, () => socket.write(text))
    socket.setEncoding('utf8')
    let received = ''
    socket.on('data', (chunk: string) => {
      received += chunk
      if (!received.endsWith('\n')) return
      socket.destroy()
      resolve(received)
    })
    socket.once('error', reject)
  })
}

describe.each(RUNTIMES)('IPC of the program on %s', unixOnly, (runtime) => {
  const open = async (...args: readonly string[]) => {
    const data = path.join(temporaryDirectory(), 'data')
    const node = await startNode([`--data-path=${data}`, ...args], { runtime })
    return { data, node }
  }

  it('has its socket in the data directory, until it ends', async () => {
    const { data, node } = await open('--ipc')
    const target = path.join(data, 'isonode.ipc')
    await eventually(() => expect(node.output()).toContain(target))
    expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(await ask(target, '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')).toBe(
      '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}\n',
    )
    expect((await node.stop()).code).toBe(0)
    expect(existsSync(target)).toBe(false)
  })

  it('replaces the socket of a killed node, and leaves that of a running one', async () => {
    const target = path.join(temporaryDirectory(), 'a.ipc')
    const first = await open(`--ipc=${target}`)
    const second = await runCommand(['--ephemeral', '--port=0', '--ipc', target], { runtime })
    expect(second.code).not.toBe(0)
    expect(second.stderr + second.stdout).toContain(`cannot listen on ${target}: another process serves this socket`)
    await first.node.kill()
    expect(existsSync(target)).toBe(true)
    const third = await open('--rpc-ipc-enabled', `--rpc-ipc-path=${target}`, '--rpc-ipc-apis=ETH,NET')
    expect(await ask(target, '{"jsonrpc":"2.0","id":1,"method":"evm_mine"}')).toContain('does not exist')
    await third.node.stop()
    expect(existsSync(target)).toBe(false)
  })

  it('is not served together with authentication', async () => {
    const key = ['--rpc-ws-authentication-enabled', '--rpc-ws-authentication-jwt-public-key-file=key.pem']
    const { code, stderr } = await runCommand(['--ephemeral', '--port=0', '--ipc', ...key], { runtime })
    expect(code).not.toBe(0)
    expect(stderr).toContain("--rpc-ipc-enabled option and --rpc-ws-authentication-enabled option can't be used")
  })

  it('answers cast', needsTool('Foundry', CAST), async () => {
    const { data, node } = await open('--ipc')
    const cast = (...args: readonly string[]) =>
      runTool(CAST as string, [...args, '--rpc-url', path.join(data, 'isonode.ipc')])
    expect(await cast('chain-id')).toBe('31337')
    const [from] = await node.rpc<string[]>('eth_accounts')
    await cast('send', '--unlocked', '--from', from as string, from as string)
    expect(await cast('block-number')).toBe('1')
    await node.stop()
  })

  it('answers web3.py', needsTool('web3.py', PYTHON), async () => {
    const { data, node } = await open('--ipc')
    const printed = await runTool(PYTHON as string, [path.join(CLIENTS, 'ipc.py'), path.join(data, 'isonode.ipc')])
    expect(printed.split('\n')).toEqual(['31337 1', '1'])
    await node.stop()
  })
})
