/**
 * The library for pages: `isonode/browser`.
 * @module
 */
import type { BrowserNode, BrowserNodeOptions } from './contract.ts'
import { createBrowserNode as openNode } from './index.ts'

export * from './index.ts'

/**
 * Starts a node in a page, a worker or a service worker, or with `share` joins the one of the web site. Without options, it
 * is a dev chain that is kept in IndexedDB, or in memory on a runtime without IndexedDB.
 * @throws {NodeError} INVALID_OPTION that names the option, INVALID_GENESIS, INVALID_BLOCK, WASM_UNAVAILABLE; with a
 *   database also GENESIS_MISMATCH, DATABASE_LOCKED, LOCKS_UNAVAILABLE, STORE_FAILED; with `share` also SHARED_VERSION,
 *   SHARED_WORKER_FAILED
 * @example
 * const node = await createBrowserNode({ chainId: 1337, hardfork: 'cancun' })
 * console.log(await node.request('eth_chainId'))
 * await node.close()
 */
export async function createBrowserNode(options: BrowserNodeOptions = {}): Promise<BrowserNode> {
  if (options?.share === undefined && options?.worker === undefined) return openNode(options)
  const { shareNode } = await import('./sharing/sharedNode.ts')
  return shareNode(options, openNode)
}
