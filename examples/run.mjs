/**
 * Runs the examples with the packed package, as a user would install it.
 *
 *   node examples/run.mjs [NAME…]
 *
 * Needs the built node. Tools come from .cache and from the project's packages; the Python example makes its own virtual
 * environment in .cache. Examples whose tools are missing are skipped.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pack } from '../test/package/pack.mjs'

const root = path.resolve(import.meta.dirname, '..')
const INSTALL_LIMIT_MS = 180_000
const RUN_LIMIT_MS = 120_000
const START_LIMIT_MS = 30_000
const PORT = 20_000 + (process.pid % 20_000)

const cached = (file) => path.join(root, '.cache', file)
const foundry = (tool) =>
  cached(
    `foundry/node_modules/@foundry-rs/${tool}-${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}/bin`,
  )
const hardhatModules = cached('hardhat3/node_modules')
const hardhat2Modules = cached('hardhat/node_modules')
/** Hardhat 3 needs a newer Node than this project. */
const node22 = cached('node22/node_modules/node/bin/node')
const bundlerModules = cached('bundlers/node_modules')
const chromium = process.env.ISONODE_CHROMIUM ?? '/usr/bin/chromium'
const venv = cached('web3py')
const deno = path.join(root, 'node_modules/.bin/deno')

/** `needs`: files that must exist. `packages`: folders whose packages the example may use. `node`: whether it calls a node that runs already. */
const EXAMPLES = {
  hardhat: {
    needs: path.join(hardhatModules, 'hardhat'),
    packages: [hardhatModules],
    node: true,
    command: [node22, 'node_modules/hardhat/dist/src/cli.js', 'test', '--network', 'isonode'],
    prints: '3 passing',
  },
  hardhat2: {
    needs: path.join(hardhat2Modules, 'hardhat'),
    packages: [hardhat2Modules],
    node: true,
    command: [process.execPath, 'node_modules/hardhat/internal/cli/cli.js', 'test', '--network', 'isonode'],
    prints: '3 passing',
  },
  foundry: {
    needs: foundry('forge'),
    node: true,
    env: () => ({
      PATH: `${foundry('forge')}:${foundry('cast')}:${process.env.PATH}`,
      // The compiler in JavaScript: forge would download another one.
      FOUNDRY_SOLC: path.join(root, 'test/fixtures/foundry/solc.mjs'),
      SOLC_RESOLVE_FROM: import.meta.filename,
      FOUNDRY_OFFLINE: 'true',
      FOUNDRY_DISABLE_NIGHTLY_WARNING: '1',
    }),
    command: ['sh', 'demo.sh'],
    prints: 'is 1',
  },
  web3py: {
    prepare: installPython,
    node: true,
    command: [path.join(venv, 'bin/python'), 'demo.py'],
    prints: 'sent and reverted on chain 31337',
  },
  hono: {
    packages: [path.join(root, 'node_modules')],
    command: [process.execPath, 'test.mjs'],
    prints: 'paid 1 ether',
  },
  deno: {
    needs: deno,
    packages: [path.join(root, 'node_modules')],
    command: [deno, 'run', '-A', '--no-lock', '--no-config', '--node-modules-dir=manual', 'main.ts'],
    prints: 'block 1 on http://127.0.0.1:',
  },
  vitest: {
    packages: [path.join(root, 'node_modules')],
    command: [process.execPath, 'node_modules/vitest/vitest.mjs', 'run'],
    prints: 'passed',
  },
  vite: {
    needs: [chromium, path.join(bundlerModules, 'vite')],
    packages: [bundlerModules, path.join(root, 'node_modules')],
    env: () => ({ CHROMIUM: chromium }),
    command: [
      'sh',
      '-c',
      `"${process.execPath}" node_modules/vite/bin/vite.js build && "${process.execPath}" test.mjs`,
    ],
    prints: 'the jar has 1 ether after a reload',
  },
  jest: {
    prepare: installJest,
    packages: [cached('jest/node_modules')],
    command: [process.execPath, 'node_modules/jest/bin/jest.js'],
    prints: '3 passed',
  },
}

const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-examples-'))
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }))

