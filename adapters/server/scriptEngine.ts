/**
 * The engine that runs tracers written in JavaScript, loaded for the first of them.
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { ScriptEngine, ScriptMachine } from '../../src/base/ports/scriptSandbox.ts'

/** The build puts the engine beside the program. */
const BESIDE = new URL('quickjs.wasm', import.meta.url)
const PACKAGED = '@jitl/quickjs-wasmfile-release-sync/wasm'

function engineBytes(): Promise<Uint8Array> {
  return readFile(BESIDE).catch(() => readFile(createRequire(import.meta.url).resolve(PACKAGED)))
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
