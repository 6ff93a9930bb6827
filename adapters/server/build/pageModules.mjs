/**
 * Adapts the sources to a page: a module with a neighbour `<name>.page.ts` is replaced by it, texts for the command line
 * and the reference are left out, and the native EVM is deflated, because text in base64 compresses badly.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'

/** Tables with texts that no page shows, and the members that hold them. */
const TEXTS = /\/src\/(?:config\/(?:options\/\w+|predeploys)|storage\/schema)\.ts$/
const TEXT = /\b(help|doc|group|unit|form|summary|source|licence):\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g

/** @type {import('esbuild').Plugin} */
export const pageModules = {
  name: 'page modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\..*\.ts$/ }, ({ path: name, resolveDir, importer }) => {
      const file = path.join(resolveDir, name.replace(/\.ts$/, '.page.ts'))
      return file !== importer && existsSync(file) ? { path: file } : undefined
    })
    onLoad({ filter: /\/evm\/native\/wasmBase64\.ts$/ }, ({ path: file }) => {
      const deflated = deflateSync(readFileSync(path.join(path.dirname(file), 'module.wasm')), { level: 9 })
      return { contents: `export const WASM_BASE64 = '${deflated.toString('base64')}'`, loader: 'ts' }
    })
    onLoad({ filter: TEXTS }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8').replaceAll(TEXT, "$1: ''"),
      loader: 'ts',
    }))
  },
}
