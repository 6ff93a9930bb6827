/** The compared dev nodes: how each is started, funds an account and is stopped. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CHAIN_ID } from '../reliability/devNode.mjs'
import { RpcConnection } from './rpcConnection.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 5_000
const ANSWER_LIMIT_MS = 5_000
const POLL_MS = 2

const cached = (file) => path.join(root, '.cache', file)

/** Anvil's npm package contains its binary in a package per platform. */
const anvil = cached(
  `foundry/node_modules/@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}/bin/anvil`,
)

/** `needs` must exist; `command` prepares the program's files in `folder`, its working directory. */
const TARGETS = [
  {
    name: 'ours',
    port: 18701,
    wsPort: 18702,
    needs: path.join(root, 'dist/server.js'),
    command: () => [
      process.execPath,
      path.join(root, 'dist/server.js'),
      '--ephemeral',
      '--logging=OFF',
      '--rpc-http-port=18701',
      '--rpc-ws-port=18702',
    ],
    setBalance: 'anvil_setBalance',
  },
  {
    name: 'anvil',
    port: 18703,
    needs: anvil,
    command: () => [anvil, '--silent', '--port', '18703', '--chain-id', String(CHAIN_ID)],
    setBalance: 'anvil_setBalance',
  },
  {
    name: 'hardhat',
    port: 18704,
    needs: cached('hardhat/node_modules/hardhat'),
    command: (folder) => {
      const config = { solidity: '0.8.28', networks: { hardhat: { chainId: CHAIN_ID } } }
      writeFileSync(path.join(folder, 'package.json'), '{}')
      writeFileSync(path.join(folder, 'hardhat.config.cjs'), `module.exports = ${JSON.stringify(config)}`)
      const modules = path.join(folder, 'node_modules')
      if (!existsSync(modules)) symlinkSync(cached('hardhat/node_modules'), modules)
      return [process.execPath, path.join(modules, 'hardhat/internal/cli/cli.js'), 'node', '--port', '18704']
    },
    setBalance: 'hardhat_setBalance',
    /** Otherwise it prints every call. */
    quiet: (rpc) => rpc.call('hardhat_setLoggingEnabled', [false]),
  },
  {
    name: 'hardhat3',
    port: 18708,
    needs: cached('hardhat3/node_modules/hardhat'),
    command: (folder) => {
      const network = { type: 'edr-simulated', chainId: CHAIN_ID, loggingEnabled: false }
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(
        path.join(folder, 'hardhat.config.js'),
        `export default ${JSON.stringify({ networks: { node: network } })}`,
      )
      const modules = path.join(folder, 'node_modules')
      if (!existsSync(modules)) symlinkSync(cached('hardhat3/node_modules'), modules)
      // Hardhat 3 needs a newer Node than this project.
      const node = cached('node22/node_modules/node/bin/node')
      return [node, path.join(modules, 'hardhat/dist/src/cli.js'), 'node', '--network', 'node', '--port', '18708']
    },
    setBalance: 'hardhat_setBalance',
  },
  {
    name: 'ganache',
    port: 18705,
    needs: cached('ganache/node_modules/ganache/dist/node/cli.js'),
    command: () => [
      process.execPath,
      cached('ganache/node_modules/ganache/dist/node/cli.js'),
      '--server.port=18705',
      `--chain.chainId=${CHAIN_ID}`,
      '--wallet.deterministic',
      '--logging.quiet',
    ],
    setBalance: 'evm_setAccountBalance',
  },
]

/** Another built checkout of this project, as a target named `before`. */
export function beforeTarget(build) {
  const options = ['--ephemeral', '--logging=OFF', '--rpc-http-port=18706', '--rpc-ws-port=18707']
  const server = path.join(build, 'dist/server.js')
  return {
    name: 'before',
    port: 18706,
    wsPort: 18707,
    needs: server,
    command: () => [process.execPath, server, ...options],
    setBalance: 'anvil_setBalance',
  }
}

/** The installed targets among `names`; prints those that are missing. */
export function installedTargets(names) {
  for (const name of names)
    if (!TARGETS.some((target) => target.name === name)) throw new Error(`there is no target ${name}`)
  return TARGETS.filter(({ name, needs }) => {
    if (!names.includes(name)) return false
    if (!existsSync(needs)) console.error(`${name} is skipped: ${path.relative(root, needs)} does not exist`)
    return existsSync(needs)
  })
}

const children = new Set()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** A running target: `rpc` is a connection for unmeasured calls; `startMs` is the time to its first answer. */
export async function startTarget(target, temporary) {
  const { name, port, wsPort = port, setBalance } = target
  if ((await firstAnswer(port)) !== undefined) throw new Error(`port ${port} is in use`)
  const folder = path.join(temporary, name)
  mkdirSync(folder, { recursive: true })
  const [command, ...rest] = target.command(folder)
  const env = { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' }
  const begin = performance.now()
  const child = spawn(command, rest, { cwd: folder, env, stdio: target.stdio?.() ?? 'ignore' })
  children.add(child)
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.once('error', () => {})
  void ended.then(() => children.delete(child))
  const running = { name, port, ws: `ws://127.0.0.1:${wsPort}`, child, ended }
  const rpc = await untilAnswered(running, begin + START_LIMIT_MS)
  running.startMs = performance.now() - begin
  await target.quiet?.(rpc)
  const chainId = Number(await rpc.call('eth_chainId'))
  return { ...running, rpc, chainId, fund: (address, wei) => fund(rpc, setBalance, address, wei) }
}

async function untilAnswered({ name, port, child }, limit) {
  for (;;) {
    const rpc = await firstAnswer(port)
    if (rpc !== undefined) return rpc
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
    if (performance.now() > limit) throw new Error(`${name} did not answer`)
    await delay(POLL_MS)
  }
}

/** Opens a connection and waits until eth_blockNumber is answered. */
async function firstAnswer(port) {
  const rpc = new RpcConnection(port)
  const timer = setTimeout(() => rpc.close(), ANSWER_LIMIT_MS)
  try {
    await rpc.connect()
    await rpc.call('eth_blockNumber')
    return rpc
  } catch {
    rpc.close()
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

async function fund(rpc, method, address, wei) {
  await rpc.call(method, [address, `0x${wei.toString(16)}`])
  const balance = BigInt(await rpc.call('eth_getBalance', [address, 'latest']))
  if (balance !== wei) throw new Error(`${method}: the balance is ${balance}`)
}

export async function stopTarget({ rpc, child, ended }) {
  rpc.close()
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(timer)
}

/** Resident memory in MiB; undefined without /proc. */
export function residentMiB({ child }) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return undefined
  }
}
