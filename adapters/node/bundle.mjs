/**
 * Last step of the build: bundles the program into few files, since loading hundreds of small modules would take a third
 * of the start-up time. `dist/server.js` is the command; rarely used modules are separate chunks, loaded on demand.
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
  // In the folder of the entries: workers are located relative to the module that starts them.
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
