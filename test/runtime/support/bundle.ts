/** Bundles as built by users, and checks of their content. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { REPOSITORY } from './chains.ts'

export interface Bundle {
  /** The entry, and the files that it loads on demand. */
  readonly files: readonly { readonly name: string; readonly text: string }[]
  /** WebAssembly modules that the platform compiles, if the bundle's options have a loader that copies them. */
  readonly wasmFiles: readonly { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }[]
  /** Specifiers that are resolved by the host. */
  readonly externals: readonly string[]
  readonly sizes: string
}

/** @param entry relative to the repository */
export async function bundle(entry: string, outdir: string, options: BuildOptions): Promise<Bundle> {
  const { metafile } = await build({
    absWorkingDir: REPOSITORY,
    entryPoints: [entry],
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    logLevel: 'error',
    ...options,
  })
  const outputs = readdirSync(outdir)
  const files = outputs
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ name, text: readFileSync(path.join(outdir, name), 'utf8') }))
  const wasmFiles = outputs
    .filter((name) => name.endsWith('.wasm'))
    .map((name) => ({ name, bytes: readFileSync(path.join(outdir, name)) }))
  const externals = Object.values(metafile?.outputs ?? {}).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path: specifier }) => specifier),
  )
  return { files, wasmFiles, externals, sizes: sizesOf(files, path.basename(entry, '.ts')) }
}

function sizesOf(files: Bundle['files'], entry: string): string {
  const kilobytes = (list: Bundle['files']): string => {
    const bytes = list.map(({ text }) => Buffer.from(text))
    const sum = (lengths: number[]): string => (lengths.reduce((total, length) => total + length, 0) / 1000).toFixed(0)
    return `${sum(bytes.map(({ length }) => length))} kB, ${sum(bytes.map((text) => gzipSync(text).length))} kB gzip`
  }
  const first = withStaticImports(files, `${entry}.js`)
  return `at start ${kilobytes(first)}; with all that is loaded when needed ${kilobytes(files)}`
}

/** A file and all its static imports. */
export function withStaticImports(files: Bundle['files'], entry: string): Bundle['files'] {
  const names = new Set([entry])
  for (const name of names) {
    const text = files.find((file) => file.name === name)?.text ?? ''
    for (const match of text.matchAll(/\b(?:from|import)"\.\/([^"]+)"/g)) names.add(match[1] as string)
  }
  return files.filter(({ name }) => names.has(name))
}
