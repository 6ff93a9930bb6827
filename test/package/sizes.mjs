/**
 * Sizes of the entries of the built package, compressed with gzip, and their budgets.
 *
 *   npm run build && node test/package/sizes.mjs
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Bytes of the entry of a page with all that it imports statically; test/package/bundlers.mjs has the limit of built pages. */
const PAGE = { budget: 230_000 }
/** Bytes of what a program or a page loads first. */
const BUDGETS = {
  'isonode on Node, Deno and Bun': { file: 'dist/mod.cjs', platform: 'node', budget: 1_200_000 },
  'isonode in pages': { file: 'dist/adapters/browser/library.js', platform: 'browser', ...PAGE },
  'isonode/browser': { file: 'dist/adapters/browser/index.js', platform: 'browser', ...PAGE },
  'isonode/verified': { file: 'dist/adapters/browser/verified.js', platform: 'browser', budget: 152_000 },
}

/** @returns the size of the file and, for a page, of all that it imports statically */
async function compressedSize(file, platform) {
  const entry = path.join(root, file)
  if (platform === 'node') {
    const [, folder] = /'\.\/(build-[^/]+)\//.exec(readFileSync(entry, 'utf8'))
    return gzipSync(readFileSync(path.join(root, 'dist', folder, 'program.cjs'))).length
  }
  const outdir = mkdtempSync(path.join(tmpdir(), 'isonode-sizes-'))
  try {
    const { metafile } = await build({
      absWorkingDir: outdir,
      metafile: true,
      entryPoints: [entry],
      outdir,
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      platform,
      logLevel: 'error',
      external: ['@ethereumjs/*', 'tiny-secp256k1'],
    })
    const loaded = new Set([path.basename(file)])
    for (const name of loaded) {
      const statics = metafile.outputs[name].imports.filter(
        ({ kind, external }) => kind === 'import-statement' && !external,
      )
      for (const { path: imported } of statics) loaded.add(imported)
    }
    const sizes = [...loaded].map((name) => gzipSync(readFileSync(path.join(outdir, name))).length)
    return sizes.reduce((total, size) => total + size, 0)
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

function check(name, size, budget) {
  console.log(`${size <= budget ? 'ok    ' : 'FAILED'}  ${name}: ${size} bytes of ${budget}`)
  if (size > budget) process.exitCode = 1
}

for (const [name, { file, platform, budget }] of Object.entries(BUDGETS)) {
  check(name, await compressedSize(file, platform), budget)
}
