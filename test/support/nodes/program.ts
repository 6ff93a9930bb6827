/**
 * The built program as a user runs it: commands and serving nodes. All processes and files are removed after the test
 * file.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { atEndOfFile } from '../rpc/endOfFile.ts'

const repository = path.resolve(import.meta.dirname, '../../..')
const SERVER = path.join(repository, 'dist/server.js')
const DENO = findDeno(path.join(repository, 'node_modules/@deno'))
const START_TIMEOUT_MS = 30_000

export type ProgramRuntime = 'node' | 'deno'

export interface Ended {
  /** null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: string
}

export interface RunningNode {
  readonly url: string
  readonly pid: number
  /** The output so far. */
  readonly output: () => string
  /** @throws {RpcError} when the answer is an error */
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  /** Stops by SIGTERM, like a service manager. */
  stop(): Promise<Ended>
  /** SIGKILL */
  kill(): Promise<Ended>
}

export class RpcError extends Error {
  readonly code: number
  readonly data: string | undefined

  constructor({ code, message, data }: RpcFailure) {
    super(message)
    this.code = code
    this.data = data
  }
}

const running = new Set<ChildProcess>()
const directories: string[] = []

atEndOfFile(async () => {
  await Promise.all([...running].map((child) => ended(child, () => child.kill('SIGKILL'))))
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'isonode-e2e-'))
  directories.push(directory)
  return directory
}

/** The binary itself, because the wrapper in node_modules/.bin does not forward signals. */
function findDeno(packages: string): string | undefined {
  if (!existsSync(packages)) return undefined
  return readdirSync(packages)
    .map((name) => path.join(packages, name, 'deno'))
    .find((file) => existsSync(file))
}

/** The runtimes of the program under test: Node, or Deno in a run of `test/runtime/vitest.config.ts`. */
export const RUNTIMES: readonly ProgramRuntime[] = [process.env['ISONODE_TEST_RUNTIME'] === 'deno' ? 'deno' : 'node']

function commandLine(runtime: ProgramRuntime): readonly [string, ...string[]] {
  if (!existsSync(SERVER)) throw new Error('there is no dist/server.js; run npm run build')
  if (runtime === 'node') return [process.execPath, SERVER]
  if (DENO === undefined) throw new Error('deno is not installed')
  return [DENO, 'run', '-A', '--node-modules-dir=manual', path.join(repository, 'mod.ts')]
}

/** Excludes options of the test environment from the node under test. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:ISONODE|BESU|PANTHEON|VITEST)/.test(name))
  return { ...Object.fromEntries(own), NO_COLOR: '1' }
}

export interface ProgramOptions {
  /** Time until a node serves. Default: 30 seconds. */
  readonly startTimeoutMs?: number
  readonly runtime?: ProgramRuntime
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** Starts a command without waiting for it to end. */
export function startCommand(args: readonly string[], options: ProgramOptions = {}): RunningCommand {
  const { runtime = 'node', cwd = repository, env = {} } = options
  const [command, ...before] = commandLine(runtime)
  const child = spawn(command, [...before, ...args], {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  }
  const end = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal, ...text })
    })
  })
  return { child, ended: end }
}

/** Runs a command to its end. */
export function runCommand(args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return startCommand(args, options).ended
}

/** Options that select another chain than the dev chain, or configure WebSockets explicitly. */
const WITHOUT_FREE_PORT = /^--(?:network|genesis-file|config-file|rpc-ws-\w+)(?:=|$)/

/** A chain whose nodes have peers, and options that say where. */
const WITH_PEERS = /^--(?:network|genesis-file)(?:=|$)/
const WITHOUT_PEER_PORT = /^--(?:dev|p2p-\w+|discovery-\w+)(?:=|$)/
const FREE_PEER_PORT = ['--p2p-interface=127.0.0.1', '--p2p-port=0', '--discovery-enabled=false']

/** Starts a node on free ports and waits until it is serving. */
export async function startNode(args: readonly string[], options: ProgramOptions = {}): Promise<RunningNode> {
  const webSocket = args.some((arg) => WITHOUT_FREE_PORT.test(arg)) ? [] : ['--rpc-ws-port=0']
  const hasPeers = args.some((arg) => WITH_PEERS.test(arg)) && !args.some((arg) => WITHOUT_PEER_PORT.test(arg))
  const peers = hasPeers ? FREE_PEER_PORT : []
  const command = startCommand([...args, '--rpc-http-enabled', '--rpc-http-port=0', ...webSocket, ...peers], options)
  const { child } = command
  let printed = ''
  child.stderr?.on('data', (chunk: string) => {
    printed += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${why}: ${printed}`))
    const timer = setTimeout(() => fail('the node does not serve'), options.startTimeoutMs ?? START_TIMEOUT_MS)
    let banner = ''
    child.stdout?.on('data', (chunk: string) => {
      printed += chunk
      banner += chunk
      const match = /https?:\/\/[^\s"]+:\d+/.exec(banner)
      if (match === null) return
      clearTimeout(timer)
      resolve(match[0])
    })
    child.once('close', () => {
      clearTimeout(timer)
      fail('the node ended')
    })
  })
  return {
    url,
    pid: child.pid as number,
    output: () => printed,
    rpc: (method, params) => rpc(url, method, params),
    stop: () => endBy(command, 'SIGTERM'),
    kill: () => endBy(command, 'SIGKILL'),
  }
}

function endBy({ child, ended: end }: RunningCommand, signal: NodeJS.Signals): Promise<Ended> {
  child.kill(signal)
  return end
}

function ended(child: ChildProcess, end: () => void): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve())
    end()
  })
}

/** Sends one request. @throws {RpcError} when the answer is an error */
export async function rpc<T = unknown>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  signal?: AbortSignal,
): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', body, ...(signal === undefined ? {} : { signal }) })
  const answer = (await response.json()) as { result: T; error?: RpcFailure }
  if (answer.error !== undefined) throw new RpcError(answer.error)
  return answer.result
}
