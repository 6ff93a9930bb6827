// slow: slow password hashes
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync, inflateSync } from 'node:zlib'
import bcrypt from 'bcryptjs'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { createPublicClient, http } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type ListeningNode, type NodeFlags, startNode } from '../../../../../mod.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'isonode-access-'))
const usersFile = path.join(directory, 'users.toml')
const keyFile = path.join(directory, 'key.pem')
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })

beforeAll(async () => {
  const hash = bcrypt.hashSync('pa$$word', 4)
  writeFileSync(usersFile, `[Users.alice]\npassword = "${hash}"\npermissions = ["eth:*", "net:version"]\n`)
  writeFileSync(keyFile, await exportSPKI(publicKey))
})
afterAll(() => rmSync(directory, { recursive: true }))

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((node) => node.close()))
})

const log: string[] = []
async function start(flags: NodeFlags): Promise<ListeningNode> {
  const node = await startNode({ logLevel: 'trace', log: (entry) => void log.push(entry), flags })
  opened.push(node)
  return node
}

const withUsers = { rpcHttpAuthenticationEnabled: true, rpcHttpAuthenticationCredentialsFile: usersFile }
const withKey = {
  rpcHttpAuthenticationEnabled: true,
  rpcHttpAuthenticationJwtPublicKeyFile: keyFile,
  rpcHttpAuthenticationJwtAlgorithm: 'es256',
} as const

interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly bytes: Buffer
  readonly text: string
}

/** Without the headers that `fetch` adds. */
function send(
  url: string,
  body: string | undefined,
  headers: Record<string, string> = {},
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: body === undefined ? 'GET' : 'POST', headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

const call = (method: string, id = 1, params: unknown[] = []) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const signed = (permissions: readonly string[], lifeSeconds = 60) =>
  new SignJWT({ permissions })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime(Math.floor(Date.now() / 1000) + lifeSeconds)
    .sign(privateKey)

async function login(url: string, username: string, password: string): Promise<Answer> {
  return send(`${url}/login`, JSON.stringify({ username, password }))
}

const SECURITY = '[security] '
const securityLines = (): string[] =>
  log.flatMap((entry) =>
    entry.includes(SECURITY) ? [entry.slice(entry.indexOf(SECURITY) + SECURITY.length).trimEnd()] : [],
  )

const unauthorized = (id: number | null) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -40100, message: 'Unauthorized' } })

