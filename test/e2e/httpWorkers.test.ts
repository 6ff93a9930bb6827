/** The program with --rpc-http-workers: one port, one log, and answers as from one process. */
import { readFileSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import bcrypt from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'
import { needsHost } from '../support/host/needs.ts'
import { childrenOf, KeptConnection, startWithWorkers } from '../support/nodes/httpWorkers.ts'
import { type RunningNode, temporaryDirectory } from '../support/nodes/program.ts'
import { WebSocketClient } from '../support/rpc/webSocketClient.ts'

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const TRANSFER = { from: FROM, to: TO, value: '0x1' }
const WRITES = 100
const TLS = path.resolve(import.meta.dirname, '../fixtures/tls')

interface Notification {
  readonly params: { readonly subscription: string; readonly result: { readonly number: string } }
}

describe('a node with two processes for HTTP', () => {
  let node: RunningNode
  let first: KeptConnection
  let second: KeptConnection
  const sockets: WebSocketClient[] = []

  beforeAll(async () => {
    node = await startWithWorkers(2, '--graphql-http-enabled', '--graphql-http-port=0', '--quiet')
    first = new KeptConnection(node.url)
    second = new KeptConnection(node.url)
    expect(await first.ask('eth_chainId')).toBe(await second.ask('eth_chainId'))
  })
  afterAll(async () => {
    for (const { socket } of sockets) socket.terminate()
    first.close()
    second.close()
    await node.stop()
  })

  const connect = (): WebSocketClient => {
    const client = new WebSocketClient(Number(new URL(node.url).port))
    sockets.push(client)
    return client
  }

  it('shows every connection what another one has written', async () => {
    const absent: unknown[] = []
    for (let i = 0; i < WRITES; i++) {
      const [writer, reader] = i % 2 === 0 ? [first, second] : [second, first]
      const hash = await writer.ask('eth_sendTransaction', TRANSFER)
      const receipt = await reader.ask('eth_getTransactionReceipt', hash)
      if (receipt === null) absent.push(hash)
    }
    expect(absent).toEqual([])
  })

  it('splits a batch and joins its answers in order', async () => {
    const before = Number(await first.ask('eth_blockNumber'))
    const methods = ['eth_blockNumber', 'evm_mine', 'eth_blockNumber', 'eth_accounts', 'no_method', 'net_version']
    const answers = await second.post<{ id: number; result?: unknown; error?: { code: number } }[]>(
      methods.map((method, id) => ({ jsonrpc: '2.0', id, method })),
    )
    expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5])
    expect(Number(answers[0]?.result)).toBe(before)
    expect(Number(answers[2]?.result)).toBe(before + 1)
    expect(answers[3]?.result).toContain(FROM)
    expect(answers[4]?.error?.code).toBe(-32601)
    expect(answers[5]?.result).toBe('31337')
  })

  it('answers about waiting transactions and the pending block', async () => {
    await first.ask('evm_setAutomine', false)
    const hash = await first.ask<string>('eth_sendTransaction', TRANSFER)
    expect(await second.ask('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockNumber: null })
    const mined = Number(await second.ask('eth_getTransactionCount', FROM, 'latest'))
    expect(Number(await second.ask('eth_getTransactionCount', FROM, 'pending'))).toBe(mined + 1)
    expect(await second.ask('eth_getBlockByNumber', 'pending', false)).toMatchObject({ transactions: [hash] })
    expect(await second.ask('txpool_status')).toMatchObject({ pending: '0x1' })
    await second.ask('evm_setAutomine', true)
    await second.ask('evm_mine')
    expect(await first.ask('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  it('finds a filter from every connection', async () => {
    const blocks = await first.ask('eth_newBlockFilter')
    const waiting = await first.ask('eth_newPendingTransactionFilter')
    const hash = await second.ask('eth_sendTransaction', TRANSFER)
    const { blockHash } = await second.ask<{ blockHash: string }>('eth_getTransactionReceipt', hash)
    expect(await second.ask('eth_getFilterChanges', blocks)).toEqual([blockHash])
    expect(await first.ask('eth_getFilterChanges', blocks)).toEqual([])
    expect(await second.ask('eth_getFilterChanges', waiting)).toEqual([hash])
    expect(await second.ask('eth_uninstallFilter', blocks)).toBe(true)
    expect(await first.ask('eth_uninstallFilter', blocks)).toBe(false)
    await expect(second.ask('eth_getFilterChanges', blocks)).rejects.toThrow('filter not found')
  })

  it('notifies every subscriber once and in order', async () => {
    const clients = [connect(), connect(), connect()]
    const heads = await Promise.all(clients.map((client) => client.ask('eth_subscribe', 'newHeads')))
    const waiting = await Promise.all(clients.map((client) => client.ask('eth_subscribe', 'newPendingTransactions')))
    expect(new Set([...heads, ...waiting]).size).toBe(6)
    const start = Number(await first.ask('eth_blockNumber'))
    const hashes: unknown[] = []
    for (let i = 0; i < 20; i++) hashes.push(await first.ask('eth_sendTransaction', TRANSFER))
    for (const [i, client] of clients.entries()) {
      const received = (await client.received(42)).slice(2).map((text) => JSON.parse(text) as Notification)
      const resultsOf = (id: unknown) =>
        received.filter(({ params }) => params.subscription === id).map(({ params }) => params.result)
      expect(resultsOf(heads[i]).map(({ number }) => Number(number))).toEqual(hashes.map((_, at) => start + 1 + at))
      expect(resultsOf(waiting[i])).toEqual(hashes)
      expect(await client.ask('eth_unsubscribe', heads[i])).toBe(true)
      expect(await client.ask('eth_unsubscribe', waiting[i])).toBe(true)
    }
    await first.ask('evm_mine')
    expect(await clients[0]?.ask('eth_chainId')).toBe('0x7a69')
    expect(clients[0]?.messages.filter((text) => text.includes('eth_subscription'))).toHaveLength(40)
  })

  it('answers GraphQL', async () => {
    const [url = ''] = /http:\/\/[\d.]+:\d+\/graphql/.exec(node.output()) ?? []
    const graphql = new KeptConnection(url)
    const head = Number(await first.ask('eth_blockNumber'))
    expect(await graphql.post({ query: '{ block { number } }' }, '/graphql')).toEqual({
      data: { block: { number: head } },
    })
    expect(await graphql.post({ query: '{ pending { transactionCount } }' }, '/graphql')).toEqual({
      data: { pending: { transactionCount: 0 } },
    })
    const mutation = { query: 'mutation { sendRawTransaction(data: "0x12") }' }
    expect(await graphql.post(mutation, '/graphql')).toHaveProperty('errors')
    graphql.close()
  })

  it('says that it is ready, as the main process is', async () => {
    await eventually(async () => expect((await fetch(`${node.url}/readiness`)).status).toBe(200))
  })
})

const linuxOnly = needsHost(process.platform === 'linux', 'the test finds processes in /proc')

describe('a process for HTTP that ends', linuxOnly, () => {
  const workersOf = (node: RunningNode): readonly number[] => childrenOf(node.pid)

  it('is replaced, and other connections go on', async () => {
    const node = await startWithWorkers(2, '--quiet')
    const connections = [new KeptConnection(node.url), new KeptConnection(node.url)]
    for (const connection of connections) await connection.ask('eth_chainId')
    const before = workersOf(node)
    process.kill(before[0] as number, 'SIGKILL')
    const answers = await Promise.allSettled(connections.map((connection) => connection.ask('eth_chainId')))
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true)
    await eventually(() => expect(workersOf(node).filter((pid) => !before.includes(pid))).toHaveLength(1))
    for (let i = 0; i < 4; i++) {
      const connection = new KeptConnection(node.url)
      expect(await connection.ask('eth_chainId')).toBe('0x7a69')
      connection.close()
    }
    for (const connection of connections) connection.close()
    expect((await node.stop()).stderr).toContain('has ended and is replaced')
  })

  it('is given up after five deaths, and the node answers alone', async () => {
    const node = await startWithWorkers(1, '--quiet')
    const known = new Set<number>()
    for (let death = 0; death < 5; death++) {
      await eventually(() => expect(workersOf(node).some((pid) => !known.has(pid))).toBe(true))
      const pid = workersOf(node).find((each) => !known.has(each)) as number
      known.add(pid)
      process.kill(pid, 'SIGKILL')
    }
    await eventually(() => expect(node.output()).toContain('the node continues without this one'))
    expect(await node.rpc('eth_chainId')).toBe('0x7a69')
    expect((await node.stop()).code).toBe(0)
  })
})

/** Over TLS, on a new connection. */
function sendSecurely(url: string, body: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const ca = readFileSync(path.join(TLS, 'server.crt'))
  const options = {
    method: 'POST',
    agent: false as const,
    ca,
    headers: { ...headers, 'content-type': 'application/json' },
  }
  return new Promise((resolve, reject) => {
    const sent = https.request(url, options, async (response) =>
      resolve([response.statusCode ?? 0, await text(response)]),
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('two processes for HTTP with TLS and tokens', () => {
  it('accept the token of a login on every connection, and nothing without', async () => {
    const users = path.join(temporaryDirectory(), 'users.toml')
    const password = bcrypt.hashSync('a word', 4)
    writeFileSync(users, `[Users.alice]\npassword = "${password}"\npermissions = ["eth:*", "web3:*"]\n`)
    const node = await startWithWorkers(
      2,
      '--quiet',
      '--rpc-http-authentication-enabled',
      `--rpc-http-authentication-credentials-file=${users}`,
      '--rpc-http-tls-enabled',
      `--rpc-http-tls-keystore-file=${path.join(TLS, 'server.p12')}`,
      `--rpc-http-tls-keystore-password-file=${path.join(TLS, 'password.txt')}`,
    )
    const [status, body] = await sendSecurely(`${node.url}/login`, '{"username":"alice","password":"a word"}')
    expect(status).toBe(200)
    const { token } = JSON.parse(body) as { token: string }
    const ask = (method: string, headers: Record<string, string>) =>
      sendSecurely(node.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method }), headers)
    const bearer = { authorization: `Bearer ${token}` }
    for (let i = 0; i < 4; i++) {
      expect(await ask('eth_chainId', bearer)).toEqual([200, expect.stringContaining('0x7a69')])
      expect(await ask('eth_accounts', bearer)).toEqual([200, expect.stringContaining(FROM)])
      expect((await ask('evm_mine', bearer))[0]).toBe(401)
      expect((await ask('eth_chainId', {}))[0]).toBe(401)
    }
    const wrong = '{"username":"alice","password":"another"}'
    expect((await sendSecurely(`${node.url}/login`, wrong))[0]).toBe(401)
    await node.stop()
  })
})
