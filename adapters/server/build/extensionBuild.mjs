/**
 * Builds the extension for the developer tools of Chromium and Firefox: `adapters/extension` and the explorer as files that
 * load nothing from elsewhere.
 *
 *   node adapters/server/build/extensionBuild.mjs [FOLDER, default dist/devtools-extension]
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { pageModules } from './pageModules.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const EXTENSION = 'adapters/extension'
/** They run in the inspected page, where scripts are no modules. */
const PAGE_SCRIPTS = { hook: 'hook/hook.ts', forked: 'hook/forked.ts', bridge: 'bridge.ts' }
const MODULES = {
  background: 'background.ts',
  devtools: 'devtools.ts',
  explorer: 'explorer.ts',
  node: 'node/node.ts',
  panel: 'panel/main.tsx',
}

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
}

/** A fork takes its genesis from the chain, and uses the native EVM. */
const unused = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/mainnetAlloc\.ts$|^@ethereumjs\// }, ({ path: name }) => ({
      path: name,
      namespace: 'unused',
    }))
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}', loader: 'js' }))
  },
}

/**
 * @param folder is replaced
 * @param changes of the manifest, such as the permission for a site that tests need
 */
export async function buildExtension(folder, changes = {}) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const entries = (names) =>
    Object.fromEntries(Object.entries(names).map(([name, file]) => [name, `${EXTENSION}/${file}`]))
  await build({ ...common, entryPoints: entries(PAGE_SCRIPTS), outdir: folder, format: 'iife' })
  await build({
    ...common,
    entryPoints: entries(MODULES),
    outdir: folder,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [pageModules, unused],
  })
  const pages = path.join(root, EXTENSION, 'pages')
  for (const name of readdirSync(pages)) copyFileSync(path.join(pages, name), path.join(folder, name))
  const manifest = { ...readJson(`${EXTENSION}/manifest.json`), version: readJson('package.json').version, ...changes }
  writeFileSync(path.join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

function readJson(name) {
  return JSON.parse(readFileSync(path.join(root, name), 'utf8'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildExtension(path.resolve(root, process.argv[2] ?? 'dist/devtools-extension'))
}
