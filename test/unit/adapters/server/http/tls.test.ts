// slow: many handshakes
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import https from 'node:https'
import { createConnection } from 'node:net'
import path from 'node:path'
import { connect, type SecureVersion } from 'node:tls'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type ListeningNode, type NodeFlags, startNode } from '../../../../../mod.ts'
import { eventually } from '../../../../support/host/eventually.ts'
import { notOnBun, notOnDeno } from '../../../../support/host/needs.ts'
import { isBun } from '../../../../support/host/runtime.ts'
import { openDevNode } from '../../../../support/nodes/devNodeInMemory.ts'

const folder = path.resolve(import.meta.dirname, '../../../../fixtures/tls')
const file = (name: string) => path.join(folder, name)
const read = (name: string) => readFileSync(file(name))

const opened: { close(): Promise<void> }[] = []
/** On Deno, a node waits for connections that a client has left. The next test does not. */
const closing: Promise<void>[] = []
afterEach(() => {
  closing.push(...opened.splice(0).map((node) => node.close()))
})
afterAll(async () => {
  await Promise.all(closing)
})

const withPem = { rpcHttpTlsEnabled: true, rpcHttpTlsKeystoreFile: file('server.pem') }
const withPkcs12 = {
  rpcHttpTlsEnabled: true,
  rpcHttpTlsKeystoreFile: file('server.p12'),
  rpcHttpTlsKeystorePasswordFile: file('password.txt'),
}
const withKnownClients = {
  ...withPem,
  rpcHttpTlsClientAuthEnabled: true,
  rpcHttpTlsKnownClientsFile: file('knownClients.txt'),
}

const log: string[] = []
const refusals = (): string[] => log.filter((entry) => entry.includes('refused because of its certificate'))

async function start(flags: NodeFlags): Promise<ListeningNode> {
  log.length = 0
  const node = await startNode({ flags, log: (entry) => void log.push(entry) })
  opened.push(node)
  return node
}

const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const result = '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}'

/** @returns the body, or `disconnected` */
function ask(url: string, options: https.RequestOptions = {}): Promise<string> {
  return new Promise((resolve) => {
    const all = { method: 'POST', ca: read('server.crt'), agent: false as const, ...options }
    const sent = https.request(url, all, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve(text))
    })
    sent.on('error', () => resolve('disconnected'))
    sent.end(options.method === 'GET' ? undefined : body)
  })
}

const client = (name: string) => ({ cert: read(`${name}.pem`), key: read(`${name}.pem`) })

