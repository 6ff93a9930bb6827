/**
 * Opens the store and the node that the bindings describe.
 * @module
 */
import type { Logger } from '../../src/base/ports/host.ts'
import type { ObjectStore } from '../../src/base/ports/objectStore.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import evmModule from '../../src/evm/native/module.wasm'
import { startLogging } from '../shared/logging.ts'
import { openKvObjects } from '../shared/objects/kvObjects.ts'
import { R2Objects } from '../shared/objects/r2Objects.ts'
import { retryingStore } from '../shared/objects/retrying.ts'
import { EdgeNode } from './edgeNode.ts'
import { type Env, workerOptions } from './environment.ts'
import { explorerFiles } from './explorerFiles.ts'

export const logger: Logger = startLogging('INFO')

/** @param seen hash of the head that subscribers know already */
export async function openNode(env: Env, seen?: Uint8Array): Promise<EdgeNode> {
  const options = workerOptions(env)
  const objects = retryingStore(storeOf(env))
  const answers = await caches.open('answers')
  const explorer = env.ASSETS && explorerFiles(env.ASSETS)
  const node = await EdgeNode.open({ objects, logger, evmModule, answers, explorer, seen }, options)
  const { manifest, head } = node.replica.mirror.status
  logger.info('opened the mirror', { manifest, head: head.number, evm: node.replica.node.evm })
  return node
}

/** @throws {NodeError} INVALID_OPTION without a binding */
export function storeOf({ MIRROR, MIRROR_KV }: Env): ObjectStore {
  if (MIRROR !== undefined) return new R2Objects(MIRROR)
  if (MIRROR_KV !== undefined) return openKvObjects(MIRROR_KV)
  throw new NodeError({ code: 'INVALID_OPTION' }, 'the Worker needs a bucket MIRROR or a namespace MIRROR_KV')
}
