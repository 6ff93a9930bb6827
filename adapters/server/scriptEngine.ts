/**
 * The engine that runs tracers written in JavaScript, loaded for the first of them.
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { ScriptEngine, ScriptMachine } from '../../src/base/ports/scriptSandbox.ts'

/** The build puts the engine beside the program. It is compressed, because few nodes read it. */
const BESIDE = new URL('quickjs.wasm.br', import.meta.url)
const PACKAGED = '@jitl/quickjs-wasmfile-release-sync/wasm'

async function engineBytes(): Promise<Uint8Array> {
  const compressed = await readFile(BESIDE).catch(() => undefined)
  if (compressed === undefined) return readFile(createRequire(import.meta.url).resolve(PACKAGED))
  return promisify(brotliDecompress)(compressed)
}

let loading: Promise<ScriptEngine> | undefined

async function load(): Promise<ScriptEngine> {
  const { quickJsEngine } = await import('../shared/quickJs.ts')
  return quickJsEngine(engineBytes)
}

export const scriptEngine: ScriptEngine = {
  open: async (): Promise<ScriptMachine> => {
    loading ??= load()
    return (await loading).open()
  },
}
