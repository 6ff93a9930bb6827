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
import {
  bundlePage,
  COMMON,
  CORE,
  contentHash,
  htmlText,
  inTemporaryFolder,
  POLICY,
  policyText,
  withPreloads,
} from './pageBuild.mjs'
import { pageModules } from './pageModules.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const SOURCES = 'adapters/devtools'
const PAGE = 'index.html'
const MAIN = 'main.js'
const WORKER = 'worker.js'
/** Modules that the page loads for its first views, beside its script. */
const FIRST_VIEWS = ['adapters/devtools/start/main.tsx', 'adapters/page/views/home/HomeView.tsx']
/** Modules that the node loads for these views, beside those that each node needs from the start. */
const FIRST_METHODS = [
  'src/base/primitives/recovery.ts',
  '/@noble/curves/secp256k1.js',
  'src/rpc/furtherErrors.ts',
  'src/rpc/methods/dev/index.ts',
  'src/rpc/methods/eth/further.ts',
  'src/rpc/methods/net/index.ts',
  'src/rpc/methods/txpool/index.ts',
  'src/rpc/methods/web3/index.ts',
]
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
  const { files: ownFiles, metafile: early } = await inTemporaryFolder((outdir) =>
    bundleOwn(outdir, `../../${page.script}`),
  )
  const place = `app/${contentHash(ownFiles)}`
  const files = new Map([...page.files, ...[...ownFiles].map(([name, bytes]) => [`${place}/${name}`, bytes])])
  const places = { 'page.css': page.styles, 'start.css': `${place}/start.css`, 'main.js': `${place}/${MAIN}` }
  const views = chunksOf(page.metafile, FIRST_VIEWS).map((name) => `${page.place}/${name}`)
  const first = [...early.map((name) => `${place}/${name}`), page.script, ...views]
  files.set(PAGE, Buffer.from(withPreloads(htmlText(`${SOURCES}/${PAGE}`, DEVTOOLS_POLICY, places), first)))
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

/**
 * @param modules ends of their paths
 * @returns names of the files that these modules begin
 */
function chunksOf({ outputs }, modules) {
  const entries = Object.entries(outputs).filter(([, { entryPoint }]) =>
    modules.some((end) => entryPoint?.endsWith(end)),
  )
  return entries.map(([name]) => path.basename(name))
}

/** @returns the files, with all that they import statically */
function withImports({ outputs }, names) {
  const found = new Set(Object.keys(outputs).filter((name) => names.includes(path.basename(name))))
  for (const name of found) {
    const statics = outputs[name].imports.filter(({ kind, external }) => kind === 'import-statement' && !external)
    for (const { path: imported } of statics) found.add(imported)
  }
  return [...found].map((name) => path.basename(name))
}

/**
 * Writes the start of the page, and the worker of the node with what it loads later.
 * @returns names of the files that the first views need, beside the script
 */
async function bundleOwn(outdir, explorer) {
  const common = { ...COMMON, absWorkingDir: root, outdir, splitting: true, chunkNames: '[name]-[hash]' }
  const { metafile: page } = await build({
    ...common,
    metafile: true,
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
  const methods = chunksOf(metafile, FIRST_METHODS)
  await mergeChunks(outdir, metafile.outputs, { root, entries: [WORKER, ...methods], options: COMMON })
  const ofPage = withImports(page, [MAIN, ...chunksOf(page, FIRST_VIEWS)])
  return [...ofPage.filter((name) => name !== MAIN), WORKER, CORE, ...methods]
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
