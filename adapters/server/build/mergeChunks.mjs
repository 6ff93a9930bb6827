/**
 * Merges what a page loads from the start into one file. esbuild makes a chunk for each set of entries and dynamic
 * imports that share modules, which would be more than a hundred requests; and a bundler of a page does the same with
 * the files that it is given.
 * @module
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const CORE = 'core.js'
const IMPORT = /(import|export)\s*\{([^{}]*)\}\s*from\s*"\.\/([\w-]+\.js)"/g
const BARE_IMPORT = /import\s*"\.\/([\w-]+\.js)"/g

/**
 * @param {string} outdir folder of the bundles
 * @param {import('esbuild').Metafile['outputs']} outputs of the build, whose names are relative to `root`
 * @param {{ root: string, entries: string[], options: import('esbuild').BuildOptions }} how entries by file name; options
 *   of the second pass
 */
export async function mergeChunks(outdir, outputs, { root, entries, options }) {
  const files = new Map(
    Object.entries(outputs).map(([name, output]) => [path.basename(name), { ...output, file: path.join(root, name) }]),
  )
  const eager = new Set(entries)
  for (const name of eager) {
    for (const { kind, path: imported, external } of files.get(name).imports) {
      if (kind === 'import-statement' && external !== true) eager.add(path.basename(imported))
    }
  }
  const names = [...eager]
  /** The name that an export of an eager file has in the merged file. */
  const merged = (file, exported) => `${exported}$${names.indexOf(file)}`
  const lines = names.map((name) => {
    const list = files.get(name).exports.map((exported) => `${exported} as ${merged(name, exported)}`)
    return `export {${list.join()}} from './${name}'`
  })
  await build({
    ...options,
    stdin: { contents: lines.join('\n'), resolveDir: outdir },
    outfile: path.join(outdir, CORE),
    plugins: [keepOthers(eager)],
  })
  for (const name of files.keys()) {
    if (!eager.has(name)) writeFileSync(path.join(outdir, name), rewritten(outdir, name, eager, merged))
  }
  for (const name of [CORE, ...files.keys()]) {
    const text = eager.has(name) ? '' : readFileSync(path.join(outdir, name), 'utf8')
    const removed = names.find((each) => text.includes(`"./${each}"`))
    if (removed !== undefined) throw new Error(`${name} imports ${removed}, which is merged`)
  }
  for (const name of names) rmSync(path.join(outdir, name))
  for (const name of entries) {
    const list = files.get(name).exports.map((exported) => `${merged(name, exported)} as ${exported}`)
    writeFileSync(path.join(outdir, name), `export {${list.join()}} from './${CORE}'\n`)
  }
}

/** Files that are loaded later, and packages, stay outside. */
function keepOthers(eager) {
  return {
    name: 'keep others',
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ path: name }) =>
        eager.has(path.basename(name)) && name.startsWith('./') ? undefined : { path: name, external: true },
      )
    },
  }
}

function rewritten(outdir, name, eager, merged) {
  return readFileSync(path.join(outdir, name), 'utf8')
    .replace(IMPORT, (text, keyword, list, file) => {
      if (!eager.has(file)) return text
      const renamed = list.split(',').map((item) => {
        const [exported, local = exported] = item.trim().split(/\s+as\s+/)
        return `${merged(file, exported)} as ${local}`
      })
      return `${keyword}{${renamed.join()}}from"./${CORE}"`
    })
    .replace(BARE_IMPORT, (text, file) => (eager.has(file) ? `import"./${CORE}"` : text))
}