const wanted = process.argv.slice(2)
const present = Object.keys(EXAMPLES).filter((name) => existsSync(path.join(import.meta.dirname, name)))
const installed = install()
let passed = 0
let failed = 0
for (const name of present) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const problem = await attempt(name, EXAMPLES[name])
  if (problem === undefined) passed++
  else failed++
  console.log(`${name}: ${problem ?? 'ok'}`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** @returns the folder with the packed package and its dependencies */
function install() {
  const folder = path.join(temporary, 'installed')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'package.json'), '{}')
  const options = ['--no-audit', '--no-fund', '--prefer-offline']
  run('npm', ['install', ...options, pack(temporary)], folder, INSTALL_LIMIT_MS)
  return path.join(folder, 'node_modules')
}

/** @returns a description of the failure; undefined when the example works */
async function attempt(name, { needs, prepare, packages = [], node = false, env, command, prints }) {
  const missing = [needs ?? []].flat().find((file) => !existsSync(file))
  if (missing !== undefined) return `${path.relative(root, missing)} is missing`
  let running
  try {
    prepare?.()
    const folder = path.join(temporary, name)
    cpSync(path.join(import.meta.dirname, name), folder, { recursive: true })
    link([installed, ...packages], path.join(folder, 'node_modules'))
    if (node) running = await startNode(folder)
    const [program, ...args] = command
    const output = await runAsync(program, args, folder, { RPC_URL: `http://127.0.0.1:${PORT}`, ...env?.() })
    return output.includes(prints) ? undefined : `does not print "${prints}":\n${output.slice(-2000)}`
  } catch (error) {
    return error.message
  } finally {
    await running?.stop()
  }
}

/** Links the packages of several folders; the first one precedes. */
function link(folders, target) {
  mkdirSync(target)
  for (const folder of folders) {
    for (const entry of readdirSync(folder)) {
      if (entry.startsWith('.')) continue
      if (!entry.startsWith('@')) linkOnce(path.join(folder, entry), path.join(target, entry))
      else {
        mkdirSync(path.join(target, entry), { recursive: true })
        for (const scoped of readdirSync(path.join(folder, entry)))
          linkOnce(path.join(folder, entry, scoped), path.join(target, entry, scoped))
      }
    }
  }
}

function linkOnce(source, target) {
  if (!existsSync(target)) symlinkSync(source, target)
}

async function startNode(cwd) {
  const server = path.join(installed, '.bin/isonode')
  const child = spawn(server, ['--ephemeral', `--rpc-http-port=${PORT}`, '--rpc-ws-port=0'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  for (const limit = performance.now() + START_LIMIT_MS; performance.now() < limit; await delay(100)) {
    if (child.exitCode !== null) break
    const answer = await fetch(`http://127.0.0.1:${PORT}/liveness`).catch(() => undefined)
    if (answer?.ok) return { stop }
  }
  await stop()
  throw new Error(`the node did not start:\n${printed}`)
}

function installPython() {
  if (existsSync(path.join(venv, 'bin/python'))) return
  run('python3', ['-m', 'venv', venv], root, INSTALL_LIMIT_MS)
  const requirements = path.join(import.meta.dirname, 'web3py/requirements.txt')
  run(path.join(venv, 'bin/pip'), ['install', '--quiet', '-r', requirements], root, INSTALL_LIMIT_MS)
}

function installJest() {
  if (existsSync(cached('jest/node_modules/jest'))) return
  const manifest = JSON.parse(readFileSync(path.join(import.meta.dirname, 'jest/package.json'), 'utf8'))
  const wanted = ['jest', 'viem'].map((name) => `${name}@${manifest.devDependencies[name]}`)
  mkdirSync(cached('jest'), { recursive: true })
  writeFileSync(path.join(cached('jest'), 'package.json'), '{}')
  run('npm', ['install', '--no-audit', '--no-fund', ...wanted], cached('jest'), INSTALL_LIMIT_MS)
}

/** @throws {Error} with the output when the program fails */
function run(program, args, cwd, timeout) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, timeout, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
}

/** @returns its output @throws {Error} with the output when the program fails */
function runAsync(program, args, cwd, env) {
  const child = spawn(program, args, {
    cwd,
    timeout: RUN_LIMIT_MS,
    env: { ...process.env, NO_COLOR: '1', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`ended with ${code}:\n${output.slice(-3000)}`))
    })
  })
}
