/** The compared tools that continue a remote chain: how each is started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

const root = path.resolve(import.meta.dirname, '../..')
const SERVER = path.join(root, 'dist/server.js')
const START_LIMIT_MS = 60_000
const POLL_MS = 2
const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}`
const cached = (file) => path.join(root, '.cache', file)
/** A program of Foundry, whose npm packages contain one binary for each platform. */
export const foundry = (name) => cached(`foundry/node_modules/@foundry-rs/${name}-${platform}/bin/${name}`)
const hardhatModules = cached('hardhat3/node_modules')
const tevmModules = process.env.ISONODE_TEVM ?? cached('tevm/node_modules')

export const CHAIN_ID = 4242

/** By name: what must exist, and the command for a URL, a port and an empty folder, which is the working directory. */
export const TOOLS = {
  ours: {
    needs: SERVER,
    command: ({ url, port, cache = 'none' }) => ourCommand(port, [`--fork-url=${url}`, `--fork-cache=${cache}`]),
  },
  anvil: {
    needs: foundry('anvil'),
    command: ({ url, port }) => [
      foundry('anvil'),
      '--silent',
      '--no-storage-caching',
      '--port',
      String(port),
      '--fork-url',
      url,
    ],
  },
  hardhat3: {
    needs: path.join(hardhatModules, 'hardhat'),
    command: ({ url, port, folder }) => {
      const network = { type: 'edr-simulated', chainId: CHAIN_ID, loggingEnabled: false, forking: { url } }
      const chainDescriptors = { [CHAIN_ID]: { name: 'remote', hardforkHistory: { cancun: { blockNumber: 0 } } } }
      const config = { chainDescriptors, networks: { node: network } }
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(path.join(folder, 'hardhat.config.js'), `export default ${JSON.stringify(config)}`)
      symlinkSync(hardhatModules, path.join(folder, 'node_modules'))
      const main = path.join(folder, 'node_modules/hardhat/dist/src/cli.js')
      // Hardhat 3 needs a newer Node than this project.
      const node = cached('node22/node_modules/node/bin/node')
      return [node, main, 'node', '--network', 'node', '--port', String(port)]
    },
  },
  tevm: {
    needs: path.join(tevmModules, 'tevm'),
    command: ({ url, port }) => [
      process.execPath,
      path.join(import.meta.dirname, 'forkTevm.mjs'),
      tevmModules,
      url,
      String(port),
    ],
  },
}

/** The names of the installed tools; prints those that are missing. */
export function installedTools(names) {
  return names.filter((name) => {
    const { needs } = TOOLS[name]
    if (!existsSync(needs)) console.error(`${name} is skipped: ${path.relative(root, needs)} does not exist`)
    return existsSync(needs)
  })
}

export function ourCommand(port, options) {
  return [process.execPath, SERVER, '--logging=OFF', `--rpc-http-port=${port}`, '--rpc-ws-port=0', ...options]
}

const children = new Set()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** @param command of a port and an empty folder @returns a node that answers */
export async function startNode(command) {
  const port = await freePort()
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-fork-bench-'))
  const [program, ...args] = command(port, folder)
  const env = { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' }
  const child = spawn(program, args, { cwd: folder, env, stdio: 'ignore' })
  children.add(child)
  const ended = once(child, 'exit').then(() => children.delete(child))
  const stop = async () => {
    child.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const rpc = (method, ...params) => request(port, method, params)
  for (const limit = performance.now() + START_LIMIT_MS; performance.now() < limit; await delay(POLL_MS)) {
    if (child.exitCode !== null) break
    if (await rpc('eth_chainId').then(isText, () => false)) return { rpc, port, stop }
  }
  await stop()
  throw new Error(`${program} did not start`)
}

const isText = (value) => typeof value === 'string'

async function freePort() {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

let id = 0
async function request(port, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).json()
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}
