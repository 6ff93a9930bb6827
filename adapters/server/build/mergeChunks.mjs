/**
 * Merges what a page loads from the start into two files. esbuild makes a chunk for each set of entries and dynamic
 * imports that share modules, which would be more than a hundred requests; and a bundler of a page does the same with
 * the files that it is given.
 * @module
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const PAGE = 'page.js'
const IMPORT = /(import|export)\s*\{([^{}]*)\}\s*from\s*"\.\/([\w-]+\.js)"/g
const STATIC_IMPORT = /(?:from|import)\s*"\.\/([\w-]+\.js)"/g
const BARE_IMPORT = /import\s*"\.\/([\w-]+\.js)";?\s*/g

/**
 * The worker of a shared node loads one file from the start; only pages load the other one, because otherwise the
 * worker would lead back to what starts it, which bundlers cannot name by content.
 * @param {string} outdir folder of the bundles
 * @param {import('esbuild').Metafile['outputs']} outputs of the build, whose names are relative to `root`
 * @param {{ root: string, entries: string[], worker?: string, core?: string, options: import('esbuild').BuildOptions }} how
 *   entries of pages and the one of the worker, if there is one, by file name; name of the merged file; options of the second pass
 * @returns the files with code
 */
export async function mergeChunks(outdir, outputs, { root, entries, worker, core = 'core.js', options }) {
  const files = new Map(
    Object.entries(outputs).map(([name, output]) => [path.basename(name), { ...output, file: path.join(root, name) }]),
  )
  const eager = withStaticImports(files, entries)
  const ofWorker = worker === undefined ? eager : withStaticImports(files, [worker])
  /** The merged file of each eager one. */
  const targets = new Map([...eager].map((name) => [name, ofWorker.has(name) ? core : PAGE]))
  const names = [...eager]
  /** The name that an export of an eager file has in the merged file. */
  const merged = (file, exported) => `${exported}$${names.indexOf(file)}`
  // Modules compress best in the order in which they are evaluated, which is that of the imports in the text.
  const evaluated = [...new Set(entries.flatMap((name) => [...importsIn(outdir, name), name]))]
  const mergedFiles = [...new Set(targets.values())]
  for (const target of mergedFiles) {
    const members = evaluated.filter((name) => targets.get(name) === target)
    const lines = members.map((name) => {
      const list = files.get(name).exports.map((exported) => `${exported} as ${merged(name, exported)}`)
      return `export {${list.join()}} from './${name}'`
    })
    await build({
      ...options,
      stdin: { contents: lines.join('\n'), resolveDir: outdir },
      outfile: path.join(outdir, target),
      plugins: [keepOthers(new Set(members))],
    })
  }
  const written = [...mergedFiles, ...[...files.keys()].filter((name) => !eager.has(name))]
  for (const name of written) writeFileSync(path.join(outdir, name), rewritten(outdir, name, targets, merged))
  for (const name of written) {
    const text = readFileSync(path.join(outdir, name), 'utf8')
    const removed = names.find((each) => !entries.includes(each) && text.includes(`"./${each}"`))
    if (removed !== undefined) throw new Error(`${name} imports ${removed}, which is merged`)
  }
  for (const name of names) rmSync(path.join(outdir, name))
  for (const name of entries) {
    const list = files.get(name).exports.map((exported) => `${merged(name, exported)} as ${exported}`)
    // All files are asked for at once.
    const imports = mergedFiles.map((file) => `import './${file}'\n`).join('')
    writeFileSync(path.join(outdir, name), `${imports}export {${list.join()}} from './${targets.get(name)}'\n`)
  }
  return written.map((name) => path.join(outdir, name))
}

/** All files that a bundle imports statically; it names each of them. */
function importsIn(outdir, name) {
  const text = readFileSync(path.join(outdir, name), 'utf8')
  return [...text.matchAll(STATIC_IMPORT)].map(([, file]) => file)
}

/** The files, and all that they import statically. */
function withStaticImports(files, names) {
  const found = new Set(names)
  for (const name of found) {
    for (const { kind, path: imported, external } of files.get(name).imports) {
      if (kind === 'import-statement' && external !== true) found.add(path.basename(imported))
    }
  }
  return found
}

/** Files that are loaded later or from another merged file, and packages, stay outside. */
function keepOthers(members) {
  return {
    name: 'keep others',
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ path: name, kind }) => {
        const isMember = members.has(path.basename(name)) && name.startsWith('./') && kind !== 'dynamic-import'
        return isMember ? undefined : { path: name, external: true }
      })
    },
  }
}

function rewritten(outdir, name, targets, merged) {
  const imported = new Set()
  /** A bare import says nothing after the first. */
  const bareImport = (target) => {
    const isFirst = !imported.has(target)
    imported.add(target)
    return isFirst ? `import"./${target}";` : ''
  }
  return readFileSync(path.join(outdir, name), 'utf8')
    .replace(IMPORT, (text, keyword, list, file) => {
      if (!targets.has(file)) return text
      const renamed = list.split(',').map((item) => {
        const [exported, local = exported] = item.trim().split(/\s+as\s+/)
        return `${merged(file, exported)} as ${local}`
      })
      return `${keyword}{${renamed.join()}}from"./${targets.get(file)}"`
    })
    .replace(BARE_IMPORT, (text, file) => (targets.has(file) ? bareImport(targets.get(file)) : text))
}
