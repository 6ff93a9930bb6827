/**
 * Compiles the interpreter to module.wasm, and to the same bytes as text in wasmBase64.ts, both in the parent folder.
 * With `--check` it writes nothing and fails when they differ from a fresh build.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compile, textOf } from './compile.mjs'

// Pages of 64 KiB. The host's bound is STATE_MEMORY_LIMIT.
const OPTIONS = ['--maximumMemory', '65536']

const assembly = import.meta.dirname
const wasmFile = path.join(assembly, '../module.wasm')
const textFile = path.join(assembly, '../wasmBase64.ts')

const bytes = await compile(path.join(assembly, 'index.ts'), assembly, OPTIONS)
const text = textOf(bytes, 'The native interpreter, a WebAssembly module.')
if (process.argv.includes('--check')) {
  const isSame = Buffer.compare(readFileSync(wasmFile), bytes) === 0 && readFileSync(textFile, 'utf8') === text
  if (!isSame) {
    console.error('module.wasm or wasmBase64.ts is out of date; run npm run build:wasm')
    process.exitCode = 1
  }
} else {
  writeFileSync(wasmFile, bytes)
  writeFileSync(textFile, text)
  console.log(`module.wasm: ${bytes.length} bytes`)
}
