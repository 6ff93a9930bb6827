/**
 * Last step of the build, after tsc: bundles the program and the library into a few files, because loading hundreds of
 * small modules would take a third of the start-up time.
 *
 * Everything that is loaded while a node runs is in one folder, `dist/build-<hash of its content>`, which never changes
 * once it has its name. The files at fixed places (`dist/server.js`, `dist/mod.js`, ...) only name that folder and are
 * replaced by a rename. A running node keeps the files of the build that it was started from.
 *
 *   node adapters/server/build/build.mjs [--dist FOLDER] [--label TEXT]
 *
 * A label makes two builds of the same sources differ.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { build, transform } from 'esbuild'
import { copyDeclarations } from './declarations.mjs'
import { hashOfInputs, inputsFile } from './inputs.mjs'
import { collectLicences } from './licences.mjs'
import { mergeChunks } from './mergeChunks.mjs'
import { buildPage } from './pageBuild.mjs'
import { pageModules, verifiedModules } from './pageModules.mjs'
import { shortenNames } from './shortNames.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { values } = parseArgs({ options: { dist: { type: 'string', default: 'dist' }, label: { type: 'string' } } })
const dist = path.resolve(root, values.dist)
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const here = (name) => path.join(root, 'adapters/server/build', name)
/** Builds that are kept for the nodes that run on them. */
const KEPT_BUILDS = 10

const WORKERS = [
  'blobWorker',
  'commitWorker',
  'datasetWorker',
  'httpWorker',
  'passwordWorker',
  'publishWorker',
  'recoveryWorker',
  'requestWorker',
  'sealWorker',
]
/** Large data that few chains need, as separate files. */
const DATA = {
  'mainnetAlloc.mjs': path.join(root, 'src/config/networks/mainnetAlloc.ts'),
}
const NODE_LIBRARY = [
  'adapters/browser/browser',
  'adapters/browser/library',
  'adapters/browser/referenceEvm',
  'adapters/browser/sharing/worker',
].filter((name) => existsSync(`${root}/${name}.ts`))
/** They share no files with the node, so that a page loads only what it needs. */
const APART = [
  'adapters/browser/verified',
  'adapters/browser/shared',
  'adapters/browser/serviceWorker',
  'adapters/browser/wallet',
]
const LIBRARY = [...NODE_LIBRARY, ...APART]

/** Loaded by a page that shares a node. */
const SHARED_NODE = 'adapters/browser/sharing/sharedNode.ts'
/** Loaded by a service worker that opens a node. */
const SERVICE_NODE = 'adapters/browser/sharing/hostedNode'

/** Loads the node in a worker. */
const WORKER_ENTRY = 'worker.js'

/** Those that a page loads from the start. */
const PAGE_ENTRIES = ['browser.js', 'library.js']

/** Entries of the package that are parts of the program (entry.ts). */
const NODE_PARTS = { mod: 'library', 'adapters/server/unstable': 'unstable' }

/** Packages that stay outside the bundles: optional ones, and those that a page may share with the bundles. */
const OPTIONAL = [...Object.keys(manifest.peerDependencies ?? {}), ...Object.keys(manifest.optionalDependencies ?? {})]
const inProgram = ['micro-eth-signer', 'tiny-secp256k1', 'bun:ffi', ...OPTIONAL]
const inLibrary = [...Object.keys(manifest.dependencies), ...OPTIONAL]

const common = {
  absWorkingDir: root,
  bundle: true,
  metafile: true,
  target: 'es2022',
  logLevel: 'warning',
  charset: 'ascii',
  // shortNames.mjs shortens the names that stack traces do not have.
  minifyWhitespace: true,
  minifySyntax: true,
  // The licences are in one file.
  legalComments: 'none',
}

const packages = (names) => names.flatMap((name) => [name, `${name}/*`])

/** Rewrites imports: large data become separate files, and unused parts of lmdb are dropped. */
const replacements = {
  name: 'replacements',
  setup({ onResolve, onLoad }) {
    const external =
      (file) =>
      ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: `./${file}`, external: true }
    onResolve({ filter: /\/mainnetAlloc\.ts$/ }, external('mainnetAlloc.mjs'))
    onResolve({ filter: /^node-gyp-build-optional-packages$/ }, () => ({ path: here('lmdbBinding.cjs') }))
    onResolve({ filter: /^(?:msgpackr|weak-lru-cache)$/ }, () => ({ path: here('unusedByLmdb.cjs') }))
    onLoad({ filter: /\/node_modules\/ordered-binary\/index\.js$/ }, ({ path: file }) => ({
      contents: withoutEval(readFileSync(file, 'utf8'), file),
    }))
  },
}

