/**
 * Builds the explorer: `adapters/page` as a few files in a folder that is named by their content.
 *
 * Code that several views need is one file, which is loaded at the start; each view is another. The package has
 * each file only compressed with gzip, as the node serves it. For other servers, and for a clone that runs from its sources, this
 * program writes the same files beside their compressed forms:
 *
 *   node adapters/server/build/pageBuild.mjs [FOLDER, default dist/page]
 *
 * `?rpc=URL` of such a page names the node that it shows.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { build } from 'esbuild'
import { mergeChunks } from './mergeChunks.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const PAGE = 'adapters/page'
const MAIN = 'main.js'
const STYLES = 'main.css'
/** The file with the code that is loaded at the start, as mergeChunks names it. */
export const CORE = 'core.js'
const FIRST_VIEW = `${PAGE}/views/home/HomeView.tsx`
const CHARSET = '<meta charset="utf-8">'
/** Packages for a few views, which stay in files of their own. */
const LATE_PACKAGES = /(?:^|\/)node_modules\/(?:prismjs|uplot)\//

/**
 * The policy of the page where no server sends a stricter one; it may call any node.
 * The one of the node is in src/http/explorerPage.ts.
 */
export const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self' http: https: ws: wss:",
  'base-uri': "'none'",
  'form-action': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
}

/**
 * @param folder where the page is written
 * @param options `isPlain`: whether files are also written without compression
 * @returns the metafile of esbuild
 */
export async function buildPage(folder, { isPlain = false } = {}) {
  const { files, place, metafile } = await bundlePage()
  const text = withPreloads(pageText(place), [`${place}/${viewFile(metafile, FIRST_VIEW)}`])
  const outputs = [...files, ['index.html', Buffer.from(text)]]
  const written = outputs.map(async ([name, bytes]) => [
    name,
    await writePacked(path.join(folder, name), bytes, isPlain),
  ])
  const manifest = { files: Object.fromEntries(await Promise.all(written)) }
  writeFileSync(path.join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)
  return metafile
}

/**
 * @returns the files of the page by their place in it, the folder that they are in, the script and the styles that it loads
 *   from the start, and the metafile of esbuild
 */
export async function bundlePage() {
  const { files, metafile } = await inTemporaryFolder(bundle)
  const place = `ui/${contentHash(files)}`
  const placed = new Map([...files].map(([name, bytes]) => [`${place}/${name}`, bytes]))
  return { files: placed, place, script: `${place}/${CORE}`, styles: `${place}/${STYLES}`, metafile }
}

/**
 * Bundles in a folder outside the package, which declares its files free of side effects.
 * @param work writes files into the folder
 * @returns the files by name, and what the work returned
 */
export async function inTemporaryFolder(work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-page-'))
  try {
    const metafile = await work(folder)
    const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]))
    return { files, metafile }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Options of esbuild for everything that a page loads. */
export const COMMON = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
  // The licences are in one file.
  legalComments: 'none',
}

/** Writes core.js, main.css and a file for each view. */
async function bundle(outdir) {
  const { metafile } = await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: { main: `${PAGE}/main.tsx` },
    outdir,
    splitting: true,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: '[name]-[hash]',
  })
  const { outputs } = metafile
  const styles = Object.keys(outputs).filter((name) => name.endsWith('.css'))
  if (styles.length > 1) throw new Error('main.tsx must import all styles: views load none')
  const shared = Object.entries(outputs).filter(
    ([name, { entryPoint, inputs }]) =>
      name.endsWith('.js') && entryPoint === undefined && !Object.keys(inputs).some((file) => LATE_PACKAGES.test(file)),
  )
  const entries = [MAIN, ...shared.map(([name]) => path.basename(name))]
  const scripts = Object.fromEntries(Object.entries(outputs).filter(([name]) => name.endsWith('.js')))
  await mergeChunks(outdir, scripts, { root, entries, options: COMMON })
  for (const name of entries) rmSync(path.join(outdir, name))
  return metafile
}

/** @param files by name */
export function contentHash(files) {
  const hash = createHash('sha256')
  for (const [name, bytes] of [...files].sort()) hash.update(`${name}\0`).update(bytes)
  return hash.digest('hex').slice(0, 12)
}

/** The file that a view begins. */
function viewFile({ outputs }, view) {
  return path.basename(Object.keys(outputs).find((name) => outputs[name].entryPoint === view))
}

/** The page with the places of its files, which are relative: the page may be in any folder of a server. */
function pageText(place) {
  return htmlText(`${PAGE}/index.html`, POLICY, { 'main.css': `${place}/${STYLES}`, 'main.js': `${place}/${CORE}` })
}

/** @param policy directives by name */
export function policyText(policy) {
  return Object.entries(policy)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

/**
 * @param file of the page, from the root of the project
 * @param policy directives of the content security policy by name
 * @param places of files by the names that the page has for them
 */
export function htmlText(file, policy, places) {
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policyText(policy)}">`
  const quoted = Object.entries(places).map(([name, place]) => [`"${name}"`, `"${place}"`])
  let text = readFileSync(path.join(root, file), 'utf8')
  for (const [written, replacement] of [[CHARSET, `${CHARSET}\n    ${meta}`], ...quoted]) {
    if (!text.includes(written)) throw new Error(`${file} lacks ${written}`)
    text = text.replace(written, replacement)
  }
  return text.replaceAll(/^\s+/gm, '')
}

/**
 * Has the browser ask for scripts together with the one of the page, which would name them later.
 * @param text of the page
 * @param places of the scripts
 */
export function withPreloads(text, places) {
  const links = places.map((place) => `<link rel="modulepreload" href="${place}">\n`).join('')
  return text.replace('</head>', `${links}</head>`)
}

async function writePacked(file, bytes, isPlain) {
  mkdirSync(path.dirname(file), { recursive: true })
  const gz = await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })
  writeFileSync(`${file}.gz`, gz)
  if (isPlain) writeFileSync(file, bytes)
  return { bytes: bytes.length, gzip: gz.length }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = path.resolve(root, process.argv[2] ?? 'dist/page')
  await buildPage(folder, { isPlain: true })
  const page = readFileSync(path.join(folder, 'index.html'), 'utf8')
  for (const name of readdirSync(path.join(folder, 'ui'))) {
    if (!page.includes(`ui/${name}/`)) rmSync(path.join(folder, 'ui', name), { recursive: true })
  }
}
