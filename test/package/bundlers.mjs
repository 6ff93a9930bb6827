/**
 * Builds a page with each bundler, in a project that has the packed package and none of its optional peers, and runs it
 * in Chromium: a transfer, a contract, and the chain after a reload. `.ci/run` installs the bundlers.
 *
 *   npm run build && node test/package/bundlers.mjs [name...]
 *
 * Prints for each bundler the time of the build and what the page loads, and "N passed, N failed".
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { bunBinary } from '../support/host/binaries.mjs'
import { pack, root } from './pack.mjs'
import { openPageServer } from './pageServer.mjs'

const run = promisify(execFile)
const CHROMIUM = process.env.ISONODE_CHROMIUM ?? '/usr/bin/chromium'
const TOOLS = path.join(root, '.cache/bundlers')
const PAGES = path.join(root, 'test/fixtures/pages')
const BUILD_LIMIT_MS = 300_000
const PAGE_LIMIT_MS = 60_000
/** Files that npm changes in place; the others may be links to those of the tools. */
const NPM_FILES = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json']
/** Bytes of all files that a page loads until `eth_call` is answered, compressed, without those of a framework. */
const MAX_FIRST_CALL = 220_000
const MAX_REFERENCE_CALL = 350_000
/** Builds that run at the same time. */
const LANES = 2
const REFERENCE_PACKAGES = ['common', 'evm', 'util'].map((name) => `@ethereumjs/${name}@10.1.3`)
const STRICT = { 'content-security-policy': "script-src 'self'" }
const SCRIPT_PAGE = (script) =>
  `<!doctype html>\n<title>page</title>\n<script type="module" src="${script}"></script>\n`

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-bundlers-'))
const project = path.join(folder, 'project')
const tool = (name) => path.join(project, 'node_modules/.bin', name)
const output = (name) => path.join(folder, name)
const failures = []
let passed = 0
let browser

async function command(program, args) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1', NODE_ENV: 'production' }
  const { stdout, stderr } = await run(program, args, {
    cwd: project,
    env,
    timeout: BUILD_LIMIT_MS,
    maxBuffer: 2 ** 26,
  })
  const printed = stdout + stderr
  // Nothing that a page loads may look for the packages of the other EVM.
  assert.doesNotMatch(printed, /@ethereumjs/)
  return printed
}

/** Each builds the page into a folder of its name. The slow ones come first. */
const BUILDS = {
  webpack: async (out) => {
    await command(process.execPath, ['webpack.mjs', out])
    writeFileSync(path.join(out, 'index.html'), SCRIPT_PAGE('main.js'))
  },
  'Next.js': async (out) => {
    await command(tool('next'), ['build'])
    cpSync(path.join(project, 'out'), out, { recursive: true })
  },
  Rollup: async (out) => {
    await command(tool('rollup'), ['--config', 'rollup.config.mjs', '--dir', out, '--silent'])
    writeFileSync(path.join(out, 'index.html'), SCRIPT_PAGE('page.js'))
  },
  Parcel: (out) =>
    command(tool('parcel'), ['build', 'index.html', '--dist-dir', out, '--no-cache', '--no-source-maps']),
  Vite: (out) => command(tool('vite'), ['build', '--outDir', out]),
  esbuild: async (out) => {
    await command(tool('esbuild'), [
      'page.js',
      '--bundle',
      '--minify',
      '--format=esm',
      '--splitting',
      `--outdir=${out}`,
    ])
    writeFileSync(path.join(out, 'index.html'), SCRIPT_PAGE('page.js'))
  },
  'bun build': (out) => command(bunBinary(), ['build', 'index.html', '--minify', '--splitting', '--outdir', out]),
}

/** Development servers that bundle while they serve. */
const SERVERS = {
  'Vite, development': (port) => [tool('vite'), ['--host', '127.0.0.1', '--port', String(port), '--strictPort']],
}

