/**
 * Last step of the build: the program as few files, since a node of hundreds of small modules would spend a third of
 * its start on finding them. `dist/server.js` is the command; what is rarely used stays apart and is loaded on demand.
 */
import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

for (const file of readdirSync('dist').filter((name) => name.startsWith('chunk-'))) rmSync(`dist/${file}`)

await build({
  entryPoints: {
    server: 'adapters/node/main.ts',
    blobWorker: 'adapters/node/blobWorker.ts',
    recoveryWorker: 'adapters/node/recoveryWorker.ts',
    requestWorker: 'adapters/node/requestWorker.ts',
  },
  outdir: 'dist',
  // Beside the entries: the workers are found relative to the module that starts them.
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  banner: { js: '#!/usr/bin/env node' },
})
chmodSync('dist/server.js', 0o755)
