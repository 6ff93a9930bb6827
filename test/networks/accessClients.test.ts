/** curl, viem and Go's net/http against the built node, with tokens and client certificates. */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import bcrypt from 'bcryptjs'
import { createPublicClient, http } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { type RunningCommand, startCommand, temporaryDirectory } from '../support/nodes/program.ts'

const fixtures = path.resolve(import.meta.dirname, '../fixtures')
const tls = (name: string): string => path.join(fixtures, 'tls', name)
const SERVER = tls('server.crt')
const CHAIN_ID = '200 {"jsonrpc":"2.0","id":1,"result":"0x7a69"}'
const BLOCK = '200 {"data":{"block":{"number":0}}}'
const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const QUERY = '{"query":"{ block { number } }"}'
const JSON_TYPE = { 'content-type': 'application/json' }

let node: RunningCommand
let url = ''
let graphqlUrl = ''

beforeAll(async () => {
  const users = path.join(temporaryDirectory(), 'users.toml')
  const user = (name: string, permission: string): string =>
    `[Users.${name}]\npassword = "${bcrypt.hashSync(`${name}'s word`, 4)}"\npermissions = ["${permission}"]\n`
  writeFileSync(users, user('alice', 'eth:*') + user('bob', 'net:*'))
  node = startCommand([
    '--ephemeral',
    '--rpc-http-port=0',
    '--graphql-http-enabled',
    '--graphql-http-port=0',
    '--rpc-http-authentication-enabled',
    `--rpc-http-authentication-credentials-file=${users}`,
    '--rpc-http-tls-enabled',
    `--rpc-http-tls-keystore-file=${tls('server.p12')}`,
    `--rpc-http-tls-keystore-password-file=${tls('password.txt')}`,
    '--rpc-http-tls-client-auth-enabled',
    `--rpc-http-tls-known-clients-file=${tls('knownClients.txt')}`,
  ])
  let printed = ''
  const found = new Promise<void>((resolve) => {
    node.child.stdout?.on('data', (chunk: string) => {
      printed += chunk
      graphqlUrl = /https:\/\/[\d.]+:\d+\/graphql/.exec(printed)?.[0] ?? ''
      url = /https:\/\/[\d.]+:\d+(?=\s)/.exec(printed)?.[0] ?? ''
      if (graphqlUrl !== '' && url !== '') resolve()
    })
  })
  await Promise.race([
    found,
    node.ended.then(({ stderr }) => {
      throw new Error(`the node ended: ${stderr}`)
    }),
  ])
}, 40_000)

interface Answer {
  readonly status: number
  readonly text: string
}

/** @param certificate name of the client's certificate; undefined: none */
function send(target: string, body: string, headers: Record<string, string>, certificate?: string): Promise<Answer> {
  const pair = certificate && readFileSync(tls(`${certificate}.pem`))
  const options = { method: 'POST', agent: false as const, ca: readFileSync(SERVER), headers }
  return new Promise((resolve, reject) => {
    const sent = https.request(target, { ...options, ...(pair && { cert: pair, key: pair }) }, async (response) => {
      resolve({ status: response.statusCode ?? 0, text: String(await buffer(response)) })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function login(name: string): Promise<string> {
  const body = JSON.stringify({ username: name, password: `${name}'s word` })
  return JSON.parse((await send(`${url}/login`, body, JSON_TYPE, 'known')).text).token
}

function isInstalled(tool: string, argument: string): boolean {
  try {
    execFileSync(tool, [argument], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** @returns the output; exit codes are those of refused connections */
function output(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: 150_000 }, (_error, stdout) => resolve(stdout.trim()))
  })
}

describe('curl', () => {
  const hasCurl = isInstalled('curl', '--version')
  const curl = (target: string, body: string, ...more: string[]): Promise<string> => {
    const common = ['--silent', '--cacert', SERVER, '--header', 'content-type: application/json']
    return output('curl', [...common, '--data', body, ...more, '--write-out', ' %{http_code}', target])
  }
  const certificate = (name: string): string[] => ['--cert', tls(`${name}.pem`)]
  const withStatus = (answer: string): string => answer.replace(/^(\d+) (.*)$/, '$2 $1')

  it('logs in and calls', needsTool('curl', hasCurl), async () => {
    const credentials = JSON.stringify({ username: 'alice', password: "alice's word" })
    const loggedIn = await curl(`${url}/login`, credentials, ...certificate('known'))
    const token = /"token":"([^"]+)"/.exec(loggedIn)?.[1]
    const bearer = ['--header', `authorization: Bearer ${token}`]
    expect(await curl(url, REQUEST, ...certificate('known'), ...bearer)).toBe(withStatus(CHAIN_ID))
    expect(await curl(graphqlUrl, QUERY, ...certificate('known'), ...bearer)).toBe(withStatus(BLOCK))
    for (const target of [url, graphqlUrl]) {
      const body = target === url ? REQUEST : QUERY
      expect(await curl(target, body, ...certificate('known'))).toMatch(/Unauthorized.* 401$/)
      expect(await curl(target, body, ...certificate('unknown'), ...bearer)).toBe('000')
      expect(await curl(target, body, ...bearer)).toBe('000')
      const old = ['--tlsv1.0', '--tls-max', '1.1', '--ciphers', 'DEFAULT@SECLEVEL=0']
      expect(await curl(target, body, ...certificate('known'), ...bearer, ...old)).toBe('000')
    }
  })
})

describe('viem', () => {
  /** `fetch` of Node has no option for certificates. */
  const over = (certificate: string | undefined) => async (_: unknown, init?: RequestInit) => {
    const headers = Object.fromEntries(new Headers(init?.headers))
    const { status, text } = await send(url, String(init?.body), headers, certificate)
    return new Response(text, { status, headers: JSON_TYPE })
  }
  const client = (token: string, certificate: string | undefined) => {
    const fetchOptions = { headers: { authorization: `Bearer ${token}` } }
    return createPublicClient({ transport: http(url, { fetchOptions, retryCount: 0, fetchFn: over(certificate) }) })
  }

  it('calls with a token and a certificate', async () => {
    const token = await login('alice')
    expect(await client(token, 'known').getChainId()).toBe(31337)
    await expect(client(token, 'unknown').getChainId()).rejects.toThrow()
    await expect(client(token, undefined).getChainId()).rejects.toThrow()
    await expect(client(await login('bob'), 'known').getChainId()).rejects.toThrow(/Unauthorized|401/)
    await expect(client('forged', 'known').getChainId()).rejects.toThrow(/Unauthorized|401/)
  })
})

describe('Go', () => {
  const hasGo = isInstalled('go', 'version')

  it('calls with a token and a certificate', { timeout: 180_000, ...needsTool('Go', hasGo) }, async () => {
    const program = path.join(temporaryDirectory(), 'client')
    await output('go', ['build', '-o', program, path.join(fixtures, 'clients/client.go')])
    const go = async (certificate: string, token: string): Promise<string[]> =>
      (await output(program, [url, graphqlUrl, SERVER, certificate, token])).split('\n')
    const [alice, bob] = [await login('alice'), await login('bob')]
    expect(await go(tls('known.pem'), alice)).toEqual([CHAIN_ID, BLOCK])
    for (const token of ['', 'forged', bob]) {
      const refused = await go(tls('known.pem'), token)
      expect(refused).toEqual([expect.stringMatching(/^401 .*-40100/), expect.stringMatching(/^401 .*-40100/)])
    }
    expect(await go(tls('unknown.pem'), alice)).toEqual(['disconnected', 'disconnected'])
    expect(await go('', alice)).toEqual(['disconnected', 'disconnected'])
  })
})
