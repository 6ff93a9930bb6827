import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { IpcSocketProvider } from 'ethers'
import { createPublicClient, createTestClient, createWalletClient, publicActions } from 'viem'
import { foundry } from 'viem/chains'
import { ipc } from 'viem/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveIpc, socketPath } from '../../../../../adapters/server/http/ipcServer.ts'
import { startNode } from '../../../../../mod.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import { RpcSession, type RpcSessionOptions } from '../../../../../src/http/rpcSession.ts'
import { OutboundBudget } from '../../../../../src/rpc/connection/outboundBudget.ts'
import { defineMethod, type MethodDefinition, result } from '../../../../../src/rpc/method.ts'
import { eventually } from '../../../../support/host/eventually.ts'
import { needsHost } from '../../../../support/host/needs.ts'
import { testTimers } from '../../../../support/host/testPorts.ts'
import { anything, type TestBackend, testMethods, testService } from '../../../../support/rpc/rpcService.ts'

const unixOnly = needsHost(process.platform !== 'win32', 'Unix sockets are files')
const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x1"}\n'
const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n'

/** Is answered in a later turn of the event loop. */
const later: MethodDefinition<TestBackend> = defineMethod({
  name: 'eth_later',
  group: 'ETH',
  summary: 'Answers later.',
  params: [],
  result: result('value', anything),
  handler: () => new Promise<unknown>((resolve) => setImmediate(() => resolve('late'))),
})

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'isonode-ipc-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Settings {
  readonly maxMessageBytes?: number
  readonly maxConnections?: number
  readonly session?: Partial<RpcSessionOptions>
}

async function open({ maxMessageBytes = 1000, maxConnections, session }: Settings = {}, folder = temporaryFolder()) {
  const { envelope } = testService({ transport: 'ipc', methods: [...testMethods, later] })
  const options: RpcSessionOptions = {
    transport: 'IPC',
    envelope,
    logger: silentLogger,
    clock: { monotonic: () => performance.now(), now: Date.now },
    timers: testTimers,
    ...session,
  }
  const server = await serveIpc({
    endpoint: { maxMessageBytes, open: (port) => new RpcSession(options, port, undefined) },
    path: path.join(folder, 'test.ipc'),
    logger: silentLogger,
    ...(maxConnections === undefined ? {} : { maxConnections }),
  })
  onTestFinished(() => server.close())
  return { server, folder, connect: () => connect(server.path) }
}

function connect(target: string) {
  const socket: Socket = createConnection({ path: target, allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const connection = { socket, received: '', isEnded: false }
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    connection.received += text
  })
  socket.on('end', () => {
    connection.isEnded = true
  })
  socket.on('error', () => {})
  socket.once('close', () => {
    connection.isEnded = true
  })
  return connection
}

