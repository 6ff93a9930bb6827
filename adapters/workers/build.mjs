/**
 * Bundles the Worker, for wrangler and for the tests. It leaves out the parts that no Worker needs: texts for the command line, methods of
 * groups that it does not serve, tracers in JavaScript, the accounts of Mainnet's first block, and the text of the EVM's module,
 * which is a file.
 * @module
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { TEXT, TEXTS } from '../server/build/pageModules.mjs'

const root = path.resolve(import.meta.dirname, '../..')

/** Modules and what they export instead. */
const EMPTY = [
  [/\/evm\/native\/wasmBase64\.ts$/, `export const WASM_BASE64 = ''`],
  [/\/config\/networks\/mainnetAlloc\.ts$/, `export const MAINNET_ALLOC = ''`],
  ...['admin', 'dev', 'eea', 'isonode', 'miner', 'perm', 'priv'].map((name) => [
    new RegExp(`/rpc/methods/${name}/index\\.ts$`),
    `export const ${name}Methods = []`,
  ]),
  [/\/api\/contracts\/contractFiles\.ts$/, 'export const contractFiles = () => undefined'],
  [/\/tracing\/js\/runScript\.ts$/, 'export const runScript = undefined'],
  [/\/rpc\/methods\/plugins\/index\.ts$/, 'export const pluginMethods = []'],
]

const METHODS = /\/rpc\/methods\/.*\.ts$/
const SUMMARY = /\bsummary:\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g

/** @type {import('esbuild').Plugin} */
const workerModules = {
  name: 'worker modules',
  setup({ onLoad }) {
    for (const [filter, contents] of EMPTY) onLoad({ filter }, () => ({ contents, loader: 'ts' }))
    onLoad({ filter: METHODS }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8').replaceAll(SUMMARY, "summary: ''"),
      loader: 'ts',
    }))
    onLoad({ filter: TEXTS }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8').replaceAll(TEXT, "$1: ''"),
      loader: 'ts',
    }))
  },
}

/** @type {import('esbuild').BuildOptions} */
export const workerOptions = {
  absWorkingDir: root,
  entryPoints: ['adapters/workers/worker.ts'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*'],
  loader: { '.wasm': 'copy' },
  plugins: [workerModules],
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ ...workerOptions, outdir: 'dist/worker' })