async function check(name, test) {
  const start = performance.now()
  try {
    const note = (await test()) ?? ''
    passed++
    console.log(`ok      ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s${note && `, ${note}`}`)
  } catch (error) {
    failures.push(name)
    console.log(`FAILED  ${name}: ${error.stack ?? error}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  }
}

/**
 * Loads the page twice in a new profile. Its report says what it found and did.
 * @returns milliseconds from the creation of the node to the answer of its first call
 */
async function usePage(url) {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const problems = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    const report = async () => {
      try {
        await page.waitForFunction(() => 'report' in globalThis, undefined, { timeout: PAGE_LIMIT_MS })
      } catch (error) {
        throw new Error(`the page did not report: ${problems.join('; ') || error.message}`)
      }
      return page.evaluate(() => globalThis.report)
    }
    await page.goto(url)
    const answer = `0x${(42).toString(16).padStart(64, '0')}`
    assert.deepEqual(await report(), { before: 0, status: '0x1', answer, kept: answer, after: 2 })
    const firstCallMs = Math.round(await page.evaluate(() => globalThis.firstCallMs))
    await page.reload()
    assert.deepEqual(await report(), { before: 2, status: '0x1', answer, kept: answer, after: 4 })
    return firstCallMs
  } finally {
    await context.close()
  }
}

/** @param framework bytes of the scripts that a page of the framework has without a node, compressed */
async function useFolder(served, { headers, framework = 0, limit = MAX_FIRST_CALL } = {}) {
  const server = await openPageServer(served, headers)
  try {
    const firstCallMs = await usePage(server.url)
    const { firstCall, all } = server.loaded()
    assert.ok(firstCall !== undefined, 'the page did not tell that it has called')
    const node = firstCall - framework
    assert.ok(node <= limit, `${firstCall} bytes until the first call, of them ${framework} of a framework`)
    const others = framework === 0 ? '' : ` and ${kilobytes(framework)} of the framework`
    return `until the first call ${kilobytes(node)}${others} in ${firstCallMs} ms, loaded ${kilobytes(all)} (gzip)`
  } finally {
    server.close()
  }
}

/** Bytes of the scripts of a page without a node. */
async function frameworkBytes(name, out) {
  if (name !== 'Next.js') return 0
  const server = await openPageServer(out)
  const page = await browser.newPage()
  try {
    await page.goto(`${server.url}empty.html`, { waitUntil: 'networkidle' })
    return server.loaded().all
  } finally {
    await page.close()
    server.close()
  }
}

const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`

async function useServer(start) {
  const free = await openPageServer(folder)
  const { port, url } = free
  free.close()
  const [program, args] = start(port)
  const child = spawn(program, args, { cwd: project, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const limit = Date.now() + PAGE_LIMIT_MS
    while (
      !(await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      assert.ok(Date.now() < limit, `no answer on ${url}`)
      assert.equal(child.exitCode, null, 'the server ended')
      await delay(100)
    }
    await usePage(url)
  } finally {
    child.kill()
    await ended
  }
}

function install(...packages) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  execFileSync('npm', ['install', ...options, ...packages], { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** A project with the bundlers and the package. */
function createProject() {
  mkdirSync(project)
  const copy = (...flags) => execFileSync('cp', [...flags, `${TOOLS}/.`, project], { stdio: 'ignore' })
  try {
    copy('-al')
    for (const file of NPM_FILES) {
      rmSync(path.join(project, file))
      copyFileSync(path.join(TOOLS, file), path.join(project, file))
    }
  } catch {
    // Another file system has no links.
    copy('-a')
  }
  const file = pack()
  install(file)
  rmSync(path.dirname(file), { recursive: true, force: true })
  assert.equal(existsSync(path.join(project, 'node_modules/@ethereumjs')), false)
  cpSync(PAGES, project, { recursive: true })
  // Parcel reads the entries of packages only on request.
  const manifest = path.join(project, 'package.json')
  const settings = {
    ...JSON.parse(readFileSync(manifest, 'utf8')),
    '@parcel/resolver-default': { packageExports: true },
  }
  writeFileSync(manifest, JSON.stringify(settings))
}

for (const needed of [TOOLS, CHROMIUM])
  if (!existsSync(needed)) throw new Error(`${needed} is missing: .ci/run installs it`)

const wanted = process.argv.slice(2)
const isWanted = ([name]) => wanted.length === 0 || wanted.includes(name)
try {
  createProject()
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  const builds = Object.entries(BUILDS).filter(isWanted)
  const lane = async () => {
    for (let next = builds.shift(); next !== undefined; next = builds.shift()) {
      const [name, build] = next
      const out = output(name.replaceAll(' ', '-'))
      await check(name, async () => {
        const start = performance.now()
        await build(out)
        const seconds = ((performance.now() - start) / 1000).toFixed(1)
        const framework = await frameworkBytes(name, out)
        return `built in ${seconds} s, ${await useFolder(out, { framework })}`
      })
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  for (const [name, start] of Object.entries(SERVERS).filter(isWanted)) await check(name, () => useServer(start))
  const reference = 'the EVM of @ethereumjs where the policy forbids WebAssembly'
  if (isWanted([reference])) {
    await check(reference, async () => {
      install(...REFERENCE_PACKAGES)
      const out = output('reference')
      const args = ['strict.js', '--bundle', '--minify', '--format=esm', '--splitting', `--outdir=${out}`]
      await run(tool('esbuild'), args, { cwd: project })
      writeFileSync(path.join(out, 'index.html'), SCRIPT_PAGE('strict.js'))
      return useFolder(out, { headers: STRICT, limit: MAX_REFERENCE_CALL })
    })
  }
} finally {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1
