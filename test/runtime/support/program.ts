/** The node as a separate program. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { gunzipSync } from 'node:zlib'
import { hashSync } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../../support/host/eventually.ts'
import { answers, askUrl, expected, REPOSITORY, RUNTIME_CHAINS } from './chains.ts'

export interface RunningNode {
  readonly url: string
  /** The output so far. */
  readonly output: () => string
  signal(name: NodeJS.Signals): void
  /** @returns the exit code */
  stop(): Promise<number | null>
}

const LISTENING = /(?:JSON-RPC\s+|"http":\{"url":")(https?:\/\/[^\s"]+)/
const TLS = path.join(REPOSITORY, 'test/fixtures/tls/')
const START_TIMEOUT_MS = 60_000

/** Starts the program and waits until it serves HTTP. */
export function startNode(
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningNode> {
  const env = { ...process.env, ...environment }
  const child = spawn(command, args, { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'pipe'], env })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM')
    return exited
  }
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
  }
  const rest = { output: () => printed, signal: (name: NodeJS.Signals) => void child.kill(name), stop }
  return listening(child, exited).then(
    (url) => ({ url, ...rest }),
    async (error) => {
      child.kill('SIGKILL')
      throw error
    },
  )
}

function listening(child: ChildProcess, exited: Promise<number | null>): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`${child.spawnargs.join(' ')} ${reason}:\n${output}`))
    const timer = setTimeout(() => fail('does not serve'), START_TIMEOUT_MS)
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const url = LISTENING.exec(output)?.[1]
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', (error) => fail(error.message))
    exited.then((code) => {
      clearTimeout(timer)
      fail(`ended with ${code}`)
    })
  })
}

interface TlsAnswer {
  /** 0: disconnected without an answer. */
  readonly status: number
  readonly text: string
  readonly coding: string | undefined
}

function askTls(url: string, body: string, options: https.RequestOptions = {}): Promise<TlsAnswer> {
  return new Promise((resolve) => {
    const all = { method: 'POST', ca: readFileSync(`${TLS}server.crt`), agent: false as const, ...options }
    const request = https.request(url, all, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const coding = response.headers['content-encoding']
        const bytes = Buffer.concat(chunks)
        const text = (coding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
        resolve({ status: response.statusCode ?? 0, text, coding })
      })
    })
    request.on('error', () => resolve({ status: 0, text: '', coding: undefined }))
    request.end(body)
  })
}

/**
 * Tests that every runtime must pass as a program.
 * @param command runs `mod.ts`, without the node's options
 */
