/**
 * Builds `dist/devtools`: the explorer over a node in the browser, for any server of static files and any folder of it.
 *
 *   node adapters/server/build/devtoolsBuild.mjs [FOLDER, default dist/devtools]
 *
 * Everything but the files at the root is in folders that are named by their content, so that servers may have browsers keep them.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { mergeChunks } from './mergeChunks.mjs'
import { bundlePage, COMMON, contentHash, htmlText, inTemporaryFolder, POLICY, policyText } from './pageBuild.mjs'
import { pageModules } from './pageModules.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const SOURCES = 'adapters/devtools'
const PAGE = 'index.html'
const WORKER = 'worker.js'
/** Copied as they are. */
const ROOT_FILES = ['icon.svg', 'manifest.webmanifest']

/** That of the explorer, and what the node needs: WebAssembly, its worker, and trusted URLs of the workers. */
const DEVTOOLS_POLICY = {
  ...POLICY,
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': "'self'",
  'manifest-src': "'self'",
  'trusted-types': 'isonode',
}

/** For servers that send headers, which may also say that no page may frame this one. docs/guides/browser.md shows it. */
export const HEADER_POLICY = policyText({ ...DEVTOOLS_POLICY, 'frame-ancestors': "'none'" })

/** @param folder which is replaced */
export async function buildDevtools(folder) {
  const page = await bundlePage()
  const { files: ownFiles } = await inTemporaryFolder((outdir) => bundleOwn(outdir, `../../${page.script}`))
  const place = `app/${contentHash(ownFiles)}`
  const files = new Map([...page.files, ...[...ownFiles].map(([name, bytes]) => [`${place}/${name}`, bytes])])
  const places = { 'page.css': page.styles, 'start.css': `${place}/start.css`, 'main.js': `${place}/main.js` }
  files.set(PAGE, Buffer.from(htmlText(`${SOURCES}/${PAGE}`, DEVTOOLS_POLICY, places)))
  for (const name of ROOT_FILES) files.set(name, readFileSync(path.join(root, SOURCES, name)))
  files.set('sw.js', await bundleServiceWorker(files))
  rmSync(folder, { recursive: true, force: true })
  for (const [name, bytes] of files) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), bytes)
  }
}

/** The package declares its sources free of side effects, but this one is imported for them. */
const sharingWorker = {
  name: 'worker of shared nodes',
  setup({ onResolve }) {
    onResolve({ filter: /\/sharing\/worker\.ts$/ }, ({ path: name, resolveDir }) => ({
      path: path.join(resolveDir, name),
      sideEffects: true,
    }))
  },
}

/** Writes the start of the page, and the worker of the node with what it loads later. */
async function bundleOwn(outdir, explorer) {
  const common = { ...COMMON, absWorkingDir: root, outdir, splitting: true, chunkNames: '[name]-[hash]' }
  await build({
    ...common,
    entryPoints: { main: `${SOURCES}/main.ts`, start: `${SOURCES}/start/start.css` },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { EXPLORER: JSON.stringify(explorer) },
    external: [explorer],
  })
  const { metafile } = await build({
    ...common,
    entryPoints: { [path.parse(WORKER).name]: `${SOURCES}/worker/nodeWorker.ts` },
    metafile: true,
    plugins: [sharingWorker, pageModules],
  })
  await mergeChunks(outdir, metafile.outputs, { root, entries: [WORKER], options: COMMON })
}

/** @param files that it keeps, by name */
async function bundleServiceWorker(files) {
  const hashes = [...files].map(([name, bytes]) => [name === PAGE ? '' : name, integrityOf(bytes)])
  const { outputFiles } = await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: [`${SOURCES}/worker/serviceWorker.ts`],
    format: 'iife',
    write: false,
    define: { FILES: JSON.stringify(Object.fromEntries(hashes)), VERSION: JSON.stringify(contentHash(files)) },
  })
  return outputFiles[0].contents
}

const integrityOf = (bytes) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildDevtools(path.resolve(root, process.argv[2] ?? 'dist/devtools'))
}
