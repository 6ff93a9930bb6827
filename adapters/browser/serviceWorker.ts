/**
 * A service worker that answers JSON-RPC over HTTP: `isonode/service-worker`. A service worker can import no modules later, so
 * serviceWorkerBuild.mjs makes scripts of it, or a bundler makes one. The address of the script names what it answers:
 * `service-worker.js?path=/rpc&dataPath=my-chain`. `path` is relative to the scope of the worker (default: `rpc`), and
 * `dataPath` is that of the shared node (default: that of the dev chain).
 * @module
 */
import { MAX_SERVICE_WORKER_BODY } from '../../src/base/limits/limits.ts'
import type { BrowserNodeOptions } from './contract.ts'
import type { HostedNode } from './sharing/hostedNode.ts'
import { webLocks } from './sharing/locks.ts'
import { nodeName } from './sharing/names.ts'
import { ServiceNode } from './sharing/serviceNode.ts'

interface WaitingEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface FetchedEvent extends Event {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

interface ServiceScope {
  readonly location: { readonly href: string }
  readonly registration: { readonly scope: string }
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: WaitingEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchedEvent) => void): void
}

const scope = globalThis as unknown as ServiceScope
const parameters = new URL(scope.location.href).searchParams
const dataPath = parameters.get('dataPath') ?? undefined
const endpoint = new URL(parameters.get('path') ?? 'rpc', scope.registration.scope)
let node: ServiceNode | undefined

async function answer(request: Request): Promise<Response> {
  // The browser keeps a blob outside the memory of the worker.
  const body = await request.blob()
  if (body.size > MAX_SERVICE_WORKER_BODY)
    return failure(413, `the body has more than ${MAX_SERVICE_WORKER_BODY} bytes`)
  const locks = webLocks()
  if (locks === undefined) return failure(503, 'this browser has no locks')
  const options = { dataPath }
  node ??= new ServiceNode({ locks, node: nodeName(options), options, openNode })
  try {
    return await node.fetch(request, await body.arrayBuffer())
  } catch (error) {
    return failure(503, error instanceof Error ? error.message : String(error))
  }
}

/** While tabs have the node, its code is not needed. */
async function openNode(options: BrowserNodeOptions): Promise<HostedNode> {
  const { openHostedNode } = await import('./sharing/hostedNode.ts')
  return openHostedNode(options)
}

const SERVER_ERROR = -32000

function failure(status: number, message: string): Response {
  const body = { jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message } }
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener('fetch', (event) => {
  const { url, method } = event.request
  const { origin, pathname } = new URL(url)
  if (method === 'POST' && origin === endpoint.origin && pathname === endpoint.pathname) {
    event.respondWith(answer(event.request))
  }
})
