/**
 * A saved chain, whose node all tabs of the page share.
 * @module
 */
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { shareNode } from '../../browser/sharing/sharedNode.ts'
import type { Provider } from '../../page/rpc/eip1193.ts'
import { scriptUrl } from '../scriptUrl.ts'
import { unlessAborted } from './abort.ts'
import type { SavedChoice } from './commands.ts'

/** @throws {NodeError} as createBrowserNode; LOCKS_UNAVAILABLE where the browser cannot save chains */
export async function openSharedNode({ database, chainId }: SavedChoice): Promise<Provider> {
  const options = { share: true, worker: startWorker, dataPath: database, chainId }
  const node = await shareNode(options, () => Promise.reject(locksUnavailable()))
  const events: Required<Pick<Provider, 'on' | 'removeListener'>> = node
  return {
    request: ({ method, params, signal }) => unlessAborted(node.request(method, params), signal),
    on: (event, listener) => events.on(event, listener),
    removeListener: (event, listener) => events.removeListener(event, listener),
  }
}

function startWorker(kind: 'shared' | 'dedicated', name: string): object {
  const url = scriptUrl('worker.js')
  return kind === 'shared' ? new SharedWorker(url, { type: 'module', name }) : new Worker(url, { type: 'module', name })
}

function locksUnavailable(): NodeError {
  return new NodeError({ code: 'LOCKS_UNAVAILABLE' }, 'this browser has no locks or no workers')
}
