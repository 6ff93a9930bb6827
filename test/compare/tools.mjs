/** The compared dev tools: how each is started with options of a common name, called, and stopped. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import WebSocket from 'ws'

const root = path.resolve(import.meta.dirname, '../..')
const START_LIMIT_MS = 60_000
const CALL_LIMIT_MS = 20_000
const STOP_LIMIT_MS = 5_000
/** Below the range from which systems assign ports: no other socket takes a port before the tool does. */
const FIRST_PORT = 20_000
const PORTS = 12_000
const usedPorts = new Set()

const cached = (file) => path.join(root, '.cache', file)
const ANVIL = cached(
  `foundry/node_modules/@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}/bin/anvil`,
)
export const HARDHAT_2 = cached('hardhat/node_modules')
export const HARDHAT_3 = cached('hardhat3/node_modules')
/** Hardhat 3 needs a newer Node than this project. */
export const NODE_22 = cached('node22/node_modules/node/bin/node')
const GANACHE = cached('ganache/node_modules/ganache/dist/node/cli.js')
export const GANACHE_PACKAGES = cached('ganache/node_modules')
const SERVER = path.join(root, 'dist/server.js')
/** The library for programs that run the node. */
export const LIBRARY = path.join(root, 'dist/mod.js')

/** The version in a package's description. */
const versionIn = (folder) => () => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).version

/** Common option name → arguments; undefined: the tool has no such option. */
const names = (map) => (options) => Object.entries(options).flatMap(([key, value]) => map[key]?.(value) ?? [])
const flag = (name) => (value) => (value === true ? [name] : [`${name}=${value}`])

/** The same names in isonode and anvil. */
const COMMON = {
  port: flag('--port'),
  host: flag('--host'),
  chainId: flag('--chain-id'),
  accounts: flag('--accounts'),
  balance: flag('--balance'),
  mnemonic: flag('--mnemonic'),
  derivationPath: flag('--derivation-path'),
  gasLimit: flag('--gas-limit'),
  baseFee: flag('--block-base-fee-per-gas'),
  codeSizeLimit: flag('--code-size-limit'),
  autoImpersonate: flag('--auto-impersonate'),
  noMining: flag('--no-mining'),
  silent: flag('--silent'),
  dumpState: flag('--dump-state'),
  loadState: flag('--load-state'),
  fork: flag('--fork-url'),
  timestamp: flag('--timestamp'),
  number: flag('--number'),
  slotsInAnEpoch: flag('--slots-in-an-epoch'),
  mixedMining: (seconds) => ['--mixed-mining', `--block-time=${seconds}`],
  configOut: flag('--config-out'),
  ipc: flag('--ipc'),
  noCors: flag('--no-cors'),
  seed: flag('--mnemonic-seed-unsafe'),
  noPriorityFee: flag('--disable-min-priority-fee'),
  noGasLimit: flag('--disable-block-gas-limit'),
  noCodeSizeLimit: flag('--disable-code-size-limit'),
  json: flag('--json'),
}
const ISONODE = {
  ...COMMON,
  unlimitedGas: flag('--allow-unlimited-gas'),
  genesis: (file) => ['--dev', `--genesis-file=${file}`],
  dataPath: flag('--data-path'),
  predeploys: flag('--predeploys'),
  failOnRevert: flag('--fail-on-revert'),
  noCors: () => ['--rpc-http-cors-origins=none'],
  graphql: (port) => ['--graphql-http-enabled', `--graphql-http-port=${port}`],
  artifacts: (folder) => [`--abi=${folder}`],
}
const ANVIL_OPTIONS = {
  ...COMMON,
  unlimitedGas: () => [],
  // Without the chain id, transactions of its own accounts are refused.
  genesis: (file) => [`--init=${file}`, '--chain-id=4242'],
  dataPath: (folder) => [`--state=${path.join(folder, 'state.json')}`],
}
const GANACHE_OPTIONS = {
  port: flag('--server.port'),
  host: flag('--server.host'),
  chainId: flag('--chain.chainId'),
  accounts: flag('--wallet.totalAccounts'),
  balance: flag('--wallet.defaultBalance'),
  mnemonic: flag('--wallet.mnemonic'),
  derivationPath: flag('--wallet.hdPath'),
  gasLimit: flag('--miner.blockGasLimit'),
  silent: flag('--logging.quiet'),
  codeSizeLimit: () => ['--chain.allowUnlimitedContractSize'],
  unlimitedGas: (value) => (value ? ['--miner.blockGasLimit=100000000'] : []),
  dataPath: flag('--database.dbPath'),
  fork: flag('--fork.url'),
  failOnRevert: flag('--chain.vmErrorsOnRPCResponse'),
  timestamp: (seconds) => [`--chain.time=${new Date(seconds * 1000).toISOString()}`],
  noCodeSizeLimit: flag('--chain.allowUnlimitedContractSize'),
}
/** Hardhat takes them from its configuration; host, port and nothing else from the command line. */
const HARDHAT_CONFIG = {
  chainId: (value) => ({ chainId: value }),
  accounts: (count) => ({ accounts: { count } }),
  balance: (ether) => ({ accounts: { accountsBalance: `${ether}${'0'.repeat(18)}` } }),
  mnemonic: (mnemonic) => ({ accounts: { mnemonic } }),
  derivationPath: (text) => ({ accounts: { path: text } }),
  gasLimit: (value) => ({ blockGasLimit: value }),
  baseFee: (value) => ({ initialBaseFeePerGas: value }),
  codeSizeLimit: () => ({ allowUnlimitedContractSize: true }),
  noMining: () => ({ mining: { auto: false, interval: 0 } }),
  silent: () => ({ loggingEnabled: false }),
  fork: (url) => ({ forking: { url } }),
  // The default.
  failOnRevert: () => ({ throwOnTransactionFailures: true }),
  timestamp: (seconds) => ({ initialDate: new Date(seconds * 1000).toISOString() }),
  mixedMining: (seconds) => ({ mining: { auto: true, interval: seconds * 1000 } }),
  noCodeSizeLimit: () => ({ allowUnlimitedContractSize: true }),
  noPriorityFee: () => ({ minGasPrice: 0 }),
  artifacts: () => ({}),
}

