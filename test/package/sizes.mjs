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
/** Bytes of what a program or a page loads first. */
const BUDGETS = {
  'isonode on Node, Deno and Bun': { file: 'dist/mod.cjs', platform: 'node', budget: 1_000_000 },
  'isonode in pages': { file: 'dist/adapters/browser/library.js', platform: 'browser', budget: 375_000 },
  'isonode/browser': { file: 'dist/adapters/browser/index.js', platform: 'browser', budget: 375_000 },
}

async function compressedSize(file, platform) {
  const entry = path.join(root, file)
  if (platform === 'node') {
    const [, folder] = /'\.\/(build-[^/]+)\//.exec(readFileSync(entry, 'utf8'))
    return gzipSync(readFileSync(path.join(root, 'dist', folder, 'program.cjs'))).length
  }
  const outdir = mkdtempSync(path.join(tmpdir(), 'isonode-sizes-'))
  try {
    await build({
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
    return gzipSync(readFileSync(path.join(outdir, path.basename(file)))).length
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

for (const [name, { file, platform, budget }] of Object.entries(BUDGETS)) {
  const size = await compressedSize(file, platform)
  console.log(`${size <= budget ? 'ok    ' : 'FAILED'}  ${name}: ${size} bytes of ${budget}`)
  if (size > budget) process.exitCode = 1
}
