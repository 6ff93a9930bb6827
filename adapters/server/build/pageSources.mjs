/**
 * Sources of the node that a page gets in a smaller form with the same meaning. Bundlers split by modules, so what one part of
 * a table needs from the start would load the whole table.
 * @module
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { deflateSync } from 'node:zlib'
import { build } from 'esbuild'

const source = (name) => fileURLToPath(new URL(`../../../src/${name}.ts`, import.meta.url))

/** Modules whose functions return promises. A page loads each with its first call, because its first request makes no block. */
export const ON_DEMAND = [
  'chain/executePlan',
  'chain/blockProcessor',
  'chain/importRun',
  'chain/sealRun',
  'chain/headerCheck',
  'chain/ommerSelection',
  'chain/verifyAgain',
  'chain/transition/buildBlock',
  'chain/transition/executeBlock',
  'dev/createdContracts',
  'state/flatRebuild',
].map(source)

/** Descriptions of parameters, which a page loads with the description of the methods (openRpc.page.ts). */
export const PARAMETER_TEXTS = source('rpc/methods/support/parameterTexts')

const PAGE_PROPERTIES = source('cli/pageProperties')

/** Members of a row that the option has in a page even if a page cannot set it. */
const DEFAULTS = ['type', 'default', 'devDefault', 'newChainDefault']
/** Members that no page shows. */
const UNSEEN = ['help', 'group', 'unit', 'needs', 'hidden']

/** Sources, and what a page gets instead. */
export const SOURCES = [
  { filter: /\/src\/config\/options\/(?:access|dev|fork|general|network|rpc)\.ts$/, contents: optionTable },
  { filter: /\/src\/rpc\/errorNumbers\.ts$/, contents: errorNumbers },
  { filter: /\/src\/base\/limits\/limits\.ts$/, contents: bounds },
  { filter: /\/src\/evm\/native\/wasmBase64\.ts$/, contents: deflatedModule },
]

/** The exports of a module of the sources that imports no host. */
async function evaluated(file) {
  const options = { bundle: true, write: false, format: 'esm', platform: 'neutral' }
  const { outputFiles } = await build({ entryPoints: [file], ...options })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`)
}

/** Options that a page can set are whole; of the others, it needs the defaults. */
async function optionTable(file) {
  const [{ PAGE_PROPERTIES: properties }, tables] = await Promise.all([evaluated(PAGE_PROPERTIES), evaluated(file)])
  const settable = new Set(Object.values(properties).flat())
  const lines = Object.entries(tables).map(([name, table]) => {
    const rows = Object.entries(table).map(([option, spec]) => [option, settable.has(option) ? spec : defaults(spec)])
    const needed = rows.filter(([, spec]) => Object.keys(spec).some((member) => member !== 'type'))
    return `export const ${name} = ${literal(Object.fromEntries(needed))}`
  })
  return lines.join('\n')
}

function defaults(spec) {
  return Object.fromEntries(Object.entries(spec).filter(([member]) => DEFAULTS.includes(member)))
}

/** A page knows the numbers of errors before it loads the texts. */
async function errorNumbers(file) {
  const { ERROR_NUMBERS: numbers } = await evaluated(file)
  return `export const ERROR_NUMBERS = new Set(${literal([...numbers])})`
}

/** As literals, bounds are inlined, so that a page does not load those of other parts. */
async function bounds(file) {
  const values = Object.entries(await evaluated(file))
  return values.map(([name, value]) => `export const ${name} = ${literal(value)}`).join('\n')
}

/** Text in base64 compresses badly. */
function deflatedModule(file) {
  const deflated = deflateSync(readFileSync(path.join(path.dirname(file), 'module.wasm')), { level: 9 })
  return `export const WASM_BASE64 = '${deflated.toString('base64')}'`
}

/** Schemas without content, under the same names. */
export async function emptySchemas(file) {
  const schemas = Object.entries(await evaluated(file))
  return schemas
    .map(([name, it]) => `export const ${name} = ${typeof it === 'function' ? '() => ({})' : '{}'}`)
    .join('\n')
}

/** The names of the texts, in angle brackets. */
export async function textNames(file) {
  const names = Object.keys(await evaluated(file))
  return names.map((name) => `export const ${name} = '<${name}>'`).join('\n')
}

/**
 * A module that loads another one with the first call of one of its functions.
 * @throws {Error} when an export is not an asynchronous function
 */
export async function onDemand(file) {
  const other = /^export (?!async function |type |interface ).*/m.exec(readFileSync(file, 'utf8'))
  if (other !== null) throw new Error(`${file} cannot be loaded on demand: ${other[0]}`)
  const { metafile } = await build({ entryPoints: [file], write: false, metafile: true, format: 'esm', outdir: '.' })
  const [{ exports: names }] = Object.values(metafile.outputs)
  const load = `import(${JSON.stringify(`./${path.basename(file)}`)})`
  return names.map((name) => `export const ${name} = async (...given) => (await ${load}).${name}(...given)`).join('\n')
}

/** The two hash functions that every chain needs, without the rest of their modules. */
export async function hashFunctions() {
  const contents = `export { sha256 } from '@noble/hashes/sha2.js'
export { keccak_256 } from '@noble/hashes/sha3.js'`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: path.dirname(fileURLToPath(import.meta.url)) },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  })
  return outputFiles[0].text
}

/** Source text of a value. */
function literal(value) {
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map(literal).join()}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).filter(([name]) => !UNSEEN.includes(name))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${literal(member)}`).join()}}`
}