function hardhatNetwork(options) {
  const network = { chainId: 31337 }
  for (const [key, value] of Object.entries(options)) {
    const { accounts, ...fields } = HARDHAT_CONFIG[key]?.(value) ?? {}
    Object.assign(network, fields)
    if (accounts !== undefined) network.accounts = { ...network.accounts, ...accounts }
  }
  return network
}

const hardhatHost = ({ host, port }) => ['--port', String(port), ...(host === undefined ? [] : ['--hostname', host])]

function linkModules(folder, packages) {
  const modules = path.join(folder, 'node_modules')
  if (!existsSync(modules)) symlinkSync(packages, modules)
  return modules
}

/** `artifacts`: the folder of a compiled project; otherwise the project is empty. */
function hardhat2Command(options, folder) {
  const config = { solidity: '0.8.28', networks: { hardhat: hardhatNetwork(options) } }
  writeFileSync(path.join(folder, 'package.json'), '{}')
  if (options.artifacts !== undefined) config.paths = { artifacts: options.artifacts }
  writeFileSync(path.join(folder, 'hardhat.config.cjs'), `module.exports = ${JSON.stringify(config)}`)
  const modules = linkModules(folder, HARDHAT_2)
  return [process.execPath, path.join(modules, 'hardhat/internal/cli/cli.js'), 'node', ...hardhatHost(options)]
}

function hardhat3Command(options, folder) {
  const config = { networks: { node: { type: 'edr-simulated', ...hardhatNetwork(options) } } }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
  if (options.artifacts !== undefined) config.paths = { artifacts: options.artifacts }
  writeFileSync(path.join(folder, 'hardhat.config.js'), `export default ${JSON.stringify(config)}`)
  const modules = linkModules(folder, HARDHAT_3)
  return [NODE_22, path.join(modules, 'hardhat/dist/src/cli.js'), 'node', ...hardhatHost(options)]
}

const hardhatSupports = (option) => option in HARDHAT_CONFIG || ['port', 'host'].includes(option)