describe('authentication over HTTP', () => {
  it('logs refused logins and calls with address and user, without secrets, and not too many', async () => {
    log.length = 0
    const { url, wsUrl } = await start({
      ...withUsers,
      rpcWsAuthenticationEnabled: true,
      rpcWsAuthenticationCredentialsFile: usersFile,
    })
    const { token } = JSON.parse((await login(url, 'alice', 'pa$$word')).text) as { readonly token: string }
    await login(url, 'mallory\nx', 'guess')
    await send(url, call('admin_peers'))
    await send(url, call('net_listening'), bearer(token))
    await send(url, `[${call('debug_metrics')},${call('eth_chainId')}]`, bearer(token))
    const socket = new WebSocket(wsUrl)
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send(call('txpool_besuPendingTransactions'))
    await new Promise((resolve) => socket.once('message', resolve))
    socket.terminate()
    const refused = 'a call was refused: the caller lacks the permission client=127.0.0.1'
    expect(securityLines()).toEqual([
      'a login failed client=127.0.0.1 user="mallory\\nx" reason="wrong password"',
      refused,
      `${refused} user=alice method=net_listening`,
      `${refused} user=alice method=debug_metrics`,
      `${refused} method=txpool_besuPendingTransactions`,
    ])
    expect(log.join()).not.toContain('guess')
    const agent = new Agent({ keepAlive: true })
    for (let i = 0; i < 100; i++) await send(url, call('net_listening'), bearer(token), agent)
    agent.destroy()
    expect(securityLines()).toHaveLength(60)
  })

  it('exchanges a password for a token with the permissions of the user', async () => {
    const { url } = await start(withUsers)
    const { status, headers, text } = await login(url, 'alice', 'pa$$word')
    expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    const { token } = JSON.parse(text) as { readonly token: string }
    const statuses = await Promise.all(
      ['eth_chainId', 'net_version', 'net_listening', 'debug_metrics', 'eth_unknown'].map(async (method) => {
        const answer = await send(url, call(method), bearer(token))
        return [answer.status, JSON.parse(answer.text).error?.code]
      }),
    )
    expect(statuses).toEqual([
      [200, undefined],
      [200, undefined],
      [401, -40100],
      [401, -40100],
      [200, -32601],
    ])
    const client = createPublicClient({ transport: http(url, { fetchOptions: { headers: bearer(token) } }) })
    expect(await client.getBlockNumber()).toBe(0n)
    expect(log.filter((entry) => entry.includes(token) || entry.includes('pa$$word'))).toEqual([])
  })

  it('answers wrong passwords and unknown users alike, and refuses many attempts', async () => {
    const { url } = await start(withUsers)
    const answers = [await login(url, 'alice', 'wrong'), await login(url, 'bob', 'wrong'), await login(url, '', '')]
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [401, ''],
      [401, ''],
      [401, ''],
    ])
    expect((await send(`${url}/login`, '')).status).toBe(400)
    expect((await send(`${url}/login`, '{"username":')).status).toBe(400)
    expect((await send(`${url}/login`, 'x'.repeat(8193))).status).toBe(413)
    expect((await send(`${url}/login`, undefined)).status).toBe(405)
    expect((await send(`${url}/login`, '{}', { host: 'evil.example' })).status).toBe(403)
    for (let i = 0; i < 7; i++) await login(url, 'alice', 'wrong')
    const refused = await login(url, 'alice', 'pa$$word')
    expect([refused.status, Number(refused.headers['retry-after']) > 50]).toEqual([429, true])
  })

  it('has no login without users', async () => {
    for (const options of [{}, withKey]) {
      const { url } = await start(options)
      expect((await login(url, 'alice', 'pa$$word')).status).toBe(400)
    }
  })

  it('refuses a request without a token before its body is read', async () => {
    const { url } = await start(withKey)
    for (const headers of [{}, { authorization: 'Basic YTpi' }]) {
      const answer = await send(url, call('eth_chainId'), headers as Record<string, string>)
      expect([answer.status, answer.text]).toEqual([401, unauthorized(null)])
    }
    expect((await send(`${url}/?x`, call('eth_chainId'))).status).toBe(401)
    expect((await send(`${url}/liveness`, undefined)).status).toBe(200)
  })

  it('answers with the id after an invalid token, in a batch for each request', async () => {
    const { url } = await start(withKey)
    const expired = await signed(['*:*'], -1)
    const single = await send(url, call('eth_chainId', 7), bearer(expired))
    expect([single.status, single.text]).toEqual([401, unauthorized(7)])
    const token = await signed(['eth:chainId'])
    const batch = await send(url, `[${call('eth_chainId', 1)},${call('eth_gasPrice', 2)}]`, bearer(token))
    expect(batch.status).toBe(200)
    expect(JSON.parse(batch.text)).toMatchObject([
      { id: 1, result: '0x7a69' },
      { id: 2, error: { code: -40100 } },
    ])
    expect((await send(`${url}/?x`, call('eth_gasPrice', 3), bearer(token))).text).toBe(unauthorized(3))
  })

  it('serves the methods that need no token', async () => {
    const { url } = await start({ ...withKey, rpcHttpApiMethodsNoAuth: ['eth_chainId', 'net_version'] })
    expect((await send(url, call('eth_chainId'))).status).toBe(200)
    expect((await send(url, call('net_version'), bearer('x'))).status).toBe(200)
    const answer = await send(url, call('eth_gasPrice', 5))
    expect([answer.status, answer.text]).toEqual([401, unauthorized(5)])
  })

  it('opens every method that the node serves', async () => {
    const open = ['rpc_modules', 'eth_getBlockReceipts', 'txpool_status', 'perm_getNodesWhitelist', 'evm_mine']
    const { url } = await start({ ...withKey, rpcHttpApiMethodsNoAuth: open })
    expect(JSON.parse((await send(url, call('rpc_modules'))).text)).toHaveProperty('result.eth', '1.0')
    expect(JSON.parse((await send(url, call('evm_mine'))).text)).toHaveProperty('result')
    const answer = await send(url, call('eth_gasPrice', 5))
    expect([answer.status, answer.text]).toEqual([401, unauthorized(5)])
  })

  it('may name methods that this chain or version does not serve', async () => {
    const open = ['clique_getSigners', 'engine_getPayloadV1', 'eth_sendTransaction']
    await start({ ...withKey, rpcHttpApiMethodsNoAuth: open })
  })
})

