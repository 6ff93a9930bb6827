/**
 * Other clients as peers on loopback. They are installed by `../shared/peers/install.sh NAME` (or that of the folder ISONODE_PEERS)
 * into $PEERS_CACHE (default: .cache/peers); without them their tests are skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { expect, vi } from 'vitest'
import { type RunningNode, temporaryDirectory } from '../support/nodes/program.ts'
import { atEndOfFile } from '../support/rpc/endOfFile.ts'

export const PEERS = process.env['ISONODE_PEERS'] ?? path.resolve(import.meta.dirname, '../../../shared/peers')
export const PEERS_CACHE = path.resolve(process.env['PEERS_CACHE'] ?? '.cache/peers')
/** Characters of a program's output that are kept. */
const MAX_OUTPUT = 100_000
const START_LIMIT_MS = 60_000
const WAIT_LIMIT_MS = 60_000

/** Keys of accounts that the genesis files in {@link PEERS} fund. */
export const FIRST_KEY = '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63'
export const SECOND_KEY = '0xc87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3'

export interface RealPeer {
  readonly port: number
  readonly directory: string
  readonly enode: string
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  output(): string
  stop(): Promise<void>
}

/** A server of JSON-RPC: this node or another client. */
export type Answering = Pick<RealPeer | RunningNode, 'rpc'>

const running = new Set<ChildProcess>()
let nextPort = 20_000 + 10 * Math.floor(Math.random() * 1000)

atEndOfFile(async () => {
  await Promise.all([...running].map((child) => end(child, 'SIGKILL')))
})

/** Whether all of these are installed; names those that are not. */
export function isInstalled(...names: readonly string[]): boolean {
  const missing = names.filter((name) => !existsSync(path.join(PEERS_CACHE, name, '.done')))
  if (missing.length > 0) console.log(`skipped: ../shared/peers/install.sh ${missing.join(' ')} was not run`)
  return existsSync(PEERS) && missing.length === 0
}

/** A file of the folder with the genesis files that all peers know. */
export const genesisFile = (name: string): string => path.join(PEERS, 'genesis', name)

/** Ten free ports, as far as this run knows. */
export function freePorts(): number {
  nextPort += 10
  return nextPort
}

export interface PeerOptions {
  /** Another version of geth than the usual one of this kind. */
  readonly version?: string
  readonly genesis?: string
}

/** Starts a peer of a kind that `start.sh` knows. */
export async function startPeer(kind: string, { version, genesis }: PeerOptions = {}): Promise<RealPeer> {
  const port = freePorts()
  const directory = temporaryDirectory()
  const env = {
    ...process.env,
    PEERS_CACHE,
    ...(version === undefined ? {} : { GETH: version }),
    ...(genesis === undefined ? {} : { GENESIS: genesis }),
  }
  return listening(run('bash', [path.join(PEERS, 'start.sh'), kind, directory, `${port}`], env), port, directory)
}

/**
 * Starts a geth with a chain of proof of stake.
 * @param chain file with blocks to import; without it, geth fetches blocks and the state of its head from its peers
 */
export async function startGeth(version: string, genesis: string, chain?: string): Promise<RealPeer> {
  const port = freePorts()
  const directory = temporaryDirectory()
  const geth = path.join(PEERS_CACHE, `geth-${version}/bin/geth`)
  await runToEnd(geth, ['--datadir', directory, 'init', genesis])
  if (chain !== undefined) await runToEnd(geth, ['--datadir', directory, 'import', chain])
  writeFileSync(path.join(directory, 'jwt'), 'a5'.repeat(32))
  const network = ['--networkid', '1337', '--nodiscover', '--nat', 'none', '--port', `${port}`]
  const http = ['--http', '--http.port', `${port + 1}`, '--http.api', 'eth,net,admin,debug']
  const engine = ['--authrpc.port', `${port + 2}`, '--authrpc.jwtsecret', path.join(directory, 'jwt')]
  const mode = chain === undefined ? 'snap' : 'full'
  const all = ['--datadir', directory, '--ipcdisable', '--syncmode', mode, ...network, ...http, ...engine]
  return listening(run(geth, all), port, directory)
}

/** Waits until a geth answers. */
async function listening({ child, output }: StartedProgram, port: number, directory: string): Promise<RealPeer> {
  const url = `http://127.0.0.1:${port + 1}`
  const info = await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the peer ended: ${output()}`)
      return rpcAsJson<{ enode: string }>(url, 'admin_nodeInfo')
    },
    { timeout: START_LIMIT_MS, interval: 100 },
  )
  return {
    port,
    directory,
    enode: info.enode,
    rpc: (method, params) => rpcAsJson(url, method, params),
    output,
    stop: () => end(child, 'SIGTERM'),
  }
}

/** geth wants a content type. */
export async function rpcAsJson<T>(url: string, method: string, params: readonly unknown[] = []): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

export interface StartedProgram {
  readonly child: ChildProcess
  readonly output: () => string
}

/** Starts a program that is stopped after the test file. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): StartedProgram {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed = (printed + chunk).slice(-MAX_OUTPUT)
    })
  }
  return { child, output: () => printed }
}

/** Runs a program to its end. @throws when it fails */
export async function runToEnd(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const { child, output } = run(command, args, env)
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${output()}`)
  return output()
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}

/** Waits until the check passes. */
export function soon<T>(check: () => T | Promise<T>, limitMs = WAIT_LIMIT_MS): Promise<T> {
  return vi.waitFor(check, { timeout: limitMs, interval: 200 })
}

export const height = async (node: Answering): Promise<number> => Number(await node.rpc('eth_blockNumber'))

export async function hashAt(node: Answering, number: number): Promise<string | undefined> {
  const block = await node.rpc<{ hash: string } | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
  return block?.hash
}

export async function enodeOf(node: Answering): Promise<string> {
  return (await node.rpc<{ enode: string }>('admin_nodeInfo')).enode
}

export async function waitForHeight(node: Answering, number: number, limitMs?: number): Promise<void> {
  await soon(async () => expect(await height(node)).toBeGreaterThanOrEqual(number), limitMs)
}

/** Waits until all have the same block at this height. */
export async function expectOneBlock(nodes: readonly Answering[], number: number, limitMs?: number): Promise<string> {
  return soon(async () => {
    const hashes = await Promise.all(nodes.map((node) => hashAt(node, number)))
    expect(hashes[0]).toBeDefined()
    expect(new Set(hashes).size).toBe(1)
    return hashes[0] as string
  }, limitMs)
}