/** `mode`: of viem's test client. `otherPath`: a derivation path that is not the default. */
export const TOOLS = [
  {
    name: 'isonode',
    mode: 'anvil',
    otherPath: "m/44'/60'/1'/0/",
    needs: SERVER,
    version: versionIn(root),
    supports: (option) => option in ISONODE,
    command: (options) => [
      process.execPath,
      SERVER,
      ...(options.dataPath === undefined ? ['--ephemeral'] : []),
      '--rpc-ws-port=0',
      ...names(ISONODE)(options),
    ],
  },
  {
    name: 'anvil',
    mode: 'anvil',
    otherPath: "m/44'/60'/1'/0/",
    needs: ANVIL,
    version: versionIn(path.join(ANVIL, '../..')),
    supports: (option) => option in ANVIL_OPTIONS,
    command: (options) => [ANVIL, ...names(ANVIL_OPTIONS)(options)],
  },
  {
    name: 'Hardhat 3',
    mode: 'hardhat',
    needs: path.join(HARDHAT_3, 'hardhat'),
    version: versionIn(path.join(HARDHAT_3, 'hardhat')),
    otherPath: "m/44'/60'/1'/0",
    supports: hardhatSupports,
    command: hardhat3Command,
  },
  {
    name: 'Hardhat 2',
    mode: 'hardhat',
    needs: path.join(HARDHAT_2, 'hardhat'),
    version: versionIn(path.join(HARDHAT_2, 'hardhat')),
    otherPath: "m/44'/60'/1'/0",
    supports: hardhatSupports,
    command: hardhat2Command,
  },
  {
    name: 'ganache',
    mode: 'ganache',
    otherPath: "m/44'/60'/1'/0/",
    needs: GANACHE,
    version: versionIn(path.join(GANACHE, '../../..')),
    supports: (option) => option in GANACHE_OPTIONS,
    command: (options) => [
      process.execPath,
      GANACHE,
      ...(options.silent === undefined ? ['--logging.verbose'] : []),
      ...(options.mnemonic === undefined ? ['--wallet.deterministic'] : []),
      ...names(GANACHE_OPTIONS)(options),
    ],
  },
].filter(({ name, needs }) => {
  if (!existsSync(needs)) console.error(`${name} is skipped: ${path.relative(root, needs)} does not exist`)
  return existsSync(needs)
})

const running = new Set()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

export const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-compare-'))
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }))

/** A JSON-RPC error of the node. */
export class RpcError extends Error {
  constructor({ code, message, data }) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Starts a tool on a free port. @returns undefined when the tool lacks one of the options */
export async function start(tool, options = {}) {
  if (Object.keys(options).some((option) => !tool.supports(option))) return undefined
  const port = await freePort()
  const folder = path.join(temporary, `${tool.name.replace(' ', '')}-${port}`)
  mkdirSync(folder)
  const [program, ...args] = tool.command({ port, ...options }, folder)
  const env = { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', NO_COLOR: '1', FORCE_COLOR: '0' }
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (log += text))
  child.once('error', (error) => (log += error.message))
  const ended = new Promise((resolve) => child.once('close', resolve))
  void ended.then(() => running.delete(child))
  const call = caller(port)
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
    await ended
    clearTimeout(timer)
  }
  const node = {
    tool,
    port,
    call,
    stop,
    log: () => log,
    logged: (pattern, from = 0) => logged(() => log.slice(from), pattern),
  }
  const limit = performance.now() + START_LIMIT_MS
  for (;;) {
    const id = await call('eth_chainId').catch(() => undefined)
    if (id !== undefined) return { ...node, chainId: Number(id) }
    if (child.exitCode !== null || performance.now() > limit) {
      await stop('SIGKILL')
      throw new Error(`${tool.name} did not start: ${log.slice(-300)}`)
    }
    await delay(50)
  }
}

function caller(port) {
  let id = 0
  return async (method, ...params) => {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    })
    const { result, error } = await response.json()
    if (error !== undefined) throw new RpcError(error)
    return result
  }
}

/** @returns the result of one call over WebSocket, on the port of HTTP */
export function callOverWebSocket(port, method, params) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
    socket.on('message', (text) => {
      const { id, result, error } = JSON.parse(text)
      if (id !== 1) return
      if (error === undefined) resolve(result)
      else reject(new RpcError(error))
    })
    setTimeout(() => reject(new Error('no answer')), CALL_LIMIT_MS).unref()
  }).finally(() => socket.close())
}

/** Whether the pattern appears in the log within a second; `from`: only after this number of characters. */
async function logged(log, pattern) {
  for (let i = 0; i < 20; i++) {
    const text = log()
    if (typeof pattern === 'string' ? text.toLowerCase().includes(pattern.toLowerCase()) : pattern.test(text))
      return true
    await delay(50)
  }
  return false
}

/** @returns a port that no other tool of this run gets */
export async function freePort() {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if (!usedPorts.has(port) && (await isFree(port))) {
      usedPorts.add(port)
      return port
    }
  }
}

function isFree(port) {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
