import { readFileSync } from 'node:fs'
import path from 'node:path'
import asc from 'assemblyscript/asc'

/**
 * Compiles AssemblyScript to a module without imports.
 * @param {string} entry absolute path
 * @param {string} base absolute path of a folder with all sources
 * @param {readonly string[]} options of the compiler
 */
export async function compile(entry, base, options) {
  let output
  const { error, stderr } = await asc.main(
    [path.relative(base, entry), '--baseDir', base, '--outFile', 'module.wasm', ...COMMON, ...options],
    {
      readFile: (name, folder) => {
        try {
          return readFileSync(path.resolve(folder, name), 'utf8')
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

const COMMON = [
  '-O3',
  '--converge',
  '--noAssert',
  '--enable',
  'simd',
  // The compiler's runtime without a garbage collector.
  '--runtime',
  'stub',
  // A trap is a bug, and there is nothing to report it to.
  '--use',
  'abort=',
  // Pointers are intentionally 32 bits wide.
  '--disableWarning',
  '201',
]

/** A TypeScript module with the bytes as text. */
export function textOf(bytes, about) {
  const lines = [
    '/** Built by assembly/build.mjs; do not edit. */',
    '',
    `/** ${about} */`,
    'export const WASM_BASE64: string =',
    `  '${Buffer.from(bytes).toString('base64')}'`,
    '',
  ]
  return lines.join('\n')
}
