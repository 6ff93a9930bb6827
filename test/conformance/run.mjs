/**
 * Imports each recorded chain with the built node, checks the head, serves it and runs the recorded cases.
 *
 *   node test/conformance/run.mjs [--only TEXT] [--verbose] [--raise]
 *
 * The figures must not fall below floor.json; `--raise` writes better ones into it. Needs ISONODE_CONFORMANCE
 * (default ../shared/conformance). Prints the sets that ran; ends with `N passed, N failed`.
 */
import { execFile, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { CHAINS, inScope } from './chains.mjs'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')
const data = path.resolve(root, process.env.ISONODE_CONFORMANCE ?? '../shared/conformance')
const server = path.join(root, 'dist/server.js')
const floorFile = path.join(import.meta.dirname, 'floor.json')
const argument = (name) => process.argv[process.argv.indexOf(name) + 1]
const only = process.argv.includes('--only') ? argument('--only') : ''
const verbose = process.argv.includes('--verbose')
/** Chains: a node and the client that asks it take turns. With --verbose one, so that the output keeps its order. */
const AT_ONCE = verbose ? 1 : 2

if (!existsSync(path.join(data, 'run.mjs'))) {
  console.log(`conformance: skipped, no recorded data at ${data} (set ISONODE_CONFORMANCE)`)
  process.exit(process.env.CI ? 1 : 0)
}

async function rpc(url, method, params = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()).result
}

/** Starts the node and resolves with its URLs once it prints the last one, that of GraphQL. */
function serve(options) {
  const child = spawn(process.execPath, [server, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let url
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => {
      output += `${line}\n`
      const match = /http:\/\/127\.0\.0\.1:\d+(\/graphql)?/.exec(line)
      if (match === null) return
      if (match[1] === undefined) url ??= match[0]
      else resolve({ url, graphql: match[0], child })
    })
    child.once('exit', (code) => reject(new Error(`the node stopped with ${code}: ${output.slice(-2000)}`)))
  })
}

function stop(child) {
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill('SIGTERM')
  })
}

/** Starts the stub of an enclave, which the cases address by its port. */
async function startEnclave(folder, { state, port }) {
  const stub = path.join(data, 'enclave-stub.mjs')
  const options = ['--port', String(port), '--state', path.join(folder, state)]
  const child = spawn(process.execPath, [stub, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', (code) => reject(new Error(`the enclave stub stopped with ${code}`)))
  })
  return child
}

/** Imports, checks the head, runs the cases; returns groups by name. */
async function runChain(chain) {
  const folder = path.join(data, chain.folder ?? chain.name)
  const groups = await runOnce(chain, folder, chain.caseFolders ?? ['cases', 'cases-extra'])
  const flows = (chain.flowFolders ?? []).filter((name) => existsSync(path.join(folder, name)))
  return flows.length === 0 ? groups : [...groups, ...(await runOnce(chain, folder, flows))]
}

async function runOnce(chain, folder, caseFolders) {
  const directory = mkdtempSync(path.join(tmpdir(), 'isonode-conformance-'))
  const base = [
    `--genesis-file=${path.join(folder, 'genesis.json')}`,
    `--data-path=${directory}`,
    ...(chain.options ?? []),
    ...Object.entries(chain.keyFiles ?? {}).map(([name, file]) => `--${name}=${path.join(folder, file)}`),
    ...(chain.enclave === undefined ? [] : [`--privacy-url=http://127.0.0.1:${chain.enclave.port}`]),
  ]
  const enclave = chain.enclave && (await startEnclave(folder, chain.enclave))
  try {
    for (const name of chain.files ?? []) copyFileSync(path.join(folder, name), path.join(directory, name))
    if (chain.blocks !== undefined) {
      const from = `--from=${path.join(folder, chain.blocks)}`
      const { stdout } = await run(process.execPath, [
        server,
        ...base,
        'blocks',
        'import',
        from,
        ...(chain.importOptions ?? []),
      ])
      if (verbose) console.log(stdout.trim().split('\n').slice(-3).join('\n'))
    }
    const apis = ['ETH,NET,WEB3,DEBUG,TRACE,TXPOOL,ADMIN,MINER,PLUGINS', ...(chain.apis ?? [])].join()
    const services = ['--rpc-http-enabled', '--rpc-http-port=0', '--graphql-http-enabled', '--graphql-http-port=0']
    const peers = ['--p2p-interface=127.0.0.1', '--p2p-port=0', `--discovery-enabled=${chain.isDiscovered ?? false}`]
    const { url, graphql, child } = await serve([...base, ...services, ...peers, `--rpc-http-api=${apis}`])
    try {
      const head = await rpc(url, 'eth_getBlockByNumber', ['latest', false])
      if (chain.head !== undefined && head?.hash !== chain.head) {
        throw new Error(`head is ${head?.hash}, expected ${chain.head}`)
      }
      return await runCases(folder, url, graphql, caseFolders)
    } finally {
      await stop(child)
    }
  } finally {
    if (enclave !== undefined) await stop(enclave)
    rmSync(directory, { recursive: true, force: true })
  }
}

