/**
 * Sizes of the entries of the built package, compressed with gzip, and their budgets.
 *
 *   npm run build && node test/package/sizes.mjs [--others [node_modules]]
 *
 * With `--others`, it also prints the WebAssembly alone of other verifying clients, which follow chains with proof of stake; ours
 * does not. They are expected in .cache/verified/node_modules, or in the folder that is named:
 *
 *   npm install --prefix .cache/verified --ignore-scripts @a16z/helios@0.11.1 @corpus-core/colibri-stateless@1.1.19
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { buildDevtools } from '../../adapters/server/build/devtoolsBuild.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Bytes of the entry of a page with all that it imports statically; test/package/bundlers.mjs has the limit of built pages. */
const PAGE = { budget: 200_000 }
/** Bytes of all files of the explorer; test/page/firstView.test.ts has the limit of its first view. */
const EXPLORER_BUDGET = 220_000
/** Bytes of all files of the explorer with a node in the browser, which it keeps at the first visit. */
const DEVTOOLS_BUDGET = 1_300_000
const VERIFIED = 'dist/adapters/browser/verified.js'
/** Bytes of what a program or a page loads first. `later`: with the file of this name that it loads later. */
const BUDGETS = {
  'isonode on Node, Deno and Bun': { file: 'dist/mod.cjs', platform: 'node', budget: 1_130_000 },
  'isonode in pages': { file: 'dist/adapters/browser/library.js', platform: 'browser', ...PAGE },
  'isonode/browser': { file: 'dist/adapters/browser/browser.js', platform: 'browser', ...PAGE },
  'isonode/shared': { file: 'dist/adapters/browser/shared.js', platform: 'browser', budget: 12_000 },
  'isonode/browser-worker': { file: 'dist/adapters/browser/sharing/worker.js', platform: 'browser', budget: 207_000 },
  'isonode/verified': { file: VERIFIED, platform: 'browser', budget: 68_500 },
  'isonode/verified with its first eth_call': {
    file: VERIFIED,
    platform: 'browser',
    later: 'verified-execution',
    budget: 120_000,
  },
  'isonode/wallet': { file: 'dist/adapters/browser/wallet.js', platform: 'browser', budget: 5_000 },
}
/** WebAssembly of other verifying clients, in node_modules. */
const OTHERS = ['@a16z/helios/pkg/index_bg.wasm', '@corpus-core/colibri-stateless/c4w.wasm']

/** @returns the size of the file and, for a page, of all that it imports statically, and that a file imports which it loads later */
async function compressedSize(file, platform, later) {
  const entry = path.join(root, file)
  if (platform === 'node') {
    const [, folder] = /'\.\/(build-[^/]+)\//.exec(readFileSync(entry, 'utf8'))
    return gzipSync(readFileSync(path.join(root, 'dist', folder, 'program.cjs'))).length
  }
  const outdir = mkdtempSync(path.join(tmpdir(), 'isonode-sizes-'))
  try {
    const { metafile } = await build({
      absWorkingDir: outdir,
      metafile: true,
      entryPoints: [entry],
      outdir,
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      platform,
      logLevel: 'error',
      external: ['@ethereumjs/*', 'tiny-secp256k1'],
    })
    const called = Object.keys(metafile.outputs).filter((name) => later !== undefined && name.startsWith(later))
    const loaded = new Set([path.basename(file), ...called])
    for (const name of loaded) {
      const statics = metafile.outputs[name].imports.filter(
        ({ kind, external }) => kind === 'import-statement' && !external,
      )
      for (const { path: imported } of statics) loaded.add(imported)
    }
    const sizes = [...loaded].map((name) => gzipSync(readFileSync(path.join(outdir, name))).length)
    return sizes.reduce((total, size) => total + size, 0)
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

function check(name, size, budget) {
  console.log(`${size <= budget ? 'ok    ' : 'FAILED'}  ${name}: ${size} bytes of ${budget}`)
  if (size > budget) process.exitCode = 1
}

/** @returns bytes of all files of the explorer, as browsers get them without TLS */
function explorerSize() {
  const [, folder] = /'\.\/(build-[^/]+)\//.exec(readFileSync(path.join(root, 'dist/mod.cjs'), 'utf8'))
  const { files } = JSON.parse(readFileSync(path.join(root, 'dist', folder, 'page/manifest.json'), 'utf8'))
  return Object.values(files).reduce((total, { gzip }) => total + gzip, 0)
}

/** @returns bytes of all files, as servers send them compressed */
async function devtoolsSize() {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-sizes-'))
  try {
    await buildDevtools(folder)
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const sizes = files.map(({ parentPath, name }) => gzipSync(readFileSync(path.join(parentPath, name))).length)
    return sizes.reduce((total, size) => total + size, 0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

for (const [name, { file, platform, later, budget }] of Object.entries(BUDGETS)) {
  check(name, await compressedSize(file, platform, later), budget)
}
check('the explorer', explorerSize(), EXPLORER_BUDGET)
check('the explorer with a node', await devtoolsSize(), DEVTOOLS_BUDGET)

const { values, positionals } = parseArgs({ options: { others: { type: 'boolean' } }, allowPositionals: true })
if (values.others) {
  const modules = positionals[0] ?? path.join(root, '.cache/verified/node_modules')
  for (const name of OTHERS) {
    const file = path.join(modules, name)
    if (existsSync(file)) console.log(`beside  ${name}: ${gzipSync(readFileSync(file)).length} bytes`)
    else console.log(`skipped ${name}: ${file} does not exist`)
  }
}
