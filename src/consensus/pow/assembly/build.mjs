/**
 * Compiles ethash and writes it as text to wasmBase64.ts in the parent folder. With `--check` it writes nothing, and
 * fails if the text differs from a fresh build.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compile, textOf } from '../../../evm/native/assembly/compile.mjs'

const assembly = import.meta.dirname
const textFile = path.join(assembly, '../wasmBase64.ts')

const bytes = await compile(path.join(assembly, 'index.ts'), path.join(assembly, '../../..'), ['--initialMemory', '1'])
const text = textOf(bytes, 'Ethash, a WebAssembly module.')
if (process.argv.includes('--check')) {
  if (readFileSync(textFile, 'utf8') !== text) {
    console.error('wasmBase64.ts of ethash is out of date; run npm run build:wasm')
    process.exitCode = 1
  }
} else {
  writeFileSync(textFile, text)
  console.log(`ethash: ${bytes.length} bytes`)
}