export function describeProgram(runtime: string, command: readonly string[]): void {
  describe(`mod.ts on ${runtime}`, () => {
    let directory = ''
    beforeAll(() => {
      directory = mkdtempSync(path.join(tmpdir(), 'isonode-runtime-'))
    })
    afterAll(() => rmSync(directory, { recursive: true, force: true }))

    it('runs the dev chain', async () => {
      const node = await startNode([...command, '--ephemeral', '--rpc-http-port=0'])
      try {
        const ask = askUrl(node.url)
        expect(await ask('eth_chainId', [])).toBe('0x7a69')
        expect(await ask('eth_blockNumber', [])).toBe('0x0')
        expect(await ask('eth_getBalance', ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'latest'])).toBe(
          '0x21e19e0c9bab2400000',
        )
        expect(await ask('web3_clientVersion', [])).toContain(`/${runtime}-v`)
      } finally {
        expect(await node.stop()).toBe(0)
      }
    })

    it('serves the explorer, which may call', async () => {
      execFileSync(process.execPath, ['adapters/server/build/pageBuild.mjs'], { cwd: REPOSITORY })
      const node = await startNode([...command, '--ephemeral', '--rpc-http-port=0', '--rpc-ws-port=0'])
      try {
        const page = await (await fetch(node.url, { headers: { accept: 'text/html' } })).text()
        const [, script = ''] = /src="(ui\/\w+\/core\.js)"/.exec(page) ?? []
        const file = await fetch(`${node.url}/${script}`)
        expect([file.status, file.headers.get('content-encoding')]).toEqual([
          200,
          expect.stringMatching(/^(?:br|gzip)$/),
        ])
        expect((await file.text()).length).toBeGreaterThan(10_000)
        const link = await fetch(`${node.url}/block/0`, { redirect: 'manual' })
        expect([link.status, link.headers.get('location')]).toEqual([302, '/#/block/0'])
        const opens = (origin: string): Promise<boolean> =>
          new Promise((resolve) => {
            const socket = new WebSocket(node.url.replace('http', 'ws'), { origin })
            socket.on('open', () => {
              resolve(true)
              socket.terminate()
            })
            socket.on('error', () => resolve(false))
          })
        expect([await opens(node.url), await opens('https://evil.example')]).toEqual([true, false])
      } finally {
        expect(await node.stop()).toBe(0)
      }
    })

    it('handles signals: SIGHUP changes the log level, SIGTERM stops it', async () => {
      const node = await startNode([...command, '--ephemeral', '--rpc-http-port=0', '--logging-format=json'])
      node.signal('SIGHUP')
      await eventually(() => expect(node.output()).toContain('"message":"the log level has changed"'))
      expect(await node.stop()).toBe(0)
      const lines = node.output().trimEnd().split('\n')
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 'INFO', category: 'isonode' })
      expect(lines.at(-1)).toContain('"message":"stopped"')
    })

    it('authenticates callers by tokens of its login, over TLS', async () => {
      const users = path.join(directory, 'users.toml')
      writeFileSync(users, `[Users.alice]\npassword = "${hashSync('secret', 4)}"\npermissions = ["eth:*"]\n`)
      const auth = ['--rpc-http-authentication-enabled', `--rpc-http-authentication-credentials-file=${users}`]
      const store = [`--rpc-http-tls-keystore-file=${TLS}server.p12`, '--rpc-http-compression-enabled']
      const password = `--rpc-http-tls-keystore-password-file=${TLS}password.txt`
      const tls = ['--rpc-http-tls-enabled', '--rpc-http-tls-protocols=TLSv1.3', ...store, password]
      const node = await startNode([...command, '--ephemeral', '--rpc-http-port=0', ...auth, ...tls])
      try {
        expect(node.url).toMatch(/^https:/)
        const login = async (given: string) =>
          await askTls(`${node.url}/login`, JSON.stringify({ username: 'alice', password: given }))
        expect((await login('wrong')).status).toBe(401)
        const { token } = JSON.parse((await login('secret')).text) as { readonly token: string }
        const call = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' }
        expect((await askTls(node.url, call('eth_chainId'))).status).toBe(401)
        expect((await askTls(node.url, call('net_version'), { headers })).status).toBe(401)
        expect(await askTls(node.url, call('eth_chainId'), { headers })).toMatchObject({
          text: '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}',
        })
        const block = await askTls(node.url, call('eth_getBlockByNumber', '0x0', false), { headers })
        expect([block.coding, JSON.parse(block.text).result.number]).toEqual(['gzip', '0x0'])
        expect((await askTls(node.url, call('eth_chainId'), { headers, maxVersion: 'TLSv1.2' })).status).toBe(0)
        expect(node.output()).not.toContain(token)
      } finally {
        expect(await node.stop()).toBe(0)
      }
    })

    it('checks the certificates of clients', async () => {
      const tls = ['--rpc-http-tls-enabled', '--rpc-http-tls-client-auth-enabled']
      const store = `--rpc-http-tls-keystore-file=${TLS}server.pem`
      const known = `--rpc-http-tls-known-clients-file=${TLS}knownClients.txt`
      const all = [...command, '--ephemeral', '--rpc-http-port=0', ...tls, store]
      // Bun's servers cannot read the certificates of clients.
      const lists = runtime === 'bun' ? [] : [known]
      if (runtime === 'bun') await expect(startNode([...all, known])).rejects.toThrow(/is not supported on Bun/)
      const authorities = { DENO_CERT: `${TLS}ca.pem`, NODE_EXTRA_CA_CERTS: `${TLS}ca.pem` }
      const node = await startNode([...all, ...lists, '--rpc-http-tls-ca-clients-enabled'], authorities)
      try {
        const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
        const statusOf = async (name: string) => {
          const certificate = readFileSync(`${TLS}${name}.pem`)
          return (await askTls(node.url, body, { cert: certificate, key: certificate })).status
        }
        expect(await statusOf('signed')).toBe(200)
        expect(await statusOf('known')).toBe(runtime === 'bun' ? 0 : 200)
        expect(await statusOf('unknown')).toBe(0)
        expect((await askTls(node.url, body)).status).toBe(0)
      } finally {
        expect(await node.stop()).toBe(0)
      }
    })

    it.each(RUNTIME_CHAINS)('imports $name, serves it, and still has it after a restart', async (chain) => {
      const data = path.join(directory, path.basename(chain.name))
      const options = [`--genesis-file=${chain.genesisFile}`, `--data-path=${data}`]
      const http = ['--rpc-http-enabled', '--rpc-http-port=0', '--p2p-enabled=false']
      const runs = [
        [...options, ...http, 'blocks', 'import', `--from=${chain.blocksFile}`, '--run'],
        [...options, ...http],
      ]
      for (const run of runs) {
        const node = await startNode([...command, ...run])
        try {
          expect(await answers(chain, askUrl(node.url))).toEqual(expected(chain))
        } finally {
          expect(await node.stop()).toBe(0)
        }
      }
    })
  })
}