/** lmdb reads no keys with strings. An `eval` would keep the name of every variable that it could see. */
function withoutEval(text, file) {
  const [reader] = /(?<=const readString =)[^;]*?process\.isBun[\s\S]*?eval\(makeStringBuilder\(\)\)/.exec(text) ?? []
  if (reader === undefined) throw new Error(`${file}: no eval`)
  return text.replace(reader, ' undefined')
}

/** Minifies graphql: it is large, and stack traces rarely lead through it. */
const minified = {
  name: 'minified',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/graphql\/.*\.mjs$/ }, async ({ path: file }) => {
      const { code } = await transform(readFileSync(file, 'utf8'), { minify: true, format: 'esm', target: 'es2022' })
      return { contents: code, loader: 'js' }
    })
  },
}

/** The parameters of the program, which loadProgram.ts supplies; `importModule` replaces its dynamic imports. */
const PARAMETERS = 'exports, require, module, __filename, __dirname, importModule'

/** Servers have no tabs. */
const withoutTabs = {
  name: 'without tabs',
  setup({ onResolve }) {
    const file = path.join(root, 'adapters/browser/sharing/unsharedNode.ts')
    onResolve({ filter: /\/sharing\/sharedNode\.ts$/ }, () => ({ path: file }))
  },
}

/** The program as a function. */
async function bundleProgram(outdir) {
  const { metafile } = await build({
    ...common,
    entryPoints: { program: here('entry.ts') },
    outdir,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: packages(inProgram),
    plugins: [replacements, withoutTabs, minified],
    // On Node the package would resolve to CommonJS; its ES modules let the bundle drop what is unused.
    alias: { graphql: 'graphql/index.mjs' },
    define: { 'import.meta.url': 'moduleUrl' },
    logOverride: { 'empty-import-meta': 'silent' },
    banner: { js: `const moduleUrl = require('node:url').pathToFileURL(__filename).href;` },
  })
  const file = path.join(outdir, 'program.cjs')
  // A script cannot import modules; the function's caller can. (Methods may be called `import` as well.)
  const body = readFileSync(file, 'utf8').replaceAll(/(?<![\w$.#])import\((?=["'`])/g, 'importModule(')
  writeFileSync(file, `(function (${PARAMETERS}) {${body}\n})`)
  await shortenNames(file, { isModule: false })
  return metafile
}

async function bundleLoader(outdir) {
  const { metafile } = await build({
    ...common,
    entryPoints: { load: path.join(root, 'adapters/server/build/loadProgram.ts') },
    outdir,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Node prints the whole line of an uncaught error.
    lineLimit: 120,
    footer: { js: 'module.exports.program = module.exports.loadProgram(__dirname);' },
  })
  for (const name of WORKERS) {
    const text = `import { createRequire } from 'node:module'\n\ncreateRequire(import.meta.url)('./load.cjs').program.workers.${name}()\n`
    writeFileSync(path.join(outdir, `${name}.js`), text)
  }
  return metafile
}

const forPages = {
  ...common,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  external: packages(inLibrary),
  plugins: [replacements, pageModules],
}

const mergeOptions = {
  ...common,
  metafile: false,
  format: 'esm',
  platform: 'browser',
  logOverride: { 'ignored-bare-import': 'silent' },
}

/** Bundles each entry with the modules that it needs. The node stays in the files of the library. */
async function bundleApart(outdir) {
  const bundles = APART.map((file) => {
    const name = path.basename(file)
    return build({
      ...forPages,
      entryPoints: { [name]: `${file}.ts` },
      outdir,
      chunkNames: `${name}-[name]-[hash]`,
      plugins: [nodeOutside, ...(name === 'verified' ? [verifiedModules] : []), ...forPages.plugins],
    })
  })
  const metafiles = (await Promise.all(bundles)).map(({ metafile }) => metafile)
  const verifiedIndex = APART.findIndex((file) => path.basename(file) === 'verified')
  const mergedVerified = await mergeChunks(outdir, metafiles[verifiedIndex].outputs, {
    root,
    entries: ['verified.js'],
    core: 'verified-core.js',
    options: mergeOptions,
  })
  const others = metafiles.filter((_, index) => index !== verifiedIndex)
  const files = others.flatMap(({ outputs }) => Object.keys(outputs).map((name) => path.join(root, name)))
  for (const file of [...mergedVerified, ...files]) await shortenNames(file)
  const merged = (part) => Object.assign({}, ...metafiles.map((metafile) => metafile[part]))
  return { inputs: merged('inputs'), outputs: merged('outputs') }
}

/** A module that loads the node later takes it from the library. */
const nodeOutside = {
  name: 'node outside',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(?:browser|sharing\/hostedNode)\.ts$/ }, ({ path: name }) => ({
      path: `./${path.basename(name, '.ts')}.js`,
      external: true,
    }))
  },
}

