/**
 * Installs the packed package into an empty project, as a user does, and uses it on Node, Deno and Bun: the command, a
 * transfer, traces on a worker thread, also by a JavaScript tracer, and the library. Then pnpm, Bun and Deno install it from
 * a local registry.
 *
 *   npm run build && node test/package/install.mjs
 *
 * Prints the sizes and "N passed, N failed". npm loads the dependencies from the registry or its cache.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { bunBinary, denoBinary } from '../support/host/binaries.mjs'
import { pack, root } from './pack.mjs'
import { openRegistry } from './registry.mjs'

const run = promisify(execFile)
const MIB = 2 ** 20
const MAX_PACKED_BYTES = 2_950_000
const MAX_INSTALLED_MIB = 46
const TIMEOUT_MS = 60_000
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const RECEIVER = '0x00000000000000000000000000000000000000bb'

const project = mkdtempSync(path.join(tmpdir(), 'isonode-install-'))
const command = path.join(project, 'node_modules/isonode/dist/server.js')
const deno = denoBinary()
const bun = bunBinary()
const failures = []
let passed = 0

async function check(name, test) {
  const start = performance.now()
  try {
    await test()
    passed++
    console.log(`ok      ${name} (${Math.round(performance.now() - start)} ms)`)
  } catch (error) {
    failures.push(name)
    console.log(`FAILED  ${name}: ${error.stack ?? error}`)
  }
}

/** Space on the disk, as du counts it. */
function diskMiB(folder) {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true })) {
    bytes += statSync(path.join(folder, entry), { throwIfNoEntry: false })?.blocks * 512 || 0
  }
  return bytes / MIB
}

async function rpc(url, method, params = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = await response.json()
  assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`)
  return result
}

/** Starts the command and resolves with its address, once it has printed it. */
function start(program, args, cwd) {
  const child = spawn(program, [...args, '--rpc-http-port=0', '--rpc-ws-enabled=false'], { cwd, detached: true })
  let output = ''
  const exit = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  const url = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no address within ${TIMEOUT_MS} ms: ${output}`)), TIMEOUT_MS)
    const settle = (action) => {
      clearTimeout(timer)
      action()
    }
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.stdout.on('data', (chunk) => {
      output += chunk
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(output)
      if (match !== null) settle(() => resolve(match[0]))
    })
    void exit.then((code) => settle(() => reject(new Error(`ended with ${code}: ${output}`))))
  })
  return { child, url, exit }
}

/** Uses a node as a first visitor would, then stops it like a terminal. */
async function useCommand(program, args, passesCode = true) {
  const cwd = mkdtempSync(path.join(project, 'work-'))
  const { child, url: starting, exit } = start(program, args, cwd)
  try {
    const url = await starting
    assert.match(await rpc(url, 'eth_chainId'), /^0x[0-9a-f]+$/)
    const hash = await rpc(url, 'eth_sendTransaction', [{ from: SENDER, to: RECEIVER, value: '0x1' }])
    const { status } = await rpc(url, 'eth_getTransactionReceipt', [hash])
    assert.equal(status, '0x1')
    const trace = await rpc(url, 'debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    assert.equal(trace.to, RECEIVER)
    const tracer = '{step(){},fault(){},result(context){return context.type}}'
    assert.equal(await rpc(url, 'debug_traceTransaction', [hash, { tracer }]), 'CALL')
    assert.equal((await fetch(`${url}/readiness`)).ok, true)
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
    const [, script] = /src="(ui\/\w+\/core\.js)"/.exec(page)
    assert.equal((await fetch(`${url}/${script}`)).ok, true)
  } finally {
    // The whole group, as a terminal does: npx passes no signals on.
    process.kill(-child.pid, 'SIGINT')
  }
  const code = await exit
  if (passesCode) assert.equal(code, 0)
  assert.equal(readdirSync(path.join(cwd, '.isonode')).includes('dev'), true)
}

const PROGRAM = `
import { startNode } from 'isonode'
import { openDataDirectory } from 'isonode/unstable'
import { createBrowserNode } from 'isonode/browser'
const node = await startNode()
const block = await node.request({ method: 'eth_blockNumber', params: [] })
await node.close()
console.log(block, typeof openDataDirectory, typeof createBrowserNode)
`
const REQUIRING = `
const { startNode, VERSION } = require('isonode')
const { version } = require('isonode/package.json')
console.log(typeof startNode, VERSION === version)
`

async function runProgram(program, args, { cwd = project, env = {} } = {}) {
  const { stdout } = await run(program, args, { cwd, env: { ...process.env, ...env }, timeout: TIMEOUT_MS })
  return stdout.trim()
}

/**
 * Package managers in empty projects. None can take a single package from another registry, so the local one also has
 * the dependencies, packed from the installation of npm: an empty cache proves that nothing else is needed.
 */
async function usePackageManagers(registry) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const emptyProject = () => {
    const cwd = mkdtempSync(path.join(project, 'manager-'))
    writeFileSync(path.join(cwd, 'package.json'), '{ "name": "project", "private": true }\n')
    writeFileSync(path.join(cwd, 'program.mjs'), PROGRAM)
    return cwd
  }
  const expectVersion = (output) => assert.match(output, new RegExp(`^isonode/v${version}/`))
  const expectProgram = (output) => assert.equal(output, '0x0 function function')

  const pnpm = path.join(root, '.cache/pnpm/node_modules/pnpm/bin/pnpm.cjs')
  if (existsSync(pnpm)) {
    await check('pnpm add isonode', async () => {
      const cwd = emptyProject()
      const store = `--store-dir=${path.join(cwd, 'store')}`
      const add = ['add', 'isonode', `--registry=${registry}`, store, '--ignore-scripts']
      await runProgram(process.execPath, [pnpm, ...add], { cwd })
      expectVersion(await runProgram(process.execPath, [pnpm, 'exec', 'isonode', '--version'], { cwd }))
      expectProgram(await runProgram(process.execPath, ['program.mjs'], { cwd }))
    })
  } else {
    console.log('skipped pnpm add isonode: .ci/run installs pnpm in .cache')
  }
  const bunOptions = (cwd) => {
    const env = { BUN_CONFIG_REGISTRY: registry, BUN_INSTALL_CACHE_DIR: path.join(cwd, 'cache'), TMPDIR: cwd }
    return { cwd, env: { ...env, BUN_TMPDIR: cwd } }
  }
  await check('bun add isonode', async () => {
    const options = bunOptions(emptyProject())
    await runProgram(bun, ['add', 'isonode', '--ignore-scripts'], options)
    expectProgram(await runProgram(bun, ['program.mjs'], options))
  })
  await check('bunx isonode', async () => {
    expectVersion(await runProgram(bun, ['x', '--bun', 'isonode', '--version'], bunOptions(emptyProject())))
  })
  await check('deno run -A npm:isonode', async () => {
    const cwd = mkdtempSync(path.join(project, 'manager-'))
    const env = { NPM_CONFIG_REGISTRY: registry, DENO_DIR: path.join(cwd, 'cache') }
    expectVersion(await runProgram(deno, ['run', '-A', 'npm:isonode', '--version'], { cwd, env }))
  })
}