/** Sends requests on one WebSocket. */
async function overWebSocket(url: string, bodies: readonly string[], headers = {}): Promise<unknown[]> {
  const socket = new WebSocket(url, { headers })
  const answers: unknown[] = []
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () => {
      for (const body of bodies) socket.send(body)
    })
    socket.on('message', (data) => {
      answers.push(JSON.parse(String(data)))
      if (answers.length === bodies.length) resolve()
    })
  })
  socket.close()
  return answers
}

describe('authentication over WebSocket', () => {
  const requests = [call('eth_chainId', 1), call('net_listening', 2)]

  it('applies to each message, with the token of the upgrade', async () => {
    const { url, wsUrl } = await start({
      rpcWsAuthenticationEnabled: true,
      rpcWsAuthenticationCredentialsFile: usersFile,
      rpcWsApiMethodsNoAuth: ['net_listening'],
      rpcWsPort: 0,
    })
    expect(await overWebSocket(wsUrl, requests)).toMatchObject([
      { id: 1, error: { code: -40100 } },
      { id: 2, result: true },
    ])
    expect((await send(url, call('eth_chainId'))).status).toBe(200)
    const wsPort = wsUrl.replace('ws', 'http')
    expect((await send(wsPort, '{}')).text).toBe("Websocket endpoint can't handle HTTP requests")
    expect((await login(wsPort, 'alice', 'wrong')).status).toBe(401)
    expect((await send(`${wsPort}/login`, '{}', { host: 'evil.example' })).status).toBe(403)
    const { token } = JSON.parse((await login(wsPort, 'alice', 'pa$$word')).text) as { readonly token: string }
    expect(await overWebSocket(wsUrl, requests, bearer(token))).toMatchObject([
      { id: 1, result: '0x7a69' },
      { id: 2, result: true },
    ])
  })

  it('needs the tokens of HTTP unless it has its own', async () => {
    const { wsUrl } = await start(withKey)
    expect(await overWebSocket(wsUrl, requests)).toMatchObject([
      { error: { code: -40100 } },
      { error: { code: -40100 } },
    ])
    const token = await signed(['eth:*'])
    expect(await overWebSocket(wsUrl, requests, bearer(token))).toMatchObject([
      { id: 1, result: '0x7a69' },
      { id: 2, error: { code: -40100 } },
    ])
  })
})

describe('faults of the files', () => {
  it.each<[NodeFlags, RegExp]>([
    [{ ...withUsers, rpcHttpAuthenticationCredentialsFile: '/absent' }, /cannot read \/absent/],
    [{ ...withUsers, rpcHttpAuthenticationCredentialsFile: keyFile }, /error occurred while parsing/],
    [{ ...withKey, rpcHttpAuthenticationJwtAlgorithm: 'rs256' }, /not a PEM public key for RS256/],
    [
      { ...withUsers, rpcHttpApiMethodsNoAuth: ['eth_chainId', 'eth_foo'] },
      /^Invalid value for option 'rpcHttpApiMethodsNoAuth', options must be valid RPC methods: got eth_foo$/,
    ],
    [
      { rpcWsApiMethodsNoAuth: ['net_bar'] },
      /^Invalid value for option 'rpcWsApiMethodsNoAuth', options must be valid RPC methods: got net_bar$/,
    ],
  ])('prevent the start: %#', async (flags, message) => {
    await expect(startNode({ flags })).rejects.toThrow(message)
  })
})