async function bundleLibrary(outdir) {
  const { metafile } = await build({
    ...forPages,
    entryPoints: Object.fromEntries([...NODE_LIBRARY, SERVICE_NODE].map((name) => [path.basename(name), `${name}.ts`])),
    outdir,
    chunkNames: 'chunk-[hash]',
  })
  const [sharedNode] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === SHARED_NODE)
  const alone = [WORKER_ENTRY, path.basename(sharedNode)]
  const bundles = await mergeChunks(outdir, metafile.outputs, {
    root,
    entries: PAGE_ENTRIES,
    worker: WORKER_ENTRY,
    options: mergeOptions,
  })
  for (const name of alone) await withoutChunks(path.join(outdir, name))
  for (const file of bundles) await shortenNames(file)
  return metafile
}

/** Puts what a file imports statically into it, except the merged files: a browser learns of imports when the file has come. */
async function withoutChunks(file) {
  const others = {
    name: 'others',
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ path: name, kind }) => {
        const isInside = kind === 'entry-point' || (kind === 'import-statement' && /^\.\/chunk-/.test(name))
        return isInside ? undefined : { path: name, external: true }
      })
    },
  }
  await build({ ...mergeOptions, entryPoints: [file], outfile: file, allowOverwrite: true, plugins: [others] })
}

async function bundleData(outdir) {
  const { metafile } = await build({
    ...common,
    entryPoints: Object.fromEntries(Object.entries(DATA).map(([name, file]) => [path.parse(name).name, file])),
    outdir,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    plugins: [replacements],
  })
  return metafile
}

/** The engine of tracers written in JavaScript is read when the first of them comes. */
async function compressEngine(outdir) {
  const engine = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  writeFileSync(path.join(outdir, 'quickjs.wasm.br'), brotliCompressSync(readFileSync(engine)))
  return { inputs: {}, outputs: {} }
}

/** The explorer, which browsers get from the node. */
function bundleExplorer(outdir) {
  return buildPage(path.join(outdir, 'page'))
}

