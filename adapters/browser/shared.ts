/**
 * A node that the tabs of a web site share: `isonode/shared`. A tab loads a few kB; the node is loaded by its worker.
 * @module
 */
import type { BrowserNode, BrowserNodeOptions } from './contract.ts'
import { shareNode } from './sharing/sharedNode.ts'

export { NodeError } from '../../src/base/primitives/errors.ts'
export {
  type LogCriteria,
  type ProviderEvents,
  type ProviderMessage,
  type RequestArguments,
  RequestError,
  type RequestFunction,
  type SubscriptionEvents,
} from '../../src/rpc/providerContract.ts'
export type { BrowserNode, BrowserNodeOptions, WorkerOption } from './contract.ts'

/**
 * Joins the node of the web site, or starts it: as `createBrowserNode({ share: true })`, without loading the code of the node.
 * @throws {NodeError} as createBrowserNode
 */
export function createSharedNode(options: BrowserNodeOptions = {}): Promise<BrowserNode> {
  return shareNode({ share: true, ...options }, async (given) =>
    (await import('./browser.ts')).createBrowserNode(given),
  )
}
