/**
 * Builds the service worker in three scripts, so that a browser that wakes it loads only what the request needs: one finds the
 * node of the tabs, one opens a node, and one has what few requests need. A browser compiles a whole script whenever it starts a
 * worker, and a service worker may load later only scripts that it loaded when it was installed.
 *
 *   node node_modules/isonode/dist/adapters/browser/serviceWorkerBuild.js public/service-worker.js
 *
 * Needs esbuild in the project. The other scripts are beside the first: `service-worker.node.js` and `service-worker.later.js`.
 * @module
 */
import { createHash } from 'node:crypto'
import { realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Exports of the modules that a node loads until its first answer over HTTP. */
const FIRST_ANSWER = ['openHostedNode', 'createEndpoints', 'StatePruner']
/** Exports of modules that a dev chain in a database never loads. A service worker opens no other chain. */
const UNUSED = [
  'MAINNET_ALLOC',
  'GraphqlService',
  'openNetwork',
  'engineProducer',
  'openStratum',
  'openPageFork',
  'openPageMirror',
  'openPrivacy',
  'assemblePermissions',
]
const SYNTAX = { target: 'es2022', minify: true, logLevel: 'error' }
const ENTRY = fileURLToPath(new URL('./serviceWorker.js', import.meta.url))
/** The chunk that runs first. */
const FIRST = 'first'

/**
 * @param {typeof import('esbuild')} esbuild
 * @param {string} outfile of the first script
 * @param {import('esbuild').BuildOptions & { entry?: string }} [options] of the bundle; its source
 * @returns the names of the scripts
 */
export async function buildServiceWorker({ build, transform }, outfile, { entry = ENTRY, ...options } = {}) {
  const { outputFiles, metafile } = await build({
    external: ['@ethereumjs/*', 'tiny-secp256k1'],
    ...SYNTAX,
    ...options,
    entryPoints: { [FIRST]: entry },
    outdir: path.dirname(outfile),
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
  })
  const texts = new Map(outputFiles.map((file) => [path.basename(file.path), file.text]))
  const chunks = new Map(Object.entries(metafile.outputs).map(([name, chunk]) => [path.basename(name), chunk]))
  const first = withImports(chunks, [`${FIRST}.js`], isStatic)
  const node = withImports(chunks, chunksOf(chunks, FIRST_ANSWER), isStatic).filter((name) => !first.includes(name))
  const unused = chunksOf(chunks, UNUSED)
  const used = withImports(chunks, first, ({ path: imported }) => !unused.includes(path.basename(imported)))
  const later = used.filter((name) => !first.includes(name) && !node.includes(name))
  const script = async (names) => `isonodeChunks({${(await Promise.all(names.map(chunk))).join()}})`
  const chunk = async (name) => {
    const how = { ...SYNTAX, format: 'cjs', supported: { 'dynamic-import': false } }
    const { code } = await transform(texts.get(name), how)
    return `${JSON.stringify(name)}(require,module,exports){${code}}`
  }
  const { dir, name, ext } = path.parse(outfile)
  const parts = await Promise.all(
    Object.entries({ node, later }).map(async ([part, names]) => ({
      file: `${name}.${part}${ext}`,
      names,
      text: await script(names),
    })),
  )
  // The hash keeps a browser from combining scripts of two versions.
  const addresses = parts.map(({ file, text }) => `${file}?${hashOf(text)}`)
  const places = parts.flatMap(({ names }, index) => names.map((each) => [each, index]))
  const { code: loader } = await transform(LOADER(addresses, Object.fromEntries(places)), SYNTAX)
  const text = `${loader}${await script(first)};isonodeRequire('${FIRST}.js')`
  const written = [...parts, { file: `${name}${ext}`, text }]
  for (const part of written) writeFileSync(path.join(dir, part.file), `${part.text}\n`)
  return written.map(({ file }) => file)
}

/** Chunks are functions, which run when another one needs them. */
const LOADER = (addresses, places) => `
const addresses = ${JSON.stringify(addresses)}, places = ${JSON.stringify(places)}
const chunks = {}, modules = {}
self.isonodeChunks = (given) => void Object.assign(chunks, given)
self.isonodeRequire = (path) => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name in modules) return modules[name].exports
  if (!(name in chunks)) {
    if (!(name in places)) throw new Error('a service worker has no ' + name)
    importScripts(addresses[places[name]])
  }
  const module = modules[name] = { exports: {} }
  chunks[name](isonodeRequire, module, module.exports)
  return module.exports
}
addEventListener('install', () => importScripts(...addresses))
`

const isStatic = ({ kind }) => kind === 'import-statement'

/** These chunks, and all that they import by imports that `isFollowed` accepts. */
function withImports(chunks, names, isFollowed) {
  const found = new Set(names)
  for (const name of found) {
    const inside = chunks.get(name).imports.filter(({ external }) => external !== true)
    for (const { path: imported } of inside.filter(isFollowed)) found.add(path.basename(imported))
  }
  return [...found]
}

/** The chunks with these exports that dynamic imports load. */
function chunksOf(chunks, exported) {
  return exported.map((name) => {
    const [found] = [...chunks].find(([, { entryPoint, exports }]) => entryPoint && exports.includes(name)) ?? []
    if (found === undefined) throw new Error(`no chunk exports ${name}`)
    return found
  })
}

const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12)

async function buildForProject([outfile]) {
  if (outfile === undefined) throw new Error('expected the name of the script: public/service-worker.js')
  const { resolve } = createRequire(path.resolve('package.json'))
  const esbuild = await import(pathToFileURL(resolve('esbuild')).href)
  console.log((await buildServiceWorker(esbuild, outfile)).join('\n'))
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await buildForProject(process.argv.slice(2))
}
