/**
 * Compiles the interpreter to module.wasm, and to the same bytes as text in wasmBase64.ts, both in the parent folder.
 * With `--check` it writes nothing and fails when they differ from a fresh build.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import asc from 'assemblyscript/asc'

const OPTIONS = [
  '-O3',
  '--converge',
  '--noAssert',
  '--enable',
  'simd',
  '--runtime',
  'stub',
  // Pages of 64 KiB: 256 MiB for all frames of a message, which otherwise ends out of memory.
  '--maximumMemory',
  '4096',
  // A trap is a bug, and there is nothing to report it to.
  '--use',
  'abort=',
  // Pointers are intentionally 32 bits wide.
  '--disableWarning',
  '201',
]

const assembly = import.meta.dirname
const wasmFile = path.join(assembly, '../module.wasm')
const textFile = path.join(assembly, '../wasmBase64.ts')

async function compile() {
  let output
  const { error, stderr } = await asc.main(
    ['index.ts', '--baseDir', assembly, '--outFile', 'module.wasm', ...OPTIONS],
    {
      readFile: (name, base) => {
        try {
          return readFileSync(path.resolve(base, name), 'utf8')
        } catch {
          return null
        }
      },
      writeFile: (_name, contents) => {
        output = contents
      },
      listFiles: () => [],
    },
  )
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`)
  if (WebAssembly.Module.imports(new WebAssembly.Module(output)).length > 0) throw new Error('the module has imports')
  return output
}

function textOf(bytes) {
  const lines = [
    '/** Built by assembly/build.mjs; do not edit. */',
    '',
    '/** The native interpreter, a WebAssembly module. */',
    'export const WASM_BASE64: string =',
    `  '${Buffer.from(bytes).toString('base64')}'`,
    '',
  ]
  return lines.join('\n')
}

const bytes = await compile()
if (process.argv.includes('--check')) {
  const isSame = Buffer.compare(readFileSync(wasmFile), bytes) === 0 && readFileSync(textFile, 'utf8') === textOf(bytes)
  if (!isSame) {
    console.error('module.wasm or wasmBase64.ts is out of date; run npm run build:wasm')
    process.exitCode = 1
  }
} else {
  writeFileSync(wasmFile, bytes)
  writeFileSync(textFile, textOf(bytes))
  console.log(`module.wasm: ${bytes.length} bytes`)
}