describe('the limit of requests per second', () => {
  it('applies to each connection and to each request of a batch', async () => {
    const { url, wsUrl } = await start({ rpcMaxRequestsPerSecond: 3 })
    const batch = `[${Array.from({ length: 5 }, (_, i) => call('eth_chainId', i)).join()}]`
    const refused = { error: { code: -32005, message: 'Too many requests' } }
    const outcome = [{ id: 0 }, { id: 1 }, { id: 2 }, { id: 3, ...refused }, { id: 4, ...refused }]
    for (const target of [url, `${url}/?x`]) {
      const answer = await send(target, batch)
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.text)).toMatchObject(outcome)
    }
    expect(
      await overWebSocket(
        wsUrl,
        [0, 1, 2, 3, 4].map((id) => call('eth_chainId', id)),
      ),
    ).toMatchObject(outcome)
  })

  it('answers a single request with status 429', async () => {
    const { url } = await start({ rpcMaxRequestsPerSecond: 1 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const first = await send(url, call('eth_chainId', 8), {}, agent)
    const second = await send(url, call('eth_chainId', 9), {}, agent)
    agent.destroy()
    const error = { code: -32005, message: 'Too many requests' }
    expect([first.status, second.status]).toEqual([200, 429])
    expect(second).toMatchObject({
      headers: { 'retry-after': '1' },
      text: JSON.stringify({ jsonrpc: '2.0', id: 9, error }),
    })
  })
})

describe('compression', () => {
  const block = call('eth_getBlockByNumber', 1, ['latest', false])

  it('is used for long answers when the client accepts it', async () => {
    const { url } = await start({ rpcHttpCompressionEnabled: true })
    const plain = await send(url, block)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const gzipped = await send(url, block, { 'accept-encoding': 'gzip, deflate, br' })
    expect(gzipped.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json' })
    expect(gunzipSync(gzipped.bytes).toString()).toBe(plain.text)
    expect(gzipped.bytes.length).toBeLessThan(plain.bytes.length)
    const deflated = await send(url, block, { 'accept-encoding': 'deflate' })
    expect(deflated.headers['content-encoding']).toBe('deflate')
    expect(inflateSync(deflated.bytes).toString()).toBe(plain.text)
    const short = await send(url, call('eth_chainId'), { 'accept-encoding': 'gzip' })
    expect(short.headers['content-encoding']).toBeUndefined()
    const refused = await send(url, block, { 'accept-encoding': 'gzip;q=0' })
    expect(refused.text).toBe(plain.text)
  })

  it('includes streamed answers', async () => {
    const node = await start({ rpcHttpCompressionEnabled: true })
    // A loop of 20,000 steps.
    const code = '0x614e205b6001900380600357'
    const params = [
      { to: `0x${'11'.repeat(20)}`, gas: '0x1000000' },
      'latest',
      { stateOverrides: { [`0x${'11'.repeat(20)}`]: { code } } },
    ]
    const trace = call('debug_traceCall', 1, params)
    const plain = await send(node.url, trace)
    expect([plain.headers['content-length'], plain.headers['content-encoding']]).toEqual([undefined, undefined])
    const gzipped = await send(node.url, trace, { 'accept-encoding': 'gzip' })
    expect(gzipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzipped.bytes).equals(plain.bytes)).toBe(true)
  }, 30_000)

  it('is off on the dev chain by default', async () => {
    const { url } = await start({})
    expect((await send(url, block, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined()
  })
})