async function runCases(folder, url, graphql, caseFolders) {
  const report = path.join(mkdtempSync(path.join(tmpdir(), 'isonode-report-')), 'report.json')
  const cases = caseFolders.map((name) => path.join(folder, name)).filter((name) => existsSync(name))
  const options = cases.flatMap((name) => ['--cases', name])
  try {
    await run(process.execPath, [
      path.join(data, 'run.mjs'),
      '--url',
      url,
      '--graphql',
      graphql,
      ...options,
      '--json',
      report,
    ])
  } catch (error) {
    if (error.code !== 1) throw error
  }
  const parsed = JSON.parse(readFileSync(report, 'utf8'))
  rmSync(path.dirname(report), { recursive: true, force: true })
  if (verbose) {
    for (const failure of parsed.failures.filter((f) => inScope(f.case.split('/').slice(0, -1).join('/')))) {
      const show = (value) => JSON.stringify(value)?.slice(0, 300)
      console.log(
        `  FAIL ${failure.case}\n    at ${failure.path}\n    expected ${show(failure.expected)}\n    got      ${show(failure.got)}`,
      )
    }
  }
  return parsed.groups
}

const floor = existsSync(floorFile) ? JSON.parse(readFileSync(floorFile, 'utf8')) : {}
const raised = {}
const totals = { passed: 0, failed: 0, below: 0 }
const started = performance.now()

/** Runs a chain, and compares its figures with its floor. */
async function measure(chain) {
  let figures
  try {
    const groups = (await runChain(chain)).filter((group) => inScope(group.name))
    const sum = (suffix, key) =>
      groups.filter((g) => g.name.split('/')[0].endsWith('-extra') === suffix).reduce((n, g) => n + g[key], 0)
    figures = {
      cases: [sum(false, 'passed'), sum(false, 'passed') + sum(false, 'failed')],
      extra: [sum(true, 'passed'), sum(true, 'passed') + sum(true, 'failed')],
    }
  } catch (error) {
    console.log(`${chain.name}: ${error.message}`)
    totals.failed++
    return
  }
  const required = floor[chain.name] ?? { cases: 0, extra: 0 }
  const ok = figures.cases[0] >= required.cases && figures.extra[0] >= required.extra
  if (!ok) totals.below++
  raised[chain.name] = {
    cases: Math.max(figures.cases[0], required.cases),
    extra: Math.max(figures.extra[0], required.extra),
  }
  totals.passed += figures.cases[0] + figures.extra[0]
  totals.failed += figures.cases[1] - figures.cases[0] + figures.extra[1] - figures.extra[0]
  const extra = figures.extra[1] > 0 ? `, extra ${figures.extra.join('/')}` : ''
  console.log(
    `${chain.name} ${figures.cases.join('/')}${extra}${ok ? '' : `  BELOW ITS FLOOR ${JSON.stringify(required)}`}`,
  )
}

const queue = CHAINS.filter((entry) => entry.name.includes(only))
const usedPorts = new Set()

/** Takes chains off the queue whose enclaves have no port of another one that runs. */
async function measureInTurn() {
  for (;;) {
    const next = queue.findIndex(({ enclave }) => !usedPorts.has(enclave?.port))
    if (next < 0) return
    const [chain] = queue.splice(next, 1)
    const port = chain.enclave?.port
    if (port !== undefined) usedPorts.add(port)
    await measure(chain)
    usedPorts.delete(port)
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, measureInTurn))

if (process.argv.includes('--raise')) writeFileSync(floorFile, `${JSON.stringify({ ...floor, ...raised }, null, 2)}\n`)
console.log(`conformance took ${((performance.now() - started) / 1000).toFixed(0)} s`)
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.below > 0 || (only === '' && Object.keys(raised).length < CHAINS.length) ? 1 : 0)
