/** The Worker in workerd, over R2 or over Workers KV, for benchmarks. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { WebSocket } from 'ws'
import { workerOptions } from '../../adapters/workers/build.mjs'
import { cpuMs } from './measuredNode.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const { openKvObjects } = await import(path.join(root, 'dist/adapters/shared/objects/kvObjects.js'))
const { R2Objects } = await import(path.join(root, 'dist/adapters/shared/objects/r2Objects.js'))

/** Name of the isolate, among those that stand for services of the platform. */
const USER_WORKER = 'core:user:'
const ENTRY = `export { default, LiveChain } from './adapters/workers/worker.ts'`

/** Builds the Worker. @param contents of the entry module, in the folder of the project */
export async function bundled(contents = ENTRY) {
  const { outputFiles } = await build({
    ...workerOptions,
    entryPoints: undefined,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outdir: path.join(root, 'dist/benchWorker'),
    write: false,
  })
  const modules = outputFiles.map(({ path: file, contents: bytes, text }) =>
    file.endsWith('.wasm')
      ? { type: 'CompiledWasm', path: path.basename(file), contents: bytes }
      : { type: 'ESModule', path: path.basename(file), contents: text },
  )
  // The first one is the entry.
  return modules.sort((a, b) => Number(b.type === 'ESModule') - Number(a.type === 'ESModule'))
}

/** Starts an isolate. @param kind `r2` or `kv` @param home folder of the stores */
export async function startIsolate({ modules, home, kind, publisher, inspected = false }) {
  const before = new Set(workerdProcesses())
  const miniflare = new Miniflare({
    cf: false,
    compatibilityDate: /compatibility_date = "(.*)"/.exec(readFileSync(path.join(root, 'wrangler.toml'), 'utf8'))[1],
    modules,
    handleStructuredLogs: () => {},
    ...(inspected ? { inspectorPort: 0 } : {}),
    ...(kind === 'r2'
      ? { r2Buckets: { MIRROR: 'mirror' }, r2Persist: path.join(home, 'r2') }
      : { kvNamespaces: ['MIRROR_KV'], kvPersist: path.join(home, 'kv') }),
    bindings: { ISONODE_MIRROR_PUBLISHER: publisher },
  })
  await miniflare.ready
  const pid = workerdProcesses().find((found) => !before.has(found))
  const ask = async ([method, ...params]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await miniflare.dispatchFetch('https://edge.example/', { method: 'POST', headers, body })
    const { result, error } = await response.json()
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  const counts = async () => (await miniflare.dispatchFetch('https://edge.example/counts')).json()
  return { ask, counts, cpu: () => cpuMs(pid), miniflare, close: () => miniflare.dispose() }
}

/** Processes of workerd that this one has started. */
function workerdProcesses() {
  const isOwn = (pid) => {
    try {
      const [, name, rest] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      return name === 'workerd' && Number(rest) === process.pid
    } catch {
      return false
    }
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOwn(name))
}

/** Fills the store of a kind with the mirror in a folder. */
export async function fillStore(folder, { miniflare }, kind) {
  const store =
    kind === 'r2'
      ? new R2Objects(await miniflare.getR2Bucket('MIRROR'))
      : openKvObjects(await miniflare.getKVNamespace('MIRROR_KV'))
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    await store.put(path.relative(folder, file), Uint8Array.from(readFileSync(file)))
  }
}

/** Asks the debugger of an isolate for its memory. @returns `read()` for MiB of its objects, garbage included, and of
 * its buffers, and `close()` */
export async function heapMeter({ miniflare }) {
  const url = await miniflare.getInspectorURL()
  const targets = await (await fetch(new URL('/json', `http://${url.host}`))).json()
  const { id: target } = targets.find((each) => each.id.startsWith(USER_WORKER))
  const socket = new WebSocket(`ws://${url.host}/${target}`)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let id = 0
  const call = (method) =>
    new Promise((resolve, reject) => {
      const wanted = ++id
      const onMessage = (text) => {
        const { id: found, result, error } = JSON.parse(text)
        if (found !== wanted) return
        socket.off('message', onMessage)
        if (error === undefined) resolve(result)
        else reject(new Error(error.message))
      }
      socket.on('message', onMessage)
      socket.send(JSON.stringify({ id: wanted, method }))
    })
  const read = async () => {
    const { usedSize, backingStorageSize = 0 } = await call('Runtime.getHeapUsage')
    return (usedSize + backingStorageSize) / 2 ** 20
  }
  return { read, close: () => socket.close() }
}