describe('JSON-RPC over IPC', unixOnly, () => {
  it('answers values back to back, one line each', async () => {
    const connection = (await open()).connect()
    connection.socket.write(`${CHAIN_ID}${CHAIN_ID}\n [${CHAIN_ID}]`)
    await eventually(() => expect(connection.received).toBe(`${ANSWER}${ANSWER}[${ANSWER.trim()}]\n`))
    expect(connection.isEnded).toBe(false)
  })

  it('joins a value that arrives in pieces, in the middle of a character too', async () => {
    const connection = (await open()).connect()
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":["ü€😀"]}')
    for (let at = 0; at < bytes.length; at += 7) {
      connection.socket.write(bytes.subarray(at, at + 7))
      await new Promise(setImmediate)
    }
    await eventually(() => expect(connection.received).toBe('{"jsonrpc":"2.0","id":1,"result":"ü€😀"}\n'))
  })

  it.each([
    ['text', 'GET / HTTP/1.1\r\n\r\n'],
    ['a scalar', '5'],
    ['an unbalanced bracket', ']'],
    ['an object that is not JSON', '{"jsonrpc":}'],
    ['mixed brackets', '{]'],
  ])('answers %s with a parse error and closes', async (_what, text) => {
    const connection = (await open()).connect()
    connection.socket.write(`${CHAIN_ID}${text}${CHAIN_ID}`)
    await eventually(() => expect(connection.isEnded).toBe(true))
    expect(connection.received).toBe(`${ANSWER}${PARSE_ERROR}`)
  })

  it('refuses a value that is too long, and closes', async () => {
    const connection = (await open({ maxMessageBytes: 100 })).connect()
    connection.socket.write(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":["${'a'.repeat(200)}`)
    await eventually(() => expect(connection.isEnded).toBe(true))
    expect(JSON.parse(connection.received)).toMatchObject({ error: { code: -32600, message: 'Request too large' } })
  })

  it('answers a client that closes its side at once', async () => {
    const connection = (await open()).connect()
    connection.socket.end(`${CHAIN_ID}{"jsonrpc":"2.0","id":2,"method":"eth_later"}`)
    await eventually(() => expect(connection.isEnded).toBe(true))
    expect(connection.received).toBe(`${ANSWER}{"jsonrpc":"2.0","id":2,"result":"late"}\n`)
  })

  it('limits the number of connections', async () => {
    const { connect: next } = await open({ maxConnections: 1 })
    const first = next()
    first.socket.write(CHAIN_ID)
    await eventually(() => expect(first.received).toBe(ANSWER))
    const second = next()
    await eventually(() => expect(second.isEnded).toBe(true))
    first.socket.destroy()
    await eventually(async () => {
      const third = next()
      third.socket.write(CHAIN_ID)
      await eventually(() => expect(third.isEnded || third.received !== '').toBe(true))
      expect(third.received).toBe(ANSWER)
    })
  })

  it.each([
    ['counts the output that a client does not read', 100_000_000],
    ['ends the connection of a client that reads nothing', 1_000_000],
  ])('%s', async (_what, maxBytes) => {
    const outbound = new OutboundBudget({
      clock: { monotonic: () => performance.now() },
      yieldToHost: () => new Promise(setImmediate),
      timers: testTimers,
      maxBytes,
    })
    const { connect: next } = await open({ maxMessageBytes: 1e7, session: { outbound } })
    const connection = next()
    connection.socket.pause()
    const long = `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":["${'a'.repeat(400_000)}"]}`
    for (let i = 0; i < 20; i++) connection.socket.write(long)
    if (maxBytes === 1_000_000) {
      await eventually(() => expect(connection.isEnded).toBe(true))
    } else {
      await eventually(() => expect(outbound.total).toBeGreaterThan(1_000_000))
      connection.socket.destroy()
    }
    await eventually(() => expect(outbound.total).toBe(0))
  })
})

describe('the socket of IPC', unixOnly, () => {
  it('is for its owner only, and removed at the end', async () => {
    const { server, folder } = await open()
    expect(statSync(server.path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['test.ipc'])
    await server.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('replaces one whose process has ended', async () => {
    const folder = temporaryFolder()
    const target = path.join(folder, 'test.ipc')
    await abandonSocket(target)
    const connection = (await open({}, folder)).connect()
    connection.socket.write(CHAIN_ID)
    await eventually(() => expect(connection.received).toBe(ANSWER))
  })

  it('leaves one that is served, and names it', async () => {
    const { server, folder } = await open()
    await expect(open({}, folder)).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: `cannot listen on ${server.path}: another process serves this socket`,
    })
    const connection = connect(server.path)
    connection.socket.write(CHAIN_ID)
    await eventually(() => expect(connection.received).toBe(ANSWER))
    expect(readdirSync(folder)).toEqual(['test.ipc'])
  })

  it('replaces neither a file nor a folder', async () => {
    const folder = temporaryFolder()
    const target = path.join(folder, 'test.ipc')
    writeFileSync(target, 'mine')
    await expect(open({}, folder)).rejects.toThrow('there is a file that is not a socket')
    rmSync(target)
    mkdirSync(target)
    await expect(open({}, folder)).rejects.toThrow('there is a file that is not a socket')
  })

  it('needs a folder, and a path that sockets can have', async () => {
    const endpoint = { maxMessageBytes: 1, open: () => expect.fail() as never }
    const serve = (target: string) => serveIpc({ endpoint, path: target, logger: silentLogger })
    await expect(serve('/no/such/folder/x.ipc')).rejects.toMatchObject({ code: 'LISTEN_FAILED' })
    await expect(serve(`/tmp/${'a'.repeat(120)}`)).rejects.toThrow('the path has 125 bytes; a socket has at most 103')
  })

  it('is in the data directory unless its path has a folder', () => {
    expect(socketPath('isonode.ipc', '/data')).toBe('/data/isonode.ipc')
    expect(socketPath('isonode.ipc', undefined)).toBe(path.join(os.tmpdir(), 'isonode.ipc'))
    expect(socketPath('./a.ipc', '/data')).toBe(path.resolve('a.ipc'))
    expect(socketPath('/run/a.ipc', '/data')).toBe('/run/a.ipc')
  })
})

/** Leaves the file of a socket that nobody serves: what a killed process leaves. */
async function abandonSocket(target: string): Promise<void> {
  const hidden = `${target}.moved`
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(hidden, resolve))
  const { renameSync } = await import('node:fs')
  renameSync(hidden, target)
  await new Promise((resolve) => server.close(resolve))
}

describe('clients over IPC', unixOnly, () => {
  async function start(flags: object = {}) {
    const folder = temporaryFolder()
    const node = await startNode({ flags: { rpcIpcEnabled: true, rpcIpcPath: path.join(folder, 'a.ipc'), ...flags } })
    onTestFinished(() => node.close())
    return { node, target: node.ipcPath as string }
  }

  it('viem sends, subscribes and mines', async () => {
    const { target } = await start()
    const transport = ipc(target)
    const client = createPublicClient({ chain: foundry, transport })
    onTestFinished(async () => (await transport({ chain: foundry }).value?.getRpcClient())?.close())
    expect(await client.getChainId()).toBe(31337)
    const numbers: bigint[] = []
    const unwatch = client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number) })
    const wallet = createWalletClient({ chain: foundry, transport })
    const [account] = await wallet.getAddresses()
    await eventually(async () => {
      await wallet.sendTransaction({ account: account as `0x${string}`, to: account as `0x${string}` })
      expect(numbers.length).toBeGreaterThan(0)
    })
    unwatch()
    const test = createTestClient({ chain: foundry, mode: 'anvil', transport }).extend(publicActions)
    const before = await test.getBlockNumber({ cacheTime: 0 })
    await test.mine({ blocks: 3 })
    expect((await test.getBlockNumber({ cacheTime: 0 })) - before).toBe(3n)
  })

  it('ethers sends and subscribes', async () => {
    const { target } = await start()
    const provider = new IpcSocketProvider(target)
    onTestFinished(() => {
      // At the end of its socket, which Bun reports here, ethers emits an event that it does not know.
      provider.socket.removeAllListeners('end')
      provider.destroy()
    })
    expect((await provider.getNetwork()).chainId).toBe(31337n)
    const numbers: number[] = []
    await provider.on('block', (number: number) => numbers.push(number))
    const signer = await provider.getSigner()
    const sent = await signer.sendTransaction({ to: await signer.getAddress() })
    expect((await sent.wait())?.status).toBe(1)
    await eventually(() => expect(numbers).toEqual([1]))
  })

  it('may call the API groups of the option only', async () => {
    const { target } = await start({ rpcIpcApi: ['ETH'] })
    const connection = connect(target)
    connection.socket.write('{"jsonrpc":"2.0","id":1,"method":"evm_mine"}')
    await eventually(() => expect(connection.received).toContain('does not exist/is not available'))
  })

  it('are not served together with authentication, nor by a node that does not listen', async () => {
    const authenticated = { rpcHttpAuthenticationEnabled: true, rpcHttpAuthenticationJwtPublicKeyFile: 'key.pem' }
    await expect(start(authenticated)).rejects.toThrow(/rpcIpcEnabled.*rpcHttpAuthenticationEnabled/)
    const certified = { rpcHttpTlsClientAuthEnabled: true, rpcHttpTlsEnabled: true, rpcHttpTlsKeystoreFile: 'x.pem' }
    await expect(start({ ...certified, rpcHttpTlsCaClientsEnabled: true })).rejects.toThrow(
      /rpcIpcEnabled.*rpcHttpTlsClientAuthEnabled/,
    )
    const silent = { listen: false, flags: { rpcIpcEnabled: true } } as const
    await expect(startNode<false>(silent)).rejects.toThrow('rpcIpcEnabled')
  })
})
