/** The Worker in workerd. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Miniflare } from 'miniflare'
import { openKvObjects } from '../../../adapters/shared/objects/kvObjects.ts'
import { R2Objects } from '../../../adapters/shared/objects/r2Objects.ts'
import { workerOptions } from '../../../adapters/workers/build.mjs'
import { type Bundle, bundle } from './bundle.ts'
import { REPOSITORY } from './chains.ts'

export type WorkerStore = 'r2' | 'kv'

export interface WorkerStart {
  readonly kind: WorkerStore
  /** Variables and secrets. */
  readonly bindings: Readonly<Record<string, string>>
  readonly onLog?: (message: string) => void
  /** Folder of the explorer, which also gets WebSockets. */
  readonly page?: string
}

/** @param outdir a new folder */
export function bundleWorker(outdir: string): Promise<Bundle> {
  return bundle('adapters/workers/worker.ts', outdir, workerOptions)
}

/** Starts the Worker over a store with these objects. */
export async function startWorker(
  worker: Bundle,
  objects: ReadonlyMap<string, Uint8Array>,
  { kind, bindings, onLog, page }: WorkerStart,
): Promise<Miniflare> {
  const configuration = readFileSync(path.join(REPOSITORY, 'wrangler.toml'), 'utf8')
  const miniflare = new Miniflare({
    cf: false,
    compatibilityDate: /compatibility_date = "(.*)"/.exec(configuration)?.[1] ?? '',
    modules: [
      ...worker.files.map(({ name, text }) => ({ type: 'ESModule', path: name, contents: text }) as const),
      ...worker.wasmFiles.map(({ name, bytes }) => ({ type: 'CompiledWasm', path: name, contents: bytes }) as const),
    ],
    handleStructuredLogs: ({ message }) => onLog?.(message),
    ...(kind === 'r2' ? { r2Buckets: { MIRROR: 'mirror' } } : { kvNamespaces: ['MIRROR_KV'] }),
    bindings: { ...bindings },
    ...(page === undefined ? {} : { assets: assetsOf(page), durableObjects: LIVE }),
  })
  const store =
    kind === 'r2'
      ? new R2Objects(await miniflare.getR2Bucket('MIRROR'))
      : openKvObjects(await miniflare.getKVNamespace('MIRROR_KV'))
  for (const [name, bytes] of objects) await store.put(name, bytes)
  return miniflare
}

const LIVE = { LIVE: { className: 'LiveChain', useSQLite: true } }

/** As wrangler.toml proposes it. */
function assetsOf(directory: string) {
  const routerConfig = { has_user_worker: true, invoke_user_worker_ahead_of_assets: true }
  return { directory, binding: 'ASSETS', routerConfig }
}
