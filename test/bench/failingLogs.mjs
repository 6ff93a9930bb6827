/**
 * Prints what anvil, Hardhat's node and this node log when the same Hardhat and Foundry project runs on them, whose last
 * transaction fails.
 *
 *   node test/bench/failingLogs.mjs [hardhat|foundry]
 *
 * Needs the built node, and Hardhat and Foundry in .cache.
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

const root = path.resolve(import.meta.dirname, '../..')
const fixtures = path.join(root, 'test/fixtures')
const cache = path.join(root, '.cache')
const tool = (name) => path.join(cache, `foundry/node_modules/@foundry-rs/${name}-linux-amd64/bin`)
const folder = mkdtempSync(path.join(tmpdir(), 'isonode-failing-'))

const PROJECTS = {
  hardhat: {
    artifacts: 'artifacts',
    prepare: (project) => {
      cpSync(path.join(fixtures, 'hardhat/hardhat.config.cjs'), path.join(project, 'hardhat.config.cjs'))
      cpSync(path.join(fixtures, 'contracts/Vault.sol'), path.join(project, 'contracts/Vault.sol'))
      cpSync(path.join(fixtures, 'failing/withdraw.cjs'), path.join(project, 'scripts/withdraw.cjs'))
      writeFileSync(path.join(project, 'package.json'), '{}')
      symlinkSync(path.join(cache, 'hardhat/node_modules'), path.join(project, 'node_modules'))
      run(process.execPath, [hardhat(project), 'compile'], project)
    },
    fail: (project, url) =>
      run(process.execPath, [hardhat(project), 'run', '--network', 'localhost', 'scripts/withdraw.cjs'], project, {
        RPC_URL: url,
      }),
  },
  foundry: {
    artifacts: 'out',
    prepare: (project) => {
      for (const file of ['foundry.toml', 'solc.mjs'])
        cpSync(path.join(fixtures, 'foundry', file), path.join(project, file))
      cpSync(path.join(fixtures, 'contracts/Vault.sol'), path.join(project, 'src/Vault.sol'))
      cpSync(path.join(fixtures, 'failing/withdraw.sh'), path.join(project, 'withdraw.sh'))
      run(path.join(tool('forge'), 'forge'), ['build'], project)
    },
    fail: (project, url) => run('sh', ['withdraw.sh', url], project),
  },
}

const NODES = {
  anvil: (port) => [path.join(tool('anvil'), 'anvil'), '--port', port],
  'Hardhat node': (port, project) => [process.execPath, hardhat(project), 'node', '--port', port],
  isonode: (port, project, artifacts) => [
    process.execPath,
    path.join(root, 'dist/server.js'),
    '--ephemeral',
    `--rpc-http-port=${port}`,
    '--rpc-ws-port=0',
    `--abi=${path.join(project, artifacts)}`,
  ],
}

try {
  for (const name of process.argv[2] === undefined ? Object.keys(PROJECTS) : [process.argv[2]]) await show(name)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function show(name) {
  const { artifacts, prepare, fail } = PROJECTS[name]
  const project = path.join(folder, name)
  mkdirSync(path.join(project, 'node'), { recursive: true })
  prepare(project)
  for (const [title, command] of Object.entries(NODES)) {
    const isBare = title === 'Hardhat node' && name !== 'hardhat'
    const home = isBare ? path.join(project, 'node') : project
    if (isBare) bareHardhat(home)
    const port = String(await freePort())
    const text = await logOf(command(port, isBare ? home : project, artifacts), home, port, () =>
      fail(project, `http://127.0.0.1:${port}`),
    )
    console.log(`\n===== ${title}, ${name} project =====\n${text}`)
  }
}

/** Hardhat's node outside its project. */
function bareHardhat(home) {
  writeFileSync(path.join(home, 'package.json'), '{}')
  writeFileSync(path.join(home, 'hardhat.config.cjs'), "module.exports = { solidity: '0.8.28' }")
  symlinkSync(path.join(cache, 'hardhat/node_modules'), path.join(home, 'node_modules'))
}

function hardhat(project) {
  return path.join(project, 'node_modules/hardhat/internal/cli/cli.js')
}

/** The output of the node after its start. */
async function logOf([program, ...args], cwd, port, use) {
  const child = spawn(program, args, { cwd, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  try {
    await untilListening(port)
    await delay(500)
    const start = output.length
    use()
    await delay(1_500)
    return output.slice(start).trim()
  } finally {
    child.kill('SIGKILL')
  }
}

async function untilListening(port) {
  for (let i = 0; i < 600; i++) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    const headers = { 'content-type': 'application/json' }
    if (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body }).catch(() => undefined)) return
    await delay(100)
  }
  throw new Error('the node does not listen')
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function environment() {
  const PATH = `${tool('forge')}:${tool('cast')}:${process.env.PATH}`
  return {
    ...process.env,
    PATH,
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    RPC_URL: 'http://127.0.0.1:1',
    SOLC_RESOLVE_FROM: path.join(root, 'package.json'),
  }
}

function run(program, args, cwd, env = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...environment(), ...env },
    timeout: 120_000,
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}\n${stderr}`)
}