describe('TLS', () => {
  it.each([
    ['PEM', withPem],
    ['PKCS#12', withPkcs12],
  ])('serves HTTP and WebSockets with a key store in the form %s', async (_form, options) => {
    const { url, wsUrl } = await start(options)
    expect([url, wsUrl]).toEqual([expect.stringMatching(/^https:/), url.replace('https', 'wss')])
    expect(await ask(url)).toBe(result)
    expect(await ask(`${url}/liveness`, { method: 'GET' })).toBe('{"status":"UP"}')
    expect(await ask(url, { headers: { host: 'evil.example' }, servername: 'localhost' })).toContain(
      'Host not authorized.',
    )
    const socket = new WebSocket(wsUrl, { ca: read('server.crt') })
    socket.on('open', () => socket.send(body))
    expect(String(await new Promise((resolve) => socket.once('message', resolve)))).toBe(result)
    socket.terminate()
  })

  it('answers no request without TLS', async () => {
    const { url } = await start(withPem)
    const error = await new Promise((resolve) => {
      const sent = request(url.replace('https', 'http'), { method: 'POST', agent: false }, () => resolve('answered'))
      sent.on('error', (cause: NodeJS.ErrnoException) => resolve(cause.code))
      sent.end(body)
    })
    expect(error).not.toBe('answered')
  })

  // A client on Bun does not choose versions.
  it.each<[SecureVersion, readonly string[], boolean]>([
    ['TLSv1.1', ['TLSv1.3', 'TLSv1.2'], false],
    ['TLSv1.1', ['TLSv1.1', 'TLSv1.2'], false],
    ['TLSv1.2', ['TLSv1.3', 'TLSv1.2'], true],
    ['TLSv1.2', ['TLSv1.3'], false],
    ['TLSv1.3', ['TLSv1.2'], false],
  ])('a client with %s and the versions %j: %s', notOnBun, async (version, names, isConnected) => {
    const { url } = await start({ ...withPem, rpcHttpTlsProtocols: names })
    const { port } = new URL(url)
    const options = {
      minVersion: version,
      maxVersion: version,
      ciphers: 'DEFAULT@SECLEVEL=0',
      rejectUnauthorized: false,
    }
    const outcome = await new Promise((resolve) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', ...options }, () => resolve(socket.getProtocol()))
      socket.on('error', () => resolve('refused'))
      socket.once('secureConnect', () => socket.destroy())
    })
    expect(outcome).toBe(isConnected ? version : 'refused')
  })

  it('limits the cipher suites', notOnDeno, async () => {
    const { url } = await start({ ...withPem, rpcHttpTlsCipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'] })
    expect(await ask(url, { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).toBe(result)
    expect(await ask(url, { ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' })).toBe('disconnected')
    expect(await ask(url, { minVersion: 'TLSv1.3' })).toBe('disconnected')
  })

  // A server on Bun does not report connections before their handshake.
  it('closes while a handshake has not ended', { timeout: 20_000, ...notOnBun }, async () => {
    const { url, close } = await start(withPem)
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    await close()
    await closed
  })
})

describe('client certificates', () => {
  it('must be listed by name and fingerprint', notOnBun, async () => {
    const { url } = await start(withKnownClients)
    expect(await ask(url, client('known'))).toBe(result)
    expect(await ask(url, client('unknown'))).toBe('disconnected')
    expect(refusals()).toEqual([expect.stringMatching(/ client=127\.0\.0\.1 reason="it has no known certificate"/)])
    expect(await ask(url, client('signed'))).toBe('disconnected')
    expect(await ask(url)).toBe('disconnected')
    expect(await ask(`${url}/liveness`, { method: 'GET' })).toBe('disconnected')
  })

  it('are recognised when a session is resumed', notOnBun, async () => {
    const { url } = await start(withKnownClients)
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const agent = new https.Agent({ keepAlive: false })
      for (let i = 0; i < 3; i++) expect(await ask(url, { ...client('known'), agent, maxVersion })).toBe(result)
      agent.destroy()
    }
  })

  it('protect WebSockets on the same port', notOnBun, async () => {
    const { wsUrl } = await start(withKnownClients)
    const outcome = (options: object) =>
      new Promise((resolve) => {
        const socket = new WebSocket(wsUrl, { ca: read('server.crt'), ...options })
        socket.on('open', () => socket.terminate())
        socket.on('open', () => resolve('open'))
        socket.on('error', () => resolve('refused'))
      })
    expect(await outcome(client('known'))).toBe('open')
    expect(await outcome(client('unknown'))).toBe('refused')
  })

  it('of unknown authorities are refused when authorities are trusted', async () => {
    const { url } = await start({ ...withPem, rpcHttpTlsClientAuthEnabled: true, rpcHttpTlsCaClientsEnabled: true })
    for (const name of ['known', 'signed']) expect(await ask(url, client(name))).toBe('disconnected')
    // The server may notice the end of the handshake after the client.
    if (!isBun) await eventually(() => expect(refusals()).toHaveLength(2))
    expect(await ask(url)).toBe('disconnected')
  })
})

describe('faults', () => {
  it.each<[NodeFlags, RegExp]>([
    [{ ...withPem, rpcHttpTlsKeystoreFile: '/absent' }, /option 'rpcHttpTlsKeystoreFile': cannot read \/absent/],
    [{ ...withPem, rpcHttpTlsKeystoreFile: file('server.crt') }, /^Unable to load the key store/],
    [
      { ...withPem, rpcHttpTlsKeystoreFile: file('server.p12') },
      /^File containing password to unlock keystore.*\nAdd rpcHttpTlsKeystorePasswordFile\.$/,
    ],
    [
      { ...withPem, rpcHttpTlsKeystoreFile: file('password.txt') },
      /password\.txt is neither PKCS#12 nor PEM with a certificate and its key$/,
    ],
    [{ ...withPkcs12, rpcHttpTlsKeystorePasswordFile: file('ca.pem') }, /^Unable to load the key store/],
    [{ ...withPem, rpcHttpTlsProtocols: ['TLSv1.1'] }, /^No valid TLS protocols specified/],
    [{ ...withPem, rpcHttpTlsCipherSuites: ['x'] }, /^Invalid TLS cipher suite specified x/],
    [
      { ...withKnownClients, rpcHttpTlsKnownClientsFile: file('ca.pem') },
      isBun ? /is not supported on Bun/ : /^line 1 of the known clients file/,
    ],
    [{ rpcHttpTlsEnabled: true }, /^Keystore file is required when TLS is enabled/],
  ])('prevent the start: %#', async (flags, message) => {
    await expect(startNode({ flags })).rejects.toThrow(message)
  })

  it.each<Parameters<typeof openDevNode>[0]>([
    { 'rpc-http-tls-enabled': true },
    { 'rpc-http-authentication-enabled': true },
    { 'rpc-ws-authentication-enabled': true },
  ])('no protection is ignored on a host without it: %j', async (options) => {
    await expect(openDevNode(options)).rejects.toThrow(/is not supported on this host$/)
  })
})