function contentHash(folder) {
  const hash = createHash('sha256')
  const files = readdirSync(folder, { recursive: true }).filter((name) => statSync(path.join(folder, name)).isFile())
  for (const name of files.sort()) hash.update(`${name}\0`).update(readFileSync(path.join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}

function replaceFile(file, text, mode = 0o644) {
  const partial = `${file}.${process.pid}.partial`
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(partial, text)
  chmodSync(partial, mode)
  renameSync(partial, file)
}

/** The names that a module exports, in the order of its bundle. */
async function exportsOf(entry) {
  const options = {
    ...common,
    entryPoints: [entry],
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  }
  const { metafile } = await build({ ...options, outdir: 'unused', logLevel: 'silent' })
  return Object.values(metafile.outputs)[0]
    .exports.filter((name) => name !== 'default')
    .sort()
}

/** A module with the exports of a part of the program, for `import` and for `require`. */
async function writeNodeEntry(name, part, folder) {
  const file = path.join(dist, `${name}.js`)
  const load = `${path.relative(path.dirname(file), folder).replaceAll('\\', '/')}/load.cjs`
  const target = load.startsWith('.') ? load : `./${load}`
  const names = await exportsOf(`${name}.ts`)
  const lines = names.map((exported) => `export const ${exported} = part.${exported}`)
  const head = `import { createRequire } from 'node:module'\n\nconst part = createRequire(import.meta.url)('${target}').program.${part}\n`
  replaceFile(file, `${head}${lines.join('\n')}\n`)
  replaceFile(file.replace(/\.js$/, '.cjs'), `module.exports = require('${target}').program.${part}\n`)
}

async function writeFixedFiles(folder) {
  const name = path.basename(folder)
  for (const entry of LIBRARY) {
    const depth = '../'.repeat(entry.split('/').length - 1)
    replaceFile(path.join(dist, `${entry}.js`), `export * from '${depth}${name}/${path.basename(entry)}.js'\n`)
  }
  const tool = 'adapters/browser/serviceWorkerBuild'
  replaceFile(path.join(dist, `${tool}.js`), readFileSync(path.join(root, `${tool}.mjs`), 'utf8'))
  for (const [entry, part] of Object.entries(NODE_PARTS)) await writeNodeEntry(entry, part, folder)
  const server = `#!/usr/bin/env node
import { createRequire } from 'node:module'

${versionCheck()}
// The kernel discards a signal to process 1 without a handler; those of the program follow when it is loaded.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {})
const { setHeapFlags, runProgram } = createRequire(import.meta.url)('./${name}/load.cjs').program
setHeapFlags()
async function run() {
  process.exitCode = await runProgram(process.argv.slice(2), process.env, \`node-\${process.version}\`)
}
void run()
`
  replaceFile(path.join(dist, 'server.js'), server, 0o755)
}

/** A statement that ends the program on a Node that is too old. Node 12 must be able to parse the whole file. */
function versionCheck() {
  const oldest = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node)
  if (oldest === null) throw new Error(`engines.node: expected >=MAJOR.MINOR, got ${manifest.engines.node}`)
  const [, major, minor] = oldest
  return `var version = process.versions.node.split('.').map(Number)
if (version[0] < ${major} || (version[0] === ${major} && version[1] < ${minor})) {
  console.error('isonode needs Node ${major}.${minor} or newer; this is ' + process.versions.node)
  process.exit(1)
}
`
}

/** Previous builds are not packed. They are removed once they are neither recent nor among the newest. */
function retireBuilds(current) {
  const previous = readdirSync(dist)
    .filter((name) => name.startsWith('build-') && name !== current)
    .map((name) => ({ name, modified: statSync(path.join(dist, name)).mtimeMs }))
    .sort((a, b) => b.modified - a.modified)
  for (const { name } of previous.slice(KEPT_BUILDS)) rmSync(path.join(dist, name), { recursive: true, force: true })
  for (const { name, modified } of previous.slice(0, KEPT_BUILDS)) {
    writeFileSync(path.join(dist, name, '.npmignore'), '*\n')
    utimesSync(path.join(dist, name), new Date(modified), new Date(modified))
  }
}

const fresh = path.join(dist, `.fresh-${process.pid}`)
mkdirSync(fresh, { recursive: true })
const inputs = hashOfInputs(root)
rmSync(inputsFile(dist), { force: true })
try {
  const metafiles = await Promise.all(
    [bundleProgram, bundleLoader, bundleLibrary, bundleApart, bundleData, compressEngine, bundleExplorer].map((step) =>
      step(fresh),
    ),
  )
  writeFileSync(path.join(fresh, 'LICENCES.txt'), collectLicences(root, metafiles))
  if (values.label !== undefined) writeFileSync(path.join(fresh, 'LABEL.txt'), `${values.label}\n`)
  const folder = path.join(dist, `build-${contentHash(fresh)}`)
  if (existsSync(folder)) rmSync(path.join(folder, '.npmignore'), { force: true })
  else renameSync(fresh, folder)
  utimesSync(folder, new Date(), new Date())
  await writeFixedFiles(folder)
  if (existsSync(path.join(dist, 'mod.d.ts'))) {
    const types = path.join(dist, 'types')
    rmSync(types, { recursive: true, force: true })
    copyDeclarations(dist, types, [...LIBRARY, 'mod'])
    copyDeclarations(dist, types, ['mod'], { kind: 'cjs' })
    // The comments of the node's parts are for readers of the sources: the package stays small without them.
    copyDeclarations(dist, types, ['adapters/server/unstable'], { hasComments: false })
  }
  retireBuilds(path.basename(folder))
  replaceFile(inputsFile(dist), inputs)
} finally {
  rmSync(fresh, { recursive: true, force: true })
}
