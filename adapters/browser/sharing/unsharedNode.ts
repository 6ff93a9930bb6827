/**
 * The node of a page that can share none, and of Node, Deno and Bun, whose programs hold this instead of sharedNode.ts.
 * @module
 */
import type { BrowserNode, BrowserNodeOptions } from '../contract.ts'

/** Starts a node in memory, and says so. @param openAlone starts a node in the calling thread */
export function shareNode(
  { share, worker: _worker, dataPath, ...options }: BrowserNodeOptions,
  openAlone: (options: BrowserNodeOptions) => Promise<BrowserNode>,
): Promise<BrowserNode> {
  if (share !== true) return openAlone({ ...options, dataPath })
  console.warn('isonode: no locks or workers here, so the node is not shared, and its chain is in memory')
  return openAlone({ ...options, storage: 'memory' })
}