const file = pack()
try {
  const packed = statSync(file).size
  const contents = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n')
  console.log(`packed: ${(packed / 1e6).toFixed(2)} MB, ${contents.length} files`)
  await check('the package is small and holds one build', () => {
    assert.ok(packed <= MAX_PACKED_BYTES)
    const builds = new Set(contents.map((name) => /\/(build-[^/]+)\//.exec(name)?.[1]).filter(Boolean))
    assert.equal(builds.size, 1)
  })

  await check('JSR accepts the sources', () =>
    run(deno, ['publish', '--dry-run', '--allow-dirty'], { cwd: root, timeout: 2 * TIMEOUT_MS }),
  )

  writeFileSync(path.join(project, 'package.json'), '{ "name": "project", "private": true }\n')
  const install = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', file]
  execFileSync('npm', install, { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] })
  const installed = diskMiB(path.join(project, 'node_modules'))
  console.log(`installed: ${installed.toFixed(1)} MiB`)
  await check('the installation is small', () => assert.ok(installed <= MAX_INSTALLED_MIB))

  writeFileSync(path.join(project, 'program.mjs'), PROGRAM)
  writeFileSync(path.join(project, 'program.cjs'), REQUIRING)
  await check('npx isonode', () => useCommand('npx', ['--no-install', '--prefix', project, 'isonode'], false))
  await check('the command on Node', () => useCommand(process.execPath, [command]))
  await check('the command on Deno', () => useCommand(deno, ['run', '-A', command]))
  await check('the command on Bun', () => useCommand(bun, [command]))
  for (const [name, program, args] of [
    ['Node', process.execPath, []],
    ['Deno', deno, ['run', '-A']],
    ['Bun', bun, []],
  ]) {
    await check(`import on ${name}`, async () =>
      assert.equal(await runProgram(program, [...args, 'program.mjs']), '0x0 function function'),
    )
  }
  await check('require on Node', async () =>
    assert.equal(await runProgram(process.execPath, ['program.cjs']), 'function true'),
  )
  await check('an option names the package that it needs', async () => {
    const failed = await run(process.execPath, [command, '--ephemeral', '--evm=reference']).catch((error) => error)
    assert.equal(failed.code, 1)
    assert.match(failed.stderr, /--evm=reference needs .*: npm install @ethereumjs\/vm\n$/)
  })
  const registry = await openRegistry(file, project)
  try {
    await usePackageManagers(registry.url)
  } finally {
    registry.close()
  }
} finally {
  rmSync(project, { recursive: true, force: true })
  rmSync(path.dirname(file), { recursive: true, force: true })
}
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1
